@testable import AsyncNet
import Foundation
import Testing

@Suite("Upload feed", .timeLimit(.minutes(1)))
struct UploadFeedTests {
    /// Reads as a transport does: at most `size` bytes at a time, until the end or a pause.
    private func drain(_ feed: UploadFeed, by size: Int = 100) -> (bytes: [UInt8], last: UploadFeed.Piece) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: size)
        while true {
            let piece = buffer.withUnsafeMutableBytes { feed.read(into: $0) }
            guard case .bytes(let count) = piece else { return (bytes, piece) }
            bytes += buffer[..<count]
        }
    }

    private func next(_ chunks: [[UInt8]], then error: (any Error)? = nil) -> RequestBody.Next {
        var rest = chunks[...]
        return {
            if rest.isEmpty, let error { throw error }
            return rest.popFirst().map { Data($0) }
        }
    }

    @Test("Bytes come out as they went in, whatever the sizes", arguments: [1, 2, 3, 7, 100])
    func bytes(_ size: Int) async {
        let feed = UploadFeed {}
        await feed.write(next([[1, 2, 3], [], [4], [5, 6]]), length: nil)
        let (bytes, last) = drain(feed, by: size)
        #expect(bytes == [1, 2, 3, 4, 5, 6])
        #expect(last == .end)
        #expect(feed.failure == nil)
    }

    @Test("Without bytes the transport pauses, and is told once when there are some")
    func pause() async {
        let told = Counter()
        let feed = UploadFeed { told.add() }
        #expect(drain(feed).last == .pause)
        #expect(told.value == 0)
        await feed.write(next([[1], [2]]), length: nil)
        #expect(told.value == 1)
        #expect(drain(feed).bytes == [1, 2])
    }

    @Test("Many tiny chunks are read in one go")
    func tinyChunks() async {
        let feed = UploadFeed {}
        await feed.write(next((0..<20_000).map { [UInt8(truncatingIfNeeded: $0)] }), length: nil)
        let (bytes, last) = drain(feed, by: 64 * 1024)
        #expect(bytes == (0..<20_000).map { UInt8(truncatingIfNeeded: $0) })
        #expect(last == .end)
    }

    @Test("The end of nothing is told too")
    func emptyEnd() async {
        let told = Counter()
        let feed = UploadFeed { told.add() }
        #expect(drain(feed).last == .pause)
        await feed.write(next([]), length: nil)
        #expect(told.value == 1)
        #expect(drain(feed).last == .end)
    }

    @Test("The writer waits for the transport, at most one chunk above 256 KiB ahead")
    func backPressure() async {
        let asked = Counter()
        let feed = UploadFeed {}
        let writer = Task {
            await feed.write({
                asked.add()
                return asked.value <= 10 ? Data(count: 100_000) : nil
            }, length: nil)
        }
        #expect(await eventually { asked.value == 3 })
        for _ in 0..<1000 { await Task.yield() }
        #expect(asked.value == 3)
        var total = 0
        var last = UploadFeed.Piece.pause
        while last != .end {
            let drained = drain(feed, by: 64 * 1024)
            (total, last) = (total + drained.bytes.count, drained.last)
            await Task.yield()
        }
        #expect(total == 1_000_000)
        await writer.value
    }

    @Test("A closed feed lets its writer go")
    func close() async {
        let feed = UploadFeed {}
        let writer = Task { await feed.write({ Data(count: 300_000) }, length: nil) }
        #expect(await eventually { drain(feed).bytes.count > 0 })
        feed.close()
        await writer.value
    }

    @Test("A length that is not kept, and a source that throws, are failures after what was good", arguments: [
        (Int64(2), false, "longer"), (4, false, "ended after 3"), (3, true, "could not be read"),
    ])
    func failures(_ length: Int64, _ throwsError: Bool, _ words: String) async {
        let feed = UploadFeed {}
        await feed.write(next([[1, 2, 3]], then: throwsError ? CocoaError(.fileReadUnknown) : nil), length: length)
        #expect(drain(feed).last == .failure)
        #expect(feed.failure?.code == .encodingFailed)
        #expect(feed.failure?.message.contains(words) == true)
    }
}
