import ArgumentParser
import AsyncNet
import Foundation
import TextTable

struct Parsing: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parsing", abstract: "JSON from bytes against JSONDecoder into a struct of the same document.")

    @Option(help: "Rounds; the parsers take turns in each.") var rounds = 15

    struct Row {
        var document: String
        var bytes: Int
        var json: Double
        var decoder: Double
        var ratio: Double
    }

    func run() async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        var large = Document.sample
        large.items = (0..<400).flatMap { _ in Document.sample.items }
        let rows = try [
            measure("1 KB", JSONEncoder().encode(Document.sample), repeats: 2000),
            measure("1 KB, pretty", encoder.encode(Document.sample), repeats: 2000),
            measure("400 KB", JSONEncoder().encode(large), repeats: 5),
        ]
        TextTable<Row> {
            [
                Column("document" <- $0.document), Column("bytes" <- $0.bytes, align: .right),
                Column("JSON µs" <- $0.json.formatted(1), align: .right),
                Column("JSONDecoder µs" <- $0.decoder.formatted(1), align: .right),
                Column("JSONDecoder / JSON" <- $0.ratio.formatted(2), align: .right),
            ]
        }.print(rows, style: Style.psql)
    }

    private func measure(_ name: String, _ data: Data, repeats: Int) throws -> Row {
        var (own, decoder): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            own.append(try time(repeats) { _ = try JSON(data: data) })
            decoder.append(try time(repeats) { _ = try JSONDecoder().decode(Document.self, from: data) })
        }
        let ratio = zip(decoder, own).map { $0 / $1 }.median
        return Row(document: name, bytes: data.count, json: own.median, decoder: decoder.median, ratio: ratio)
    }

    private func time(_ repeats: Int, _ work: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        for _ in 0..<repeats { try work() }
        return (ContinuousClock.now - start) / .microseconds(1) / Double(repeats)
    }
}
