import ArgumentParser
import AsyncNet
import Foundation
import TextTable

struct Parsing: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parsing",
        abstract: "JSON from bytes, and AsyncNet's decoder, against JSONDecoder into a struct of the same document.")

    @Option(help: "Rounds; the parsers take turns in each.") var rounds = 15

    struct Row {
        var document: String
        var bytes: Int
        var json: Double
        var own: Double
        var decoder: Double
        var ratio: Double
        var ownRatio: Double
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
                Column("StandardJSONDecoder µs" <- $0.own.formatted(1), align: .right),
                Column("JSONDecoder µs" <- $0.decoder.formatted(1), align: .right),
                Column("JSONDecoder / JSON" <- $0.ratio.formatted(2), align: .right),
                Column("JSONDecoder / Standard" <- $0.ownRatio.formatted(2), align: .right),
            ]
        }.print(rows, style: Style.psql)
    }

    private func measure(_ name: String, _ data: Data, repeats: Int) throws -> Row {
        var (json, own, decoder): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<rounds {
            json.append(try time(repeats) { _ = try JSON(data: data) })
            own.append(try time(repeats) { _ = try StandardJSONDecoder().decode(Document.self, from: data) })
            decoder.append(try time(repeats) { _ = try JSONDecoder().decode(Document.self, from: data) })
        }
        return Row(
            document: name, bytes: data.count, json: json.median, own: own.median, decoder: decoder.median,
            ratio: zip(decoder, json).map { $0 / $1 }.median, ownRatio: zip(decoder, own).map { $0 / $1 }.median)
    }

    private func time(_ repeats: Int, _ work: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        for _ in 0..<repeats { try work() }
        return (ContinuousClock.now - start) / .microseconds(1) / Double(repeats)
    }
}
