import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("Readable copies of bodies in HAR files")
struct HARReadableTests {
    @Test(
        "JSON is a value, other texts of several lines are their lines",
        arguments: [
            (#"{"b":1}"#, .json(["b": 1])), ("[1]", .json([1])), ("{}", nil), ("[]", nil), ("12", nil), ("\"a\"", nil),
            ("a\r\nb", .lines(["a", "b"])), ("a\n\nb\n", .lines(["a", "", "b", ""])), ("a", nil), ("a\n", nil),
            ("", nil),
        ] as [(String, HARReadable?)])
    func texts(_ text: String, _ expected: HARReadable?) { #expect(HARReadable(text) == expected) }

    @Test("A long text, and one with a number that no encoder writes, have no copy")
    func none() {
        #expect(HARReadable("[\(String(repeating: "1,", count: 40_000))1]") == nil)
        #expect(HARReadable("[1e400]") == nil)
    }
}
