import AsyncNet
import AsyncNetHummingbird
import AsyncNetMonitors
import AsyncNetTesting
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing
import Tracing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A Hummingbird application as a transport", .timeLimit(.minutes(1)))
struct HummingbirdTransportTests {
    private let router = Router()

    private func session(_ configuration: SessionConfiguration = .init()) async throws -> Session {
        Session(transport: try await HummingbirdTransport(Application(router: router)), configuration: configuration)
    }

    @Test("Method, path, query and headers reach the handler, and its response comes back")
    func roundTrip() async throws {
        router.patch("users/:id") { request, context in
            let id = try context.parameters.require("id")
            let text = "\(id) \(request.uri.query ?? "") \(request.headers[values: .init("X-Many")!])"
            return Response(
                status: .created, headers: [.init("X-Host")!: request.head.authority ?? ""],
                body: .init(byteBuffer: ByteBuffer(string: text)))
        }
        let request = try await session().request(
            "http://api.example.com:8080/users/7?a=b%20c", method: .patch, headers: ["X-Many": "1"])
        let response = await request.serializing(String.self).response
        #expect(response.value == "7 a=b%20c [\"1\"]")
        #expect(response.response?.statusCode == 201)
        #expect(response.response?.value(forHTTPHeaderField: "X-Host") == "api.example.com:8080")
    }

    @Test("A body has its length, and bodies come back whole", arguments: [0, 1, 1_000_000])
    func bodies(count: Int) async throws {
        router.post("echo") { request, _ in
            let body = try await request.body.collect(upTo: 2_000_000)
            return Response(
                status: .ok, headers: [.init("X-Length")!: request.headers[.contentLength] ?? "none"],
                body: .init(byteBuffer: body))
        }
        let sent = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        let response = try await session().upload(.data(sent), to: "http://localhost/echo").serializing(Data.self)
            .response
        #expect(response.data ?? Data() == sent)
        #expect(response.response?.value(forHTTPHeaderField: "X-Length") == "\(count)")
    }

    @Test("Bodies stream both ways, as fast as the response is read")
    func streams() async throws {
        router.post("echo") { request, _ in Response(status: .ok, body: .init(asyncSequence: request.body)) }
        let made = Counter()
        let stream = try await session().stream(
            "http://localhost/echo", method: .post, body: AsyncNet.RequestBody.stream(Endless(made)))
        var received = 0
        for try await chunk in stream.chunks {
            received += chunk.count
            #expect(made.value <= received / Endless.size + 8, "The source was read far ahead of the reader")
            if received >= 20 * Endless.size { break }
        }
        #expect(received >= 20 * Endless.size)
    }

    @Test("Cancelling a request cancels its handler")
    func cancelHandler() async throws {
        let (begun, cancelled) = (Gate(), Gate())
        router.get("slow") { _, _ in
            begun.open()
            await Gate().wait()
            if Task.isCancelled { cancelled.open() }
            return "late"
        }
        let request = try await session().get("http://localhost/slow")
        async let error = request.serializing(String.self).response.error
        await begun.wait()
        await request.cancel()
        #expect(await error?.code == .cancelled)
        await cancelled.wait()
    }

    @Test("Leaving a stream cancels the closure that writes its body")
    func cancelWriter() async throws {
        let cancelled = Gate()
        router.get("endless") { _, _ in
            Response(
                status: .ok,
                body: .init { writer in
                    defer { cancelled.open() }
                    while true { try await writer.write(ByteBuffer(string: "more")) }
                })
        }
        for try await chunk in try await session().stream("http://localhost/endless").chunks {
            #expect(chunk == Data("more".utf8))
            break
        }
        await cancelled.wait()
    }

    @Test(
        "Errors of handlers are responses, as of a server", arguments: [("teapot", 418), ("fault", 500), ("none", 404)])
    func errors(path: String, status: Int) async throws {
        struct Fault: Error {}
        router.get("teapot") { _, _ -> String in throw HTTPError(.init(code: 418), message: "short and stout") }
        router.get("fault") { _, _ -> String in throw Fault() }
        let response = try await session().get("http://localhost/\(path)").serializing(Data.self).response
        #expect(response.response?.statusCode == status)
    }

    @Test("A response whose body fails ends early")
    func failingBody() async throws {
        struct Fault: Error {}
        router.get("broken") { _, _ in
            Response(
                status: .ok,
                body: .init { writer in
                    try await writer.write(ByteBuffer(string: "some"))
                    throw Fault()
                })
        }
        let error = try await session().get("http://localhost/broken").serializing(Data.self).response.error
        #expect(error?.code == .bodyEndedEarly)
        #expect(error?.underlyingError is Fault)
    }

    @Test("A request whose body fails ends with the body's error")
    func failingUpload() async throws {
        struct Fault: Error {}
        router.post("echo") { request, _ in try await request.body.collect(upTo: 100) }
        let chunks = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Fault()) }
        let request = try await session().upload(.stream(chunks), to: "http://localhost/echo")
        let error = await request.serializing(Data.self).response.error
        #expect(error?.code == .bodyStreamFailed)
        #expect(error?.underlyingError is Fault)
    }

    @Test("Responses to HEAD and 204 have no body, and trailers arrive")
    func heads() async throws {
        router.head("page") { _, _ in "page" }
        router.get("empty") { _, _ in Response(status: .noContent) }
        router.get("trailers") { _, _ in
            Response(status: .ok, body: .init { writer in try await writer.finish([.init("X-End")!: "1"]) })
        }
        let session = try await session()
        let head = await session.head("http://localhost/page").serializing(Data.self).response
        #expect(head.response?.value(forHTTPHeaderField: "Content-Length") == "4")
        #expect(head.data?.isEmpty != false)
        #expect(await session.get("http://localhost/empty").serializing(Data.self).response.response?.statusCode == 204)
        #expect(
            await session.get("http://localhost/trailers").serializing(Data.self).response.trailers?["X-End"] == "1")
    }

    @Test("The session decodes the body's content coding")
    func contentCoding() async throws {
        // "hello", compressed by gzip.
        let zipped = try #require(Data(base64Encoded: "H4sIAAAAAAAC/8tIzcnJBwCGphA2BQAAAA=="))
        router.get("zipped") { _, _ in
            Response(
                status: .ok, headers: [.contentEncoding: "gzip"], body: .init(byteBuffer: ByteBuffer(bytes: zipped)))
        }
        #expect(try await session().get("http://localhost/zipped").serializing(String.self).value == "hello")
    }

    @Test("Progress of an upload is what the handler has read")
    func progress() async throws {
        router.post("echo") { request, _ in try await request.body.collect(upTo: 100) }
        let request = try await session().upload(.data(Data(count: 100)), to: "http://localhost/echo")
        async let received = request.serializing(Data.self).value
        var last: Int64 = 0
        for await progress in request.uploadProgress { last = progress.completedBytes }
        #expect(last == 100)
        #expect(try await received.count == 100)
    }

    @Test("A handler sees the task's values, but no trace of the client")
    func taskValues() async throws {
        router.get("values") { _, _ in
            "\(Tag.current) \(TraceContext.current == nil) \(ServiceContext.current == nil)"
        }
        let session = try await session()
        let text = try await Tag.$current.withValue("test") {
            try await TraceContext.$current.withValue(TraceContext()) {
                try await ServiceContext.$current.withValue(.topLevel) {
                    try await session.get("http://localhost/values").serializing(String.self).value
                }
            }
        }
        #expect(text == "test true true")
    }
}

private enum Tag {
    @TaskLocal static var current = "none"
}
