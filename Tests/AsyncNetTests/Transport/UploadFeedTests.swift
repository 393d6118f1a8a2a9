import Foundation
import Testing

@testable import AsyncNet

@Suite("Upload feed", .timeLimit(.minutes(5)))
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

    /// Reads a stream of these chunks.
    private func reader(_ chunks: [[UInt8]]) throws -> BodyReader {
        try reader(
            AsyncStream { continuation in
                for chunk in chunks { continuation.yield(Data(chunk)) }
                continuation.finish()
            })
    }

    private func reader(_ stream: AsyncStream<Data>) throws -> BodyReader {
        try MeasuredBody(.stream(stream)).makeReader()
    }

    @Test("A feed's bytes are read in order, in pieces of each size", arguments: [1, 2, 3, 7, 100])
    func bytes(_ size: Int) async throws {
        let feed = UploadFeed {}
        await feed.write(try reader([[1, 2, 3], [], [4], [5, 6]]))
        let (bytes, last) = drain(feed, by: size)
        #expect(bytes == [1, 2, 3, 4, 5, 6])
        #expect(last == .end)
        #expect(feed.failure == nil)
    }

    @Test("Reading an empty feed returns .pause, and onData is called once when bytes are written")
    func pause() async throws {
        let told = Counter()
        let feed = UploadFeed { told.add() }
        #expect(drain(feed).last == .pause)
        #expect(told.value == 0)
        await feed.write(try reader([[1], [2]]))
        #expect(told.value == 1)
        #expect(drain(feed).bytes == [1, 2])
    }

    @Test("20,000 chunks of one byte are read from a feed in one call")
    func tinyChunks() async throws {
        let feed = UploadFeed {}
        await feed.write(try reader((0..<20_000).map { [UInt8(truncatingIfNeeded: $0)] }))
        let (bytes, last) = drain(feed, by: 64 * 1024)
        #expect(bytes == (0..<20_000).map { UInt8(truncatingIfNeeded: $0) })
        #expect(last == .end)
    }

    @Test("The end of a feed without bytes calls onData and is read as .end")
    func emptyEnd() async throws {
        let told = Counter()
        let feed = UploadFeed { told.add() }
        #expect(drain(feed).last == .pause)
        await feed.write(try reader([]))
        #expect(told.value == 1)
        #expect(drain(feed).last == .end)
    }

    @Test("The writer of a feed waits once it is more than 256 KiB ahead of the transport")
    func backPressure() async throws {
        let asked = Counter()
        let feed = UploadFeed {}
        let writer = Task {
            await feed.write(
                try reader(
                    AsyncStream {
                        asked.add()
                        return asked.value <= 10 ? Data(count: 100_000) : nil
                    }))
        }
        await asked.reaches(3)
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
        try await writer.value
    }

    @Test("Closing a feed resumes its waiting writer")
    func close() async throws {
        let (feed, asked) = (UploadFeed {}, Counter())
        let writer = Task {
            await feed.write(
                try reader(
                    AsyncStream {
                        asked.add()
                        return Data(count: 300_000)
                    }))
        }
        // The first chunk is more than the feed holds without waiting.
        await asked.reaches(1)
        for _ in 0..<1000 { await Task.yield() }
        #expect(asked.value == 1)
        feed.close()
        try await writer.value
    }

    @Test("An error of the body's sequence is the feed's failure, after the bytes before it")
    func failures() async throws {
        let feed = UploadFeed {}
        let broken = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data([1, 2, 3]))
            continuation.finish(throwing: CocoaError(.fileReadUnknown))
        }
        await feed.write(try MeasuredBody(.stream(broken)).makeReader())
        let (bytes, last) = drain(feed)
        #expect(bytes == [1, 2, 3])
        #expect(last == .failure)
        #expect(feed.failure?.code == .bodyStreamFailed)
    }

    @Test("The body's sequence is not asked for chunks if its feed is already closed")
    func closedBefore() async throws {
        let asked = Counter()
        let stream = AsyncStream<Data> {
            asked.add()
            return nil
        }
        let feed = UploadFeed {}
        feed.close()
        await feed.write(try reader(stream))
        #expect(asked.value == 0)
    }
}
