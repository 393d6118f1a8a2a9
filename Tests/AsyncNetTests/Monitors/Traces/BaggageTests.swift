import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("Baggage", .timeLimit(.minutes(5)))
struct BaggageTests {
    @Test(
        "Members are read as the specification's examples, and written",
        arguments: [
            ("", ""), (" , ,", ""), ("userId=alice", "userId=alice"),
            (
                "key1=value1;property1;property2, key2 = value2, key3=value3; propertyKey=propertyValue",
                "key1=value1;property1;property2,key2=value2,key3=value3;propertyKey=propertyValue"
            ),
            (
                "userId=alice,serverNode=DF%2028,isProduction=false",
                "userId=alice,serverNode=DF%2028,isProduction=false"
            ),
            ("userId =   alice\t", "userId=alice"), ("a=b=c", "a=b=c"), ("a=", "a="), ("a=1,a=2", "a=1,a=2"),
            ("a=1; p = 2 ;;q", "a=1;p=2;q"), ("a=%", "a=%25"), ("a=%4", "a=%254"), ("a=%zz", "a=%25zz"),
            ("a=%e2%82%ac", "a=%E2%82%AC"), ("a=%ff", "a=%EF%BF%BD"), ("a=%41%2c", "a=A%2C"),
        ])
    func accepted(_ text: String, _ written: String) {
        #expect(TraceContext.Baggage(text).headerValue == written)
    }

    @Test(
        "Invalid members are left out, the others kept",
        arguments: ["b", "b c=1", "=1", "b=c d", "b=\"c\"", "b=\\", "b=é", "b=1;c d", "b=1;=2", "b(=1", "b=1;c=\"x\""])
    func refused(_ member: String) {
        #expect(TraceContext.Baggage("a=1,\(member),z=2").headerValue == "a=1,z=2")
    }

    @Test("Values are any text, names tokens")
    func values() {
        var baggage: TraceContext.Baggage = ["user": "Ada, \"Countess\"; 100 % é\n", "no token": "x"]
        #expect(baggage.headerValue == "user=Ada%2C%20%22Countess%22%3B%20100%20%25%20%C3%A9%0A")
        #expect(TraceContext.Baggage(baggage.headerValue) == baggage)
        #expect(baggage.members.count == 1)
        baggage["user"] = "b"
        baggage["other"] = "c"
        #expect(baggage.headerValue == "user=b,other=c" && baggage["user"] == "b" && baggage["x"] == nil)
        baggage["user"] = nil
        #expect(baggage.headerValue == "other=c" && !baggage.isEmpty)
        #expect(TraceContext.Baggage.Member(name: "a", value: "b", properties: ["c d"]) == nil)
        if let member = TraceContext.Baggage.Member(name: "a", value: "b", properties: ["c=d"]) { baggage.add(member) }
        #expect(baggage.headerValue == "other=c,a=b;c=d")
    }

    @Test("64 members and 8192 bytes are read and written")
    func limits() {
        let many = (1...65).map { "k\($0)=\($0)" }
        #expect(TraceContext.Baggage(many.joined(separator: ",")).members.count == 64)
        let part = "a=" + String(repeating: "v", count: 2045)
        let exact = [part, part, part, part + "w"].joined(separator: ",")
        #expect(exact.utf8.count == 8192)
        #expect(TraceContext.Baggage(exact).headerValue == exact)
        #expect(TraceContext.Baggage(exact + ",b=1").headerValue == exact)
        #expect(TraceContext.Baggage(exact + "x").members.count == 3)
        var baggage = TraceContext.Baggage(exact)
        baggage["b"] = "1"
        #expect(baggage.members.count == 5 && baggage.headerValue == exact)
        for number in 1...65 { baggage["k\(number)"] = "" }
        baggage["a"] = nil
        #expect(baggage.headerValue.split(separator: ",").count == 64)
    }

    @Test("Any text can be read, and what is written can be read")
    func fuzzing() {
        var random = Fuzzing.random(43)
        let characters = Array("aZ0=, \t;%4F\"\\\u{e9}\u{301}\u{0}")
        for _ in 0..<Fuzzing.inputs(3000) {
            let text = String(
                (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in characters.randomElement(using: &random)
                })
            let baggage = TraceContext.Baggage(text)
            #expect(TraceContext.Baggage(baggage.headerValue) == baggage)
        }
    }
}
