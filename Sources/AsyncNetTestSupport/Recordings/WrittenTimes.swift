import AsyncNet
import Foundation

/// Decides into which pieces a body is written, and with which times.
///
/// Networks cut bodies at random places. A body is written in pieces that are the same each time:
/// - Server-sent events and lines of JSON end a piece each.
/// - Other bodies up to 64 KiB without a `Content-Length`, which servers send bit by bit, keep their pieces.
/// - All others are cut only where time passed.
struct WrittenTimes {
    let step: Duration

    /// The nearest multiple of the step.
    func rounded(_ duration: Duration) -> Duration {
        guard step > .zero, duration > .zero else { return .zero }
        return step * Int((duration / step).rounded())
    }

    /// Where a piece ends in the body, and the time from the head until it had arrived.
    private struct Cut {
        var end: Int
        let time: Duration
    }

    /// The pieces of the body.
    ///
    /// - Parameter change: Redacts the body. It is also called with first parts of the body, to find where they end.
    func written(_ response: RecordedExchange.Response, _ change: (Data) -> Data) -> [RecordedExchange.Chunk] {
        let body = response.body
        let records = BodyRecords(contentType: response.headers["Content-Type"])
        let new = change(body)
        var cuts = cuts(response, records, body)
        if new != body { cuts = moved(cuts, from: body, to: new, records, change) }
        return pieces(of: new, cuts)
    }

    private func pieces(of body: Data, _ cuts: [Cut]) -> [RecordedExchange.Chunk] {
        var (chunks, start, time): ([RecordedExchange.Chunk], Int, Duration) = ([], 0, .zero)
        for cut in cuts where cut.end > start {
            let piece = body.dropFirst(start).prefix(cut.end - start)
            chunks.append(.init(Data(piece), delay: cut.time - time))
            (start, time) = (cut.end, cut.time)
        }
        return chunks
    }

    // MARK: Cuts

    private func cuts(_ response: RecordedExchange.Response, _ records: BodyRecords?, _ body: Data) -> [Cut] {
        let received = received(response)
        if let ends = records?.ends(in: body) {
            var rest = received[...]
            return ends.compactMap { end in
                rest = rest.drop { $0.end < end }
                return rest.first.map { Cut(end: end, time: $0.time) }
            }
        }
        guard response.headers.contains(name: "Content-Length") || body.count > Self.mostBytes else { return received }
        return received.enumerated().filter { index, cut in
            index == received.count - 1 || received[index + 1].time > cut.time
        }.map(\.element)
    }

    private static let mostBytes = 64 * 1024

    private func received(_ response: RecordedExchange.Response) -> [Cut] {
        var (end, time) = (0, Duration.zero)
        return response.chunks.map { chunk in
            (end, time) = (end + chunk.data.count, time + chunk.delay)
            return Cut(end: end, time: rounded(time))
        }
    }

    // MARK: A body that has changed

    private func moved(
        _ cuts: [Cut], from old: Data, to new: Data, _ records: BodyRecords?, _ change: (Data) -> Data
    ) -> [Cut] {
        guard let last = cuts.last else { return cuts }
        if let ends = records?.ends(in: new), ends.count == cuts.count {
            return zip(ends, cuts).map { Cut(end: $0, time: $1.time) }
        }
        guard cuts.count * old.count <= Self.mostWork else { return [Cut(end: new.count, time: last.time)] }
        var least = 0
        return cuts.dropLast().map { cut in
            least = max(least, min(change(old.prefix(cut.end)).count, new.count))
            return Cut(end: least, time: cut.time)
        } + [Cut(end: new.count, time: last.time)]
    }

    /// How many bytes may be redacted to move the cuts: each cut redacts the whole body up to it.
    private static let mostWork = 8 * 1024 * 1024
}

/// The records of a body that is a sequence of them: events or lines.
struct BodyRecords {
    private let isOfEvents: Bool

    /// `nil` for other types.
    init?(contentType: String?) {
        guard let subtype = contentType.flatMap(MediaType.last)?.subtype else { return nil }
        isOfEvents = subtype == "event-stream"
        let lines = ["ndjson", "x-ndjson", "jsonl", "x-jsonl", "jsonlines", "x-jsonlines", "json-seq", "stream+json"]
        guard isOfEvents || lines.contains(subtype) else { return nil }
    }

    /// Where each record ends: a server-sent event with an empty line, a JSON line with its line feed.
    func ends(in body: Data) -> [Int] {
        let bytes = Array(body)
        var (ends, isLineEmpty): ([Int], Bool) = ([], true)
        for (index, byte) in bytes.enumerated() where byte != 0x0D || !isOfEvents {
            if byte == 0x0A, !isOfEvents || isLineEmpty { ends.append(index + 1) }
            isLineEmpty = byte == 0x0A
        }
        return ends.last == bytes.count || bytes.isEmpty ? ends : ends + [bytes.count]
    }
}
