import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

@Suite("Alt-Svc")
struct AltSvcTests {
    @Test(
        "Alt-Svc is read as protocol, host, port and age up to the first malformed alternative (RFC 7838 §3)",
        arguments: [
            (#"h3=":443""#, "h3  443 86400"), (#"h3=":443"; ma=3600"#, "h3  443 3600"),
            (#"h3=":443";MA="60" ; persist=1"#, "h3  443 60"), (#"h3=":443"; ma=0"#, "h3  443 0"),
            (#"h2="alt.example.com:8000", h3=":50781"; ma=5"#, "h2 alt.example.com 8000 86400, h3  50781 5"),
            (#"h3="[::1]:443""#, "h3 [::1] 443 86400"), (#"h3-29=":1",h3=":2""#, "h3-29  1 86400, h3  2 86400"),
            (#"w%3Dx%3Ay%2Cz=":8000""#, "w%3Dx%3Ay%2Cz  8000 86400"), (#", ,h3=":1" ,"#, "h3  1 86400"),
            (#"h3=":4\43""#, "h3  443 86400"), (#"h3=":443"; ma=99999999999999999999999"#, "h3  443 31536000"),
            (#"h3=":443"; ma=-1; v="1,2""#, "h3  443 86400"), ("clear", "clear"), (" clear\t", "clear"),
            ("Clear", ""), ("", ""), ("h3", ""), ("h3=:443", ""), (#"h3=":443"#, ""), (#"h3="443""#, ""),
            (#"h3=":""#, ""), (#"h3=":0""#, ""), (#"h3=":65536""#, ""), (#"h3=":+1""#, ""), (#"h3=":٣""#, ""),
            (#"h3=":443"; ma"#, ""), (#"h3=":443" x"#, ""), (#"h3=":1", ???, h3=":2""#, "h3  1 86400"),
            (#"="x:1""#, ""),
            (#"h3="\"#, ""),
        ])
    func parsing(_ value: String, _ expected: String) {
        #expect(Self.text(AltSvc([value])) == expected)
    }

    @Test("Several Alt-Svc lines are read as one list, and a line with clear clears all")
    func lines() {
        #expect(Self.text(AltSvc([#"h2=":1""#, #"h3=":2""#])) == "h2  1 86400, h3  2 86400")
        #expect(Self.text(AltSvc([#"h3=":1""#, "clear"])) == "clear")
        #expect(Self.text(AltSvc([])) == "")
    }

    @Test("Of an Alt-Svc line with a million alternatives the first twenty are read")
    func manyAlternatives() {
        let line = String(repeating: #"h3=":1","#, count: 1_000_000)
        #expect(Self.text(AltSvc([line])).split(separator: ",").count == 20)
    }

    @Test("Random Alt-Svc values are read without a trap, into valid ports and ages")
    func fuzzed() {
        var random = Fuzzing.random(7838)
        let words = ["h3", "=", "\"", ":443", "\\", ";", "ma", ",", " ", "clear", "é", "9999", "\0"]
        for _ in 0..<Fuzzing.inputs(10_000) {
            let count = Int.random(in: 0...12, using: &random)
            let value = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined()
            if case .services(let services) = AltSvc([value]) {
                let isValid = services.allSatisfy { 1...65_535 ~= $0.port && $0.maximumAge >= 0 }
                #expect(isValid, "\(value.debugDescription)")
            }
        }
    }

    private static func text(_ field: AltSvc) -> String {
        guard case .services(let services) = field else { return "clear" }
        return services.map { "\($0.protocolID) \($0.host) \($0.port) \($0.maximumAge)" }.joined(separator: ", ")
    }
}
