import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

/// Streams that write a body while they read another, that outlive their reader, and trailers.
@Suite("Bodies of streams", .timeLimit(.minutes(5)))
struct StreamBodiesTests {
    @Test("A response is read while its request's body is still being sent", arguments: [TransportUnderTest.libcurl])
    func bothWays(_ transport: TransportUnderTest) async throws {
        // Sends each chunk of the request's body back as soon as it has arrived.
        let server = try RawServer(
            """
            c.sendall(b"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n")
            f = c.makefile("rb")
            while True:
                size = int(f.readline(), 16)
                data = f.read(size)
                f.readline()
                c.sendall(b"%x\\r\\n%s\\r\\n" % (size, data))
                if size == 0: break
            """)
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data("0".utf8))
        var read: [String] = []
        for try await chunk in transport.session().stream(try server.url, body: .stream(chunks)).chunks {
            read.append(String(decoding: chunk, as: UTF8.self))
            // The next chunk is sent only after the last one came back.
            if read.count < 5 { continuation.yield(Data("\(read.count)".utf8)) } else { continuation.finish() }
        }
        #expect(read == ["0", "1", "2", "3", "4"])
    }

    @Test("Leaving the loop cancels the request unless automaticallyCancelling is false", arguments: [true, false])
    func leaving(_ isCancelling: Bool) async throws {
        let stub = StubTransport { _ in .chunked((0..<20).map { "\($0)\n" }) }
        let request = Session(transport: stub).stream("http://a/")
        for try await line in request.lines(automaticallyCancelling: isCancelling) where line == "3" { break }
        for await _ in request.events {}
        #expect(await request.state == (isCancelling ? .cancelled : .finished))
        if !isCancelling { #expect(request.metrics.receivedBytes == 50) }
    }

    @Test("Cancelling the reader does not cancel the request if automaticallyCancelling is false")
    func cancelledReader() async throws {
        let gate = Gate()
        let request = Session(transport: StubTransport { _ in .chunked(["a", "b", "c"]) }).stream("http://a/")
        let reader = Task {
            for try await _ in request.chunks(automaticallyCancelling: false) { await gate.wait() }
        }
        _ = try await request.head
        reader.cancel()
        for await _ in request.events {}
        #expect(await request.state == .finished)
    }

    @Test("A response has the trailers sent after its body", arguments: [TransportUnderTest.libcurl])
    func trailers(_ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start()
        await server.enqueue(.chunked(["a"], trailers: ["X-Checksum": "1"]), .text("b"))
        let session = transport.session()
        let response = await session.request(server.url()).serializing(String.self).response
        #expect(response.value == "a" && response.trailers?["X-Checksum"] == "1")
        #expect(await session.request(server.url()).serializing(String.self).response.trailers == nil)
        await server.stop()
    }

    @Test("A stream's parameters are its query, and its body for POST")
    func parameters() async throws {
        let stub = StubTransport { request in
            .text("\(request.query ?? "") \(request.text)")
        }
        let session = Session(transport: stub)
        for try await line in session.stream("http://a/", parameters: ["a": 1]).lines { #expect(line == "a=1 ") }
        for try await line in session.stream("http://a/", method: .post, parameters: ["a": 1]).lines {
            #expect(line == #" {"a":1}"#)
        }
    }
}
