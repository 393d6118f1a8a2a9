import Foundation
import Testing

@testable import AsyncNet

/// Chunks may end anywhere: that must not change the elements of a parser, and no bytes may trap.
@Suite("Stream parsers, fuzzed", .timeLimit(.minutes(30)))
struct StreamParserFuzzTests {
    private static let alphabet: [UInt8] =
        Array("\n\r:  0\u{1E}\"%*19{}[]\\,a".utf8) + [0xEF, 0xBB, 0xBF, 0xFF, 0xC3, 0xA9, 0x00, 0x09]
    private static let words: [[UInt8]] = [
        "data", "data:", "id:", "event: ", "retry:", "\n\n", "\r\n", "\r\r\n", "true\n", "\u{1E}{", "\u{FEFF}",
    ].map { Array($0.utf8) }

    private static func bytes(_ random: inout SeededRandom) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...24, using: &random) {
            let isWord = Int.random(in: 0..<4, using: &random) == 0
            bytes += isWord ? words.randomElement(using: &random) ?? [] : [alphabet.randomElement(using: &random) ?? 0]
        }
        return bytes
    }

    /// Cuts bytes at random, sometimes with an empty piece; each piece is a slice with another start index.
    private static func cut(_ bytes: [UInt8], _ random: inout SeededRandom) -> [Data] {
        let data = Data([0x0A] + bytes)
        var pieces: [Data] = []
        var start = 1
        while start < data.count {
            let end = min(data.count, start + Int.random(in: 0...5, using: &random))
            pieces.append(data[start..<end])
            start = end
        }
        return pieces
    }

    private func fuzz<Parser: StreamParser, Element: Equatable & Sendable>(
        _ parser: Parser, seed: UInt64, _ map: (Parser.Element) -> Element
    ) {
        var random = Fuzzing.random(seed)
        for _ in 0..<Fuzzing.inputs(1200) {
            let bytes = Self.bytes(&random)
            let whole = outcome(of: parser, [Data(bytes)], map)
            let split = outcome(of: parser, Self.cut(bytes, &random), map)
            if whole != split { Issue.record("seed \(seed), bytes \(bytes): \(whole) as a whole, \(split) in pieces") }
        }
    }

    @Test("Random bytes in any chunks give the same lines", arguments: [3, 1000])
    func lines(limit: Int) { fuzz(LineParser(limit: limit), seed: 1) { $0 } }

    @Test(
        "Random bytes in any chunks give the same JSON texts",
        arguments: [
            (3, nil), (1000, nil), (8, "application/json-seq"),
            (1000, "application/json-seq"),
        ])
    func texts(limit: Int, type: String?) {
        fuzz(
            JSONSequenceParser(mediaType: type.flatMap { MediaType($0) }, limit: limit), seed: 2,
            JSONSequenceParserTests.shown)
    }

    @Test("Random bytes in any chunks give the same events", arguments: [8, 1000])
    func events(limit: Int) { fuzz(ServerSentEventParser(limit: limit), seed: 3) { $0 } }

    /// The second parser is as simple as possible: it gets all bytes at once, and searches one break after another.
    @Test("Random bytes are split into the same lines as by a second parser, written after the standard")
    func reference() {
        var random = Fuzzing.random(4)
        for _ in 0..<Fuzzing.inputs(1200) {
            let bytes = Self.bytes(&random)
            let found = outcome(of: LineParser(), Self.cut(bytes, &random)) { $0 }.elements
            if found != Self.linesByTheLetter(bytes) { Issue.record("\(bytes): \(found)") }
        }
    }

    private static func linesByTheLetter(_ bytes: [UInt8]) -> [String] {
        var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        var lines: [String] = []
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
            lines.append(String(decoding: line, as: UTF8.self))
            rest = rest.dropFirst(line.count)
            rest = rest.dropFirst(rest.starts(with: [0x0D, 0x0A]) ? 2 : 1)
        }
        return lines
    }
}
