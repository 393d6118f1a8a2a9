import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

/// The cases of W3C's own tests of `tracestate` (w3c/trace-context, test/test.py), with the keys of Level 2.
@Suite("tracestate", .timeLimit(.minutes(5)))
struct TracestateTests {
    private static func member(_ number: Int) -> String { "bar\(number)=\(number)" }
    private static let allowed = "abcdefghijklmnopqrstuvwxyz0123456789_-*/"
    private static let anyValue = String(decoding: (0x20...0x7E).filter { $0 != 0x2C && $0 != 0x3D }, as: UTF8.self)

    @Test(
        "A valid list is read",
        arguments: [
            ("", ""), (" ", ""), ("foo=1", "foo=1"), ("foo=1,", "foo=1"), (",foo=1", "foo=1"),
            ("foo=1 \t , \t bar=2, \t baz=3", "foo=1,bar=2,baz=3"), (" foo=1\t", "foo=1"),
            ("\(allowed)=\(anyValue)", "\(allowed)=\(anyValue)"),
            ("\(allowed)@a-z0-9_-*/=1", "\(allowed)@a-z0-9_-*/=1"), ("0=0", "0=0"),
            (String(repeating: "z", count: 256) + "=1", String(repeating: "z", count: 256) + "=1"),
            ("a= x", "a= x"), ("a=b c", "a=b c"), ("foo@=1,bar@baz@x=2", "foo@=1,bar@baz@x=2"),
            ("a=" + String(repeating: "v", count: 256), "a=" + String(repeating: "v", count: 256)),
        ])
    func accepted(_ text: String, _ written: String) {
        #expect(TraceContext.Tracestate(text)?.headerValue == written)
    }

    @Test(
        "A list with an invalid member, or a key twice, is refused as a whole",
        arguments: [
            "foo", "foo=1,foo=1", "foo=1,foo=2", "foo =1", "FOO=1", "foo.bar=1", "@foo=1,bar=2", "foo=bar=baz",
            "foo=,bar=3", "=1", "_a=1", "é=1", "a=é", "a=\u{7F}", "a=b\tc", "a=1;b=2,c",
            String(repeating: "z", count: 257) + "=1", "a=" + String(repeating: "v", count: 257),
        ])
    func refused(_ text: String) {
        #expect(TraceContext.Tracestate(text) == nil)
    }

    @Test("There are at most 32 members")
    func count() {
        #expect(TraceContext.Tracestate((1...32).map(Self.member).joined(separator: ","))?.keys.count == 32)
        #expect(TraceContext.Tracestate((1...33).map(Self.member).joined(separator: ",")) == nil)
    }

    @Test("A changed member becomes the first, and an invalid one changes nothing")
    func changes() throws {
        var state = try #require(TraceContext.Tracestate("a=1,b=2,c=3"))
        let isSet = state.set("9", for: "b")
        #expect(isSet)
        #expect(state.headerValue == "b=9,a=1,c=3" && state["b"] == "9" && state["x"] == nil)
        let refused = [("", "b"), ("1", "B"), ("a,b", "a")].map { state.set($0, for: $1) }
        #expect(refused == [false, false, false])
        state.remove("a")
        #expect(state.description == "b=9,c=3" && !state.isEmpty)
        for number in 1...32 { state.set("1", for: "k\(number)") }
        #expect(state.keys == (1...32).reversed().map { "k\($0)" })
    }

    @Test("Beyond 512 characters, long members are left out first, then the last")
    func length() throws {
        let (long, short) = (String(repeating: "l", count: 127), String(repeating: "s", count: 120))
        let fits = (0..<4).map { "\($0)=" + short }.joined(separator: ",")
        #expect(fits.count == 491)
        #expect(TraceContext.Tracestate(fits)?.headerValue == fits)
        #expect(TraceContext.Tracestate("x=\(long),\(fits)")?.headerValue == fits)
        #expect(TraceContext.Tracestate("\(fits),b=1,c=1,d=1,e=\(short),f=1")?.headerValue == "\(fits),b=1,c=1,d=1")
        let exact = fits + ",y=" + String(repeating: "v", count: 18)
        #expect(exact.count == 512 && TraceContext.Tracestate(exact)?.headerValue == exact)
        #expect(TraceContext.Tracestate(exact + ",z=1")?.headerValue == exact)
    }

    @Test("Any text is read or refused, and what is written can be read")
    func fuzzing() {
        var random = Fuzzing.random(42)
        let characters = Array("aZ0=, \t@_-*/;\u{e9}\u{301}\u{0}")
        for _ in 0..<Fuzzing.inputs(3000) {
            let text = String(
                (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in characters.randomElement(using: &random)
                })
            guard let state = TraceContext.Tracestate(text) else { continue }
            #expect(TraceContext.Tracestate(state.headerValue) == state)
        }
    }
}
