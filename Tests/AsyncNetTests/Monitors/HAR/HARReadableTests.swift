import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("Readable copies of bodies in HAR files")
struct HARReadableTests {
    @Test(
        "JSON has a JSON value as its readable copy, and a text of several lines has its lines",
        arguments: [
            (#"{"b":1}"#, .json(["b": 1])), ("[1]", .json([1])), ("{}", nil), ("[]", nil), ("12", nil), ("\"a\"", nil),
            ("a\r\nb", .lines(["a", "b"])), ("a\n\nb\n", .lines(["a", "", "b", ""])), ("a", nil), ("a\n", nil),
            ("", nil),
        ] as [(String, HARReadable?)])
    func texts(_ text: String, _ expected: HARReadable?) { #expect(HARReadable(text) == expected) }

    @Test("A long text, or JSON with a number beyond Double, has no readable copy")
    func none() {
        #expect(HARReadable("[\(String(repeating: "1,", count: 40_000))1]") == nil)
        #expect(HARReadable("[1e400]") == nil)
    }
}
