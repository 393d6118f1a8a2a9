import Foundation
import Testing

@testable import AsyncNet

/// The elements and the error that a parser returns for some bytes.
struct StreamOutcome<Element: Equatable & Sendable>: Equatable, Sendable {
    var elements: [Element] = []
    var code: AsyncNetError.Code?
}

/// Feeds pieces and the end to a copy of the parser, also after an error, from which on it must return no elements.
func outcome<Parser: StreamParser, Element>(
    of parser: Parser, _ pieces: [Data], _ map: (Parser.Element) -> Element
) -> StreamOutcome<Element> {
    var parser = parser
    var outcome = StreamOutcome<Element>()
    func take(_ step: () throws -> [Parser.Element]) {
        do {
            let elements = try step()
            if outcome.code != nil { #expect(elements.isEmpty, "a parser that has failed gives no more") }
            outcome.elements += elements.map(map)
        } catch {
            outcome.code = (error as? AsyncNetError)?.code
        }
    }
    for piece in pieces { take { try parser.receive(piece) } }
    take { try parser.finish() }
    return outcome
}

func pieces(of bytes: [UInt8], every size: Int) -> [Data] {
    stride(from: 0, to: bytes.count, by: size).map { Data(bytes[$0..<min($0 + size, bytes.count)]) }
}

/// The outcome of the bytes as a whole; expects the same outcome of pieces of 1, 2, 3 and 7 bytes.
func outcomeOfAnySplit<Parser: StreamParser, Element>(
    of parser: Parser, _ bytes: [UInt8], _ map: (Parser.Element) -> Element
) -> StreamOutcome<Element> {
    let whole = outcome(of: parser, [Data(bytes)], map)
    for size in [1, 2, 3, 7] {
        let split = outcome(of: parser, pieces(of: bytes, every: size), map)
        #expect(split == whole, "pieces of \(size)")
    }
    return whole
}
