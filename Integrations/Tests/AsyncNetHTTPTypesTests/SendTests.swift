import AsyncNet
import AsyncNetHTTPTypes
import AsyncNetTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@Suite("Sending requests of swift-http-types", .timeLimit(.minutes(1)))
struct SendTests {
    @Test("Method, target, fields and body reach a server, and its response comes back")
    func roundTrip() async throws {
        let server = try await MockServer.start()
        await server.enqueue(.chunked(["one", "two"], headers: ["X-Two: 1", "X-Two: 2"]))
        var request = server.request(method: .patch, "/a%2Fb?q=1&q=2")
        for value in ["1", "2"] { request.headerFields.append(HTTPField(name: .init("X-Many")!, value: value)) }
        request.headerFields[.cookie] = "a=1; b=2"
        let (response, body) = try await Session().send(request, body: .data(Data("hello".utf8)))
        #expect(response.status == .ok)
        #expect(response.status.reasonPhrase == "OK")
        #expect(response.headerFields[values: .init("X-Two")!] == ["1", "2"])
        #expect(try await body.text == "onetwo")
        let seen = try await server.takeRequest()
        #expect(seen.method == .patch)
        #expect(seen.target == "/a%2Fb?q=1&q=2")
        #expect(seen.headers.values(for: "X-Many") == ["1", "2"])
        #expect(seen.headers.values(for: "Cookie") == ["a=1; b=2"])
        #expect(seen.text == "hello")
        await server.stop()
    }

    @Test("Without a body none is sent, and HEAD, 204 and 404 are responses with their bodies")
    func withoutBody() async throws {
        let server = try await MockServer.start()
        await server.enqueue(.text("unsent"), .status(204), .text("lost", status: 404))
        let session = Session()
        for (method, status, text) in [(HTTPRequest.Method.head, 200, ""), (.get, 204, ""), (.delete, 404, "lost")] {
            let (response, body) = try await session.send(server.request(method: method))
            #expect(response.status.code == status)
            #expect(try await body.text == text)
            #expect(try await server.takeRequest().headers["Content-Length"] == nil)
        }
        await server.stop()
    }

    @Test("A body of chunks is sent as it is made, and a response's while it is read")
    func streamsBothWays() async throws {
        let made = Counter()
        let (response, body) = try await Session(transport: Echo()).send(.example, body: .stream(Endless(made)))
        #expect(response.status == .ok)
        var received = 0
        for try await chunk in body {
            received += chunk.count
            #expect(made.value <= received / Endless.size + 8, "The source was read far ahead of the reader")
            if received >= 20 * Endless.size { break }
        }
        #expect(received >= 20 * Endless.size)
        await made.ended()
    }

    @Test("In a cancelled task nothing is sent")
    func cancelled() async throws {
        let stub = StubTransport { _ in .text("") }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Session(transport: stub).send(.example)
        }
        let error = await #expect(throws: AsyncNetError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(stub.requests.isEmpty)
    }

    @Test("Cancelling the task that waits for the response ends the request")
    func cancelBeforeHead() async throws {
        let transport = Silent()
        let task = Task { try await Session(transport: transport).send(.example) }
        await transport.begun.wait()
        task.cancel()
        let error = await #expect(throws: AsyncNetError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        await transport.cancelled.wait()
    }

    @Test("Releasing a body that is not read ends the request")
    func releaseUnread() async throws {
        let transport = Held()
        do { _ = try await Session(transport: transport).send(.example) }
        await transport.released.wait()
    }

    @Test("An invalid request is refused before anything is sent")
    func invalid() async throws {
        let stub = StubTransport { _ in .text("") }
        let request = HTTPRequest(method: .connect, scheme: nil, authority: "a:443", path: nil)
        let error = await #expect(throws: AsyncNetError.self) { try await Session(transport: stub).send(request) }
        #expect(error?.code == .invalidRequest)
        #expect(stub.requests.isEmpty)
    }

    @Test("Options and the session's headers apply; a field replaces a header of its name")
    func policies() async throws {
        let stub = StubTransport { _ in .redirect(to: "/next") }
        let session = Session(transport: stub, configuration: .init(headers: ["X-Own: session", "X-Other: session"]))
        var request = HTTPRequest.example
        request.headerFields[.init("x-own")!] = "request"
        let (response, _) = try await session.send(request, options: RequestOptions(redirects: .doNotFollow))
        #expect(response.status.code == 302)
        let seen = try #require(stub.requests.first).headers
        #expect(seen.values(for: "X-Own") == ["request"])
        #expect(seen.values(for: "X-Other") == ["session"])
    }
}

extension MockServer {
    nonisolated func request(method: HTTPRequest.Method = .get, _ path: String = "/") -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: path)
    }
}

extension HTTPRequest {
    static let example = HTTPRequest(method: .post, scheme: "http", authority: "example.com", path: "/")
}

extension StreamChunks {
    var text: String {
        get async throws {
            var data = Data()
            for try await chunk in self { data += chunk }
            return String(decoding: data, as: UTF8.self)
        }
    }
}
