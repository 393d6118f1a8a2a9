import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// What a server does while the producer of an upload has nothing to give.
@Suite("Uploads that wait for their producer", .timeLimit(.minutes(5)))
struct PausedUploadTests {
    private func outcome(_ script: String, over transport: TransportUnderTest = .libcurl) async throws -> DataResponse<
        String, AsyncNetError
    > {
        let server = try RawServer(script)
        let (stream, input) = AsyncStream.makeStream(of: Data.self)
        input.yield(Data(count: 10))
        let response = await transport.session().upload(.stream(stream), to: try server.url).serializing(String.self)
            .response
        input.finish()
        return response
    }

    @Test(
        "A server that closes the connection ends an upload that waits for its producer",
        arguments: [
            "c.close()", "c.shutdown(socket.SHUT_WR)",
            "c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))\nc.close()",
        ])
    func closed(_ script: String) async throws {
        let response = try await outcome("c.recv(100)\n\(script)")
        // libcurl 8 sees the close by itself, as the lack of a response.
        #expect([.connectionLost, .emptyReply].contains(response.error?.code), "\(response)")
    }

    @Test(
        "An early response is delivered while the upload waits for its producer",
        arguments: [413, 401, 500, 307],
        ["", "\nc.close()"])
    func refused(_ status: Int, _ end: String) async throws {
        let response = try await outcome(
            "c.sendall(b'HTTP/1.1 \(status) No\\r\\nContent-Length: 2\\r\\n\\r\\nno')\(end)")
        #expect(response.statusCode == status, "\(response)")
        #expect(response.value == "no", "\(response)")
    }

    @Test("After an interim response an upload waits for its producer without a timeout")
    func informational() async throws {
        let clock = TestClock()
        let server = try RawServer(
            "c.sendall(b'HTTP/1.1 103 Early Hints\\r\\n\\r\\n')\nbody = b''\nwhile not body.endswith(b'0\\r\\n\\r\\n'): body += c.recv(1000)\nc.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok')"
        )
        let (stream, input) = AsyncStream.makeStream(of: Data.self)
        let asked = Counter()
        let body = RequestBody.stream(
            AsyncStream {
                asked.add()
                var next = stream.makeAsyncIterator()
                return await next.next()
            })
        let listening = ListeningTransport(LibcurlTransport())
        let request = Session(transport: listening, configuration: .init(timeout: .seconds(5), clock: clock)).upload(
            body, to: try server.url)
        let events = request.events
        let task = Task { await request.serializing(String.self).result }
        for await event in events { if case .informational = event { break } }
        await asked.reaches(1)
        await listening.awaitsBody()
        for _ in 0..<5 {
            clock.advance(by: .seconds(100))
            for _ in 0..<100 { await Task.yield() }
        }
        input.yield(Data(count: 10))
        input.finish()
        #expect(try await task.value.get() == "ok")
    }

    @Test(
        "After a cancel, a body sequence that never suspends is not read any more",
        arguments: TransportUnderTest.allCases)
    func endlessEmptyChunks(_ transport: TransportUnderTest) async throws {
        try await withServer { (server: MockServer) async throws in
            let (asked, ended) = (Gate(), Gate())
            func start() -> UploadRequest {
                transport.session().upload(.stream(Endless(asked: asked, ended: ended)), to: server.url())
            }
            let task = Task { await start().serializing(Data.self).result }
            await asked.wait()
            task.cancel()
            #expect(await task.value.failure?.code == .cancelled)
            await ended.wait()
        }
    }

    @Test(
        "finish() returns even if the producer of a cancelled upload never ends", arguments: TransportUnderTest.allCases
    )
    func finish(_ transport: TransportUnderTest) async throws {
        try await withServer { (server: MockServer) async throws in
            let (asked, release) = (Gate(), DispatchSemaphore(value: 0))
            let session = transport.session()
            let request = session.upload(
                .stream(
                    AsyncStream<Data> {
                        asked.open()
                        wait(for: release)
                        return nil
                    }), to: server.url())
            let task = Task { await request.serializing(Data.self).result }
            await asked.wait()
            task.cancel()
            #expect(await task.value.failure?.code == .cancelled)
            await session.finish()
            release.signal()
        }
    }
}

private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

/// Opens its gate with its last holder.
private final class Token: Sendable {
    private let gate: Gate
    init(_ gate: Gate) { self.gate = gate }
    deinit { gate.open() }
}

private struct Endless: AsyncSequence, Sendable {
    let asked: Gate
    let ended: Gate

    /// The sequence itself may be kept, by the error that knows the request.
    func makeAsyncIterator() -> Iterator { Iterator(asked: asked, token: Token(ended)) }

    struct Iterator: AsyncIteratorProtocol {
        let asked: Gate
        let token: Token
        mutating func next() async -> Data? {
            asked.open()
            return Data()
        }
    }
}
