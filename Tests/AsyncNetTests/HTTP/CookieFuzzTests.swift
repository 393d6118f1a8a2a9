import Foundation
import Testing

@testable import AsyncNet

/// Whatever a server or a file has in it: nothing traps, and what is accepted can be sent and read again.
@Suite("Cookies, fuzzed", .timeLimit(.minutes(30)))
struct CookieFuzzTests {
    private static let now = Date(timeIntervalSince1970: 1_795_316_400)
    private static let words = [
        "a", "=", ";", ",", " ", ", ", "; ", "\t", "\"", "é", "\u{301}", "\0", "\r\n", "\n", "\u{7F}", "٣", "[", "b=1",
        "; Path=", "/", "; Domain=", "a.b", ".", "::1", "; Max-Age=", "-",
        "99999999999999999999", "; Expires=", "Wed, 21 Oct 2015 07:28:00 GMT", "Oct", "31 Feb", "2015", "07:28:00",
        "99:99:99", ":", "; Secure", "; SameSite=None", "__Host-", "__secure-",
        "#HttpOnly_", "#", "TRUE", "FALSE", "\tTRUE\t", "a.b\tTRUE\t/\tFALSE\t", "0\t", "1e9", "-1",
        "a.b\tTRUE\t/\tFALSE\t999999999999999\ta\t",
    ].map { Array($0.utf8) }

    private static func bytes(_ random: inout SeededRandom) -> [UInt8] {
        (0..<Int.random(in: 0...12, using: &random)).flatMap { _ in
            Bool.random(using: &random) || Bool.random(using: &random)
                ? words.randomElement(using: &random) ?? [] : [UInt8.random(in: 0...255, using: &random)]
        }
    }

    @Test("Ten thousand random Set-Cookie headers and dates never trap the cookie parser")
    func texts() throws {
        var random = Fuzzing.random(65)
        let origins = try ["https://a.b/x", "http://[::1]/", "http://www.a.b./"].compactMap {
            CookieOrigin(try $0.asURL())
        }
        var accepted = 0
        for _ in 0..<Fuzzing.inputs(10_000) {
            let text = String(decoding: Self.bytes(&random), as: UTF8.self)
            _ = CookieDate(text)
            let parts = SetCookie.split(text)
            if parts.isEmpty || parts.count == 1 && !text.utf8.contains(0x2C) && parts != [text] {
                Issue.record("\(text.debugDescription)")
            }
            guard let origin = origins.randomElement(using: &random), let parsed = SetCookie(text),
                let cookie = Cookie(parsed, from: origin, now: Self.now)
            else { continue }
            accepted += 1
            var store = CookieStore()
            let isKept = store.set(cookie, now: Self.now)
            let header = store.header(
                for: CookieOrigin(host: cookie.domain, path: cookie.path, isSecure: true), now: Self.now)
            if !isKept || header.map({ !HTTPSyntax.isFieldValue($0) }) ?? !cookie.isExpired(at: Self.now) {
                Issue.record("\(text.debugDescription)")
            }
        }
        #expect(accepted > 1000)
    }

    @Test("Cookies parsed from ten thousand random files are unchanged after writing and parsing them again")
    func files() {
        var random = Fuzzing.random(66)
        var accepted = 0
        for _ in 0..<Fuzzing.inputs(10_000) {
            let line = "\(Bool.random(using: &random) ? "" : "#HttpOnly_").a.b\tTRUE\t/\tTRUE\t0\t"
            let file = Data((Bool.random(using: &random) ? Array(line.utf8) : []) + Self.bytes(&random))
            let cookies = NetscapeCookies.read(file, now: Self.now)
            accepted += cookies.count
            let again = NetscapeCookies.read(Data(NetscapeCookies.text(cookies).utf8), now: Self.now)
            if again != cookies { Issue.record("\(file.map { $0 })") }
        }
        #expect(accepted > 1000)
    }
}
