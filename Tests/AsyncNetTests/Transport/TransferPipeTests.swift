import Foundation
import Testing

@testable import AsyncNet

@Suite("Transfer pipe", .timeLimit(.minutes(5)))
struct TransferPipeTests {
    let head: HTTPResponseHead

    init() throws { head = HTTPResponseHead(statusCode: 200, url: try "http://a/".asURL()) }

    @Test("The pipe delivers the head, the chunks in order, and then nil")
    func order() async throws {
        let pipe = TransferPipe(.asItArrives)
        async let received = pipe.head()
        pipe.receive(head)
        #expect(try await received.statusCode == 200)
        _ = pipe.receive(Data([1]))
        _ = pipe.receive(Data([2]))
        pipe.finish(.success(()))
        #expect(try await pipe.nextBatch() == [Data([1]), Data([2])])
        #expect(try await pipe.nextBatch() == nil)
        #expect(try await pipe.nextBatch() == nil)
    }

    @Test("A response that has arrived whole has its body in memory; any other body is read from the pipe")
    func wholeResponse() async throws {
        let whole = TransferPipe(.whole)
        whole.finish(head, Data([1, 2]), .success(()))
        let response = try await whole.response()
        #expect(response.head.statusCode == 200 && response.body.data != nil)
        #expect(try await response.body.reduce(into: Data()) { $0 += $1 } == Data([1, 2]))
        let broken = TransferPipe(.whole)
        broken.finish(head, Data([3]), .failure(AsyncNetError(.connectionLost)))
        let body = try await broken.response().body
        #expect(body.data == nil)
        var chunks = body.makeAsyncIterator()
        #expect(try await chunks.next() == Data([3]))
        do {
            _ = try await chunks.next()
            Issue.record("the broken body ended well")
        } catch { #expect((error as? AsyncNetError)?.code == .connectionLost) }
        let running = TransferPipe(.asItArrives)
        running.receive(head)
        #expect(try await running.response().body.data == nil)
        #expect(running.isEnded)
    }

    @Test("An error is delivered after the bytes received before it")
    func error() async throws {
        let pipe = TransferPipe(.asItArrives)
        pipe.receive(head)
        _ = pipe.receive(Data([1]))
        pipe.finish(.failure(AsyncNetError(.connectionLost)))
        #expect(try await pipe.head().statusCode == 200)
        #expect(try await pipe.nextBatch() == [Data([1])])
        let error = await #expect(throws: AsyncNetError.self) { try await pipe.nextBatch() }
        #expect(error?.code == .connectionLost)
    }

    @Test("An abort resumes the reader, calls onAbort once, and drops later chunks")
    func abort() async throws {
        let (pipe, aborts) = (TransferPipe(.asItArrives), Counter())
        pipe.connect(onAbort: { aborts.add() })
        let reader = Task { try await pipe.head() }
        reader.cancel()
        let error = await #expect(throws: AsyncNetError.self) { try await reader.value }
        #expect(error?.code == .cancelled)
        pipe.abort(AsyncNetError(.timedOut))
        pipe.receive(head)
        _ = pipe.receive(Data([1]))
        pipe.finish(.success(()))
        #expect(aborts.value == 1)
        #expect(pipe.isEnded)
    }

    @Test("onAbort that is set after the abort is called at once")
    func lateHook() {
        let (pipe, aborts) = (TransferPipe(.asItArrives), Counter())
        pipe.abort(AsyncNetError(.cancelled))
        pipe.connect(onAbort: { aborts.add() })
        #expect(aborts.value == 1)
    }

    @Test("A full buffer pauses the transport, and reading it resumes the transport")
    func backPressure() async throws {
        let (pipe, demands) = (TransferPipe(.asItArrives), Counter())
        pipe.connect(onAbort: {}, onDemand: { demands.add() })
        pipe.receive(head)
        #expect(pipe.receive(Data(count: 256 * 1024)) == .more)
        #expect(pipe.receive(Data(count: 1)) == .pause)
        #expect(try await pipe.nextBatch()?.count == 2)
        #expect(demands.value == 1)
        pipe.finish(.success(()))
    }

    @Test("With delivery .whole the reader is resumed by a full buffer and at the end of the body")
    func whole() async throws {
        let pipe = TransferPipe(.whole)
        async let received = pipe.head()
        pipe.receive(head)
        _ = pipe.receive(Data(count: 300 * 1024))
        #expect(try await received.statusCode == 200)
        #expect(try await pipe.nextBatch()?.count == 1)
        async let rest = pipe.nextBatch()
        _ = pipe.receive(Data([1]))
        pipe.finish(.success(()))
        #expect(try await rest == [Data([1])])
    }

    @Test(
        "With delivery .whole the head of a 3xx, 4xx, 5xx or urgent response is delivered at once",
        arguments: [302, 404, 503, 201])
    func urgent(_ status: Int) async throws {
        let pipe = TransferPipe(.whole, isUrgent: { $0.statusCode == 201 })
        async let received = pipe.head()
        pipe.receive(HTTPResponseHead(statusCode: status, url: head.url))
        #expect(try await received.statusCode == status)
        #expect(pipe.delivery == .asItArrives)
        async let batch = pipe.nextBatch()
        _ = pipe.receive(Data([1]))
        #expect(try await batch == [Data([1])])
        pipe.finish(.success(()))
        let calm = TransferPipe(.whole, isUrgent: { $0.statusCode == 201 })
        calm.receive(head)
        #expect(calm.delivery == .whole)
    }

    @Test("Releasing the TransportBody aborts its transfer once")
    func dropped() {
        let (pipe, aborts) = (TransferPipe(.asItArrives), Counter())
        pipe.connect(onAbort: { aborts.add() })
        do { _ = TransportBody(pipe) }
        #expect(aborts.value == 1)
    }

    @Test("Finish, abort and cancel at the same moment resume the reader exactly once")
    func race() async {
        for _ in 0..<2000 {
            let pipe = TransferPipe(.asItArrives)
            let reader = Task { try? await pipe.head() }
            async let finished: Void = pipe.finish(.success(()))
            async let aborted: Void = pipe.abort(AsyncNetError(.cancelled))
            reader.cancel()
            _ = await (finished, aborted, reader.value)
            #expect(pipe.isEnded)
        }
    }
}
