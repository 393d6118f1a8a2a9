import Foundation
import Testing

@testable import AsyncNet

/// Whatever a server sends: nothing traps, and what is read is what would be written.
@Suite("Header values, fuzzed", .timeLimit(.minutes(30)))
struct HeaderFuzzTests {
    private static let words = [
        "bytes ", "0", "9", "99", "9223372036854775807", "-", "/", "*", " ", ";", "=", "\"", "\\", "%", "%e2", "%82%ac",
        "'", "UTF-8''", "iso-8859-1'en'",
        "attachment", "; filename=", "; filename*=", "W/", "W/\"", "a", "é", "\u{301}", "\0", "\r\n", "\u{7F}", ",",
        "٣",
    ]

    private static func texts(_ count: Int, seed: UInt64) -> [String] {
        var random = Fuzzing.random(seed)
        return (0..<Fuzzing.inputs(count)).map { _ in
            (0..<Int.random(in: 0...9, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }.joined()
        }
    }

    @Test("A random Content-Range or ETag that can be parsed is equal after it is written and parsed again")
    func readAgain() {
        for text in Self.texts(1500, seed: 7) + Self.texts(500, seed: 8).map({ "bytes \($0)" })
            + Self.texts(500, seed: 9).map({ "\"\($0)\"" })
        {
            if let range = ContentRange(text), ContentRange(range.description) != range {
                Issue.record("\(text.debugDescription)")
            }
            if let tag = EntityTag(text), EntityTag(tag.description) != tag { Issue.record("\(text.debugDescription)") }
        }
    }

    @Test("A random Content-Disposition that is parsed has a token as its type and no empty file name")
    func disposition() {
        for text in Self.texts(1000, seed: 10) + Self.texts(1000, seed: 11).map({ "attachment\($0)" }) {
            guard let disposition = ContentDisposition(text) else { continue }
            if !HTTPSyntax.isToken(disposition.type) || disposition.fileName == "" {
                Issue.record("\(text.debugDescription)")
            }
        }
    }

    @Test("Links parsed from random text have absolute targets, which are the same after writing and parsing again")
    func links() throws {
        let base = try "http://a/b?c".asURL()
        var random = Fuzzing.random(12)
        let words = Self.words + ["<", ">", "<a>", "; rel=", "; rel=next", "title*=", "anchor=", "http://[", "//", "?"]
        for _ in 0..<Fuzzing.inputs(3000) {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                words.randomElement(using: &random) ?? ""
            }.joined()
            for link in HTTPHeaders(["Link": text]).links(relativeTo: base) {
                let relations = link.relations.joined(separator: " ").filter { $0 != "\"" && $0 != "\\" }
                let again = HTTPHeaders(["Link": "<\(link.target)>; rel=\"\(relations)\""]).links(relativeTo: base)
                if link.target.scheme == nil || again.map(\.target) != [link.target] {
                    Issue.record("\(text.debugDescription)")
                }
            }
        }
    }
}
