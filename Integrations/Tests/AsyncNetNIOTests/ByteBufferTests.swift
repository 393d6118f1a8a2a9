import AsyncNet
import AsyncNetNIO
import AsyncNetTesting
import Foundation
import NIOCore
import Testing

@Suite("Bodies of byte buffers", .timeLimit(.minutes(1)))
struct ByteBufferTests {
    private let url = "http://example.com/"

    /// A buffer of which `text` is readable, between bytes that are not.
    private func buffer(_ text: String) -> ByteBuffer {
        var buffer = ByteBuffer(string: "<" + text)
        buffer.moveReaderIndex(forwardBy: 1)
        return buffer
    }

    @Test("A buffer's readable bytes are sent with their length, and received in a buffer")
    func roundTrip() async throws {
        let server = try await MockServer.start()
        server.on(.post, "/") { request in .text("got \(request.text)") }
        let session = Session()
        let answer = try await session.upload(.byteBuffer(buffer("hello")), to: server.url())
            .serializing(using: .byteBuffer).value
        #expect(answer == ByteBuffer(string: "got hello"))
        #expect(try await server.takeRequest().headers["Content-Length"] == "5")
        await server.stop()
    }

    @Test("Writing to a buffer does not change a body that was made of it")
    func isolation() throws {
        var buffer = buffer("hello")
        let body = RequestBody.byteBuffer(buffer)
        buffer.setString("HELLO", at: buffer.readerIndex)
        #expect(body.data == Data("hello".utf8))
        #expect(RequestBody.byteBuffer(ByteBuffer()).data == Data())
    }

    @Test("A body has the buffer's memory")
    func noCopy() throws {
        let buffer = buffer(String(repeating: "a", count: 100_000))
        let data = try #require(RequestBody.byteBuffer(buffer).data)
        let isSame = buffer.withUnsafeReadableBytes { bytes in
            data.withUnsafeBytes { $0.baseAddress == bytes.baseAddress }
        }
        #expect(isSame)
    }

    @Test("A response without a body is an empty buffer")
    func empty() async throws {
        let session = Session(transport: StubTransport { _ in .status(204) })
        #expect(try await session.get(url).serializing(using: .byteBuffer).value == ByteBuffer())
    }

    @Test("A sequence of buffers is sent as a stream, with a length if it is given", arguments: [nil, 6] as [Int64?])
    func stream(length: Int64?) async throws {
        let server = try await MockServer.start()
        server.on(.put, "/") { request in .text(request.text) }
        let buffers = Buffers([buffer("one"), buffer("two")])
        let text = try await Session().upload(.stream(buffers, length: length), to: server.url(), method: .put)
            .serializing(String.self).value
        #expect(text == "onetwo")
        #expect(try await server.takeRequest().headers["Content-Length"] == length.map { "\($0)" })
        await server.stop()
    }

    @Test("A body is sent again if its sequence can be made again")
    func replay() async throws {
        let stub = StubTransport()
        stub.on(.put, "/", replies: .redirect(to: "/there", status: 307))
        stub.on(.put, "/there") { request in .text(request.text) }
        let session = Session(transport: stub)
        let buffers = Buffers([buffer("one")])
        let repeatable = RequestBody.stream { buffers }
        #expect(try await session.upload(repeatable, to: url, method: .put).serializing(String.self).value == "one")
        let error = await session.upload(.stream(buffers), to: url, method: .put).serializing(String.self).response
            .error
        #expect(error?.code == .redirectFailed)
    }

    @Test("An error of the sequence ends the request")
    func failure() async {
        struct Failure: Error {}
        let buffers = AsyncThrowingStream<ByteBuffer, any Error> { $0.finish(throwing: Failure()) }
        let session = Session(transport: StubTransport { request in .text(request.text) })
        let error = await session.upload(.stream(buffers), to: url).serializing(String.self).response.error
        #expect(error?.code == .bodyStreamFailed)
        #expect(error?.underlyingError is Failure)
    }

    @Test("A response's chunks arrive as buffers, and leaving the loop ends the request")
    func chunks() async throws {
        let server = try await MockServer.start()
        await server.enqueue(.chunked(["one", "two"]), .text("more").with(.stallMidBody(after: 2)))
        let session = Session()
        var all = ByteBuffer()
        for try await var buffer in session.stream(server.url()).chunks.byteBuffers { all.writeBuffer(&buffer) }
        #expect(all == ByteBuffer(string: "onetwo"))
        let stream = session.stream(server.url())
        for try await buffer in stream.chunks.byteBuffers {
            #expect(buffer.readableBytes > 0)
            break
        }
        await session.finish()
        await server.stop()
    }

    @Test("Buffers are asked for as fast as a server reads them")
    func backPressure() async throws {
        let made = Made()
        let session = Session(transport: FirstChunk())
        let response = await session.upload(.stream(Endless(made)), to: url).serializing(Data.self).response
        #expect(response.data?.count == Endless.size)
        #expect(made.count < 64, "The sequence was read far ahead of the transport")
    }
}
