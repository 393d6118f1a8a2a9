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
        "A valid tracestate is parsed",
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
        #expect(TracestateSyntax.list(text) == written)
    }

    @Test(
        "A tracestate with an invalid member or a repeated key is refused as a whole",
        arguments: [
            "foo", "foo=1,foo=1", "foo=1,foo=2", "foo =1", "FOO=1", "foo.bar=1", "@foo=1,bar=2", "foo=bar=baz",
            "foo=,bar=3", "=1", "_a=1", "é=1", "a=é", "a=\u{7F}", "a=b\tc", "a=1;b=2,c",
            String(repeating: "z", count: 257) + "=1", "a=" + String(repeating: "v", count: 257),
        ])
    func refused(_ text: String) {
        #expect(TracestateSyntax.list(text) == nil)
    }

    @Test("A tracestate has at most 32 members")
    func count() {
        let most = (1...32).map(Self.member).joined(separator: ",")
        #expect(TracestateSyntax.list(most) == most)
        #expect(TracestateSyntax.list("\(most),\(Self.member(33))") == nil)
    }

    @Test("Random text never traps the parser of tracestate, and what is written can be parsed")
    func fuzzing() {
        var random = Fuzzing.random(42)
        let characters = Array("aZ0=, \t@_-*/;\u{e9}\u{301}\u{0}")
        for _ in 0..<Fuzzing.inputs(3000) {
            let text = String(
                (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in characters.randomElement(using: &random)
                })
            guard let list = TracestateSyntax.list(text) else { continue }
            #expect(TracestateSyntax.list(list) == list)
        }
    }
}
