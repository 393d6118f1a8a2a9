import Foundation
import Testing

@testable import AsyncNet

@Suite("Backlog of a body over URLSession", .timeLimit(.minutes(5)))
struct URLSessionBacklogTests {
    private func make(
        in folder: URL, limit: Int64 = .max, bodyLimit: Int64? = nil, onAbort: @escaping @Sendable () -> Void = {}
    ) -> (URLSessionBacklog, TransferPipe) {
        let pipe = TransferPipe(.asItArrives, limit: bodyLimit)
        let backlog = URLSessionBacklog(pipe, in: folder, limit: limit, bodyLimit: bodyLimit)
        pipe.connect(onAbort: onAbort, onDemand: { backlog.goOn() })
        return (backlog, pipe)
    }

    @Test("Bytes beyond the pipe's buffer are read from a file in order, and the file is removed at the end")
    func spilling() async throws {
        let folder = try TemporaryFolder()
        let (backlog, pipe) = make(in: folder.url)
        var (sent, received) = (Data(), Data())
        for round in 0..<5 {
            for index in 0..<100 {
                let chunk = patternedData(10_000 + round * 100 + index)
                backlog.receive(chunk)
                sent += chunk
            }
            while received.count < sent.count, let batch = try await pipe.nextBatch() {
                for chunk in batch {
                    #expect(chunk.count <= 400_000)
                    received += chunk
                }
                if round == 3 { break }
            }
        }
        backlog.finish(.success(()))
        while let batch = try await pipe.nextBatch() { for chunk in batch { received += chunk } }
        #expect(received == sent)
        #expect(folder.contents.isEmpty)
    }

    @Test("A backlog above its limit ends with .readerTooSlow, and without a folder with .temporaryFileFailed")
    func spillFailures() async throws {
        let folder = try TemporaryFolder()
        for (place, limit, code) in [
            (folder.url, 1000, AsyncNetError.Code.readerTooSlow),
            (URL(filePath: "/nowhere"), .max, .temporaryFileFailed),
        ] as [(URL, Int64, AsyncNetError.Code)] {
            let aborts = Counter()
            let (backlog, pipe) = make(in: place, limit: limit, onAbort: { aborts.add() })
            for _ in 0..<10 { backlog.receive(Data(count: 100_000)) }
            #expect(aborts.value == 1)
            await #expect { try await pipe.nextBatch() } throws: { ($0 as? AsyncNetError)?.code == code }
        }
    }

    @Test("A body above its limit aborts the transfer once with .bodyTooLarge although nobody reads it")
    func bodyLimit() async throws {
        let folder = try TemporaryFolder()
        let aborts = Counter()
        let (backlog, pipe) = make(in: folder.url, bodyLimit: 1_000_000, onAbort: { aborts.add() })
        for _ in 0..<20 { backlog.receive(Data(count: 100_000)) }
        #expect(aborts.value == 1 && pipe.isEnded)
        await #expect { try await pipe.nextBatch() } throws: { ($0 as? AsyncNetError)?.code == .bodyTooLarge }
    }

    @Test("A failure after the end does not change a backlog that is still to be read")
    func firstEnd() async throws {
        let folder = try TemporaryFolder()
        let (backlog, pipe) = make(in: folder.url)
        for _ in 0..<10 { backlog.receive(Data(count: 100_000)) }
        backlog.finish(.success(()))
        backlog.finish(.failure(AsyncNetError(.cancelled)))
        var received = 0
        while let batch = try await pipe.nextBatch() { received += batch.reduce(0) { $0 + $1.count } }
        #expect(received == 1_000_000)
    }

    @Test("A backlog that is written and read at the same time delivers all bytes in order")
    func concurrentSpilling() async throws {
        let folder = try TemporaryFolder()
        let (backlog, pipe) = make(in: folder.url)
        let total = 20_000_000
        let data = patternedData(total)
        let writer = Task.detached {
            var offset = 0
            while offset < total {
                let count = min(16_384, total - offset)
                backlog.receive(data.subdata(in: offset..<offset + count))
                offset += count
                if offset % 1_000_000 < 16_384 { await Task.yield() }
            }
            backlog.finish(.success(()))
        }
        var received = Data()
        while let batch = try await pipe.nextBatch() {
            for chunk in batch { received += chunk }
            if received.count % 3 == 0 { await Task.yield() }
        }
        #expect(received == data)
        await writer.value
    }

    @Test(
        "A reader that has read the whole file so far waits for the bytes that are still written",
        arguments: [10_000, 60_000, 130_000, 250_000])
    func catchingUp(_ size: Int) async throws {
        let folder = try TemporaryFolder()
        let total = size * 30
        for _ in 0..<100 {
            let (backlog, pipe) = make(in: folder.url)
            for _ in 0..<10 { backlog.receive(Data(count: size)) }
            let writer = Task.detached {
                for _ in 0..<20 { backlog.receive(Data(count: size)) }
                backlog.finish(.success(()))
            }
            var received = 0
            while let batch = try await pipe.nextBatch() { received += batch.reduce(0) { $0 + $1.count } }
            #expect(received == total)
            await writer.value
        }
    }
}
