import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// 421 and 425: the server did not process the request because of its connection, so that any method is sent again.
@Suite("Requests that are sent again after 421 and 425", .timeLimit(.minutes(5)))
struct SentAgainTests {
    private static let overSockets: [TransportUnderTest] = [.sockets, .http2]

    /// Refuses the first requests, and says what it got.
    private func stub(_ status: Int, times: Int = 1) -> StubTransport {
        let count = Counter()
        return StubTransport { request in
            count.next() <= times ? .text("refused", status: status) : .text("\(request.method) \(request.text)")
        }
    }

    @Test(
        "A request of any method that gets a 421 or 425 is sent again with its method and body", arguments: [421, 425],
        ["GET", "POST", "PATCH", "QUERY"])
    func methods(_ status: Int, _ method: String) async throws {
        let stub = stub(status)
        let request = Session(transport: stub).upload(
            .data(Data("body".utf8)), to: "http://a/", method: HTTPMethod(rawValue: method))
        let endings = Locked<[String]>([])
        let events = request.events
        let response = await request.serializing(String.self).response
        for await case .hopEnded(let hop) in events { endings.withLock { $0.append("\(hop)") } }
        #expect(try response.result.get() == "\(method) body")
        #expect(response.metrics.hops.map(\.statusCode) == [status, 200])
        #expect(response.metrics.attempts == 1)
        #expect(
            endings.withLock { $0.map { $0.prefix(20) } } == ["sent again after \(status)", "delivered 200 after "])
    }

    @Test(
        "A second 421 or 425 is delivered, and the first one if the body can be sent only once",
        arguments: [421, 425])
    func refusedAgain(_ status: Int) async {
        let stub = stub(status, times: 5)
        let response = await Session(transport: stub).get("http://a/").serializing(String.self).response
        #expect(response.statusCode == status && response.value == "refused")
        #expect(stub.requests.count == 2)
        let body = RequestBody.stream(
            AsyncStream {
                $0.yield(Data("a".utf8))
                $0.finish()
            })
        let upload = await Session(transport: stub).upload(body, to: "http://a/").serializing(String.self).response
        #expect(upload.statusCode == status)
        #expect(stub.requests.count == 3)
    }

    @Test("A request that gets a 421 and then a 401 is sent a third time, with credentials")
    func challenge() async throws {
        let count = Counter()
        let stub = StubTransport { request in
            switch count.next() {
            case 1: .status(421)
            case 2: .status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
            default: .text(request.headers["Authorization"] ?? "")
            }
        }
        let value = try await Session(transport: stub).post("http://a/").authenticate(username: "u", password: "p")
            .serializing(String.self).value
        #expect(value == "Basic dTpw")
    }

    @Test("A 421 or 425 with max-age is not stored", arguments: [421, 425])
    func cached(_ status: Int) async {
        let count = Counter()
        let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Content-Length": "1"]
        let site = CachedSite { _ in .text("\(count.next())", status: count.value == 1 ? status : 200, headers: headers)
        }
        #expect(await site.get().summary == "miss 2")
        #expect(await site.get().summary == "hit 2")
    }

    @Test("After a 421 the request and later ones use a new connection", arguments: overSockets)
    func newConnection(_ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start(speaks: .both)
        server.on(nil, "/") { request in
            .text("\(request.method) \(request.connection)", status: request.connection == 1 ? 421 : 200)
        }
        let session = transport.session()
        for _ in 0..<2 {
            let value = try await session.post(server.url("/")).serializing(String.self).value
            #expect(value == "POST 2")
        }
        #expect(server.requests.map(\.connection) == [1, 2, 2])
        await session.finish()
        await server.stop()
    }

    @Test("After a 421 the request opens a new connection, although another kept connection is idle")
    func passedOver() async throws {
        let server = try await MockServer.start()
        let arrived = Counter()
        let refuses = Locked(false)
        server.on(nil, "/") { request in
            arrived.add()
            await arrived.reaches(2)
            return .text("\(request.connection)", status: refuses.withLock { $0 } && request.connection < 3 ? 421 : 200)
        }
        let session = TransportUnderTest.sockets.session()
        async let one = session.get(server.url("/")).serializing(String.self).value
        async let other = session.get(server.url("/")).serializing(String.self).value
        #expect(try await Set([one, other]) == ["1", "2"])
        refuses.withLock { $0 = true }
        #expect(try await session.get(server.url("/")).serializing(String.self).value == "3")
        #expect(server.requests.count == 4)
        await session.finish()
        await server.stop()
    }

    @Test("After a 425 the request is sent again on the same connection", arguments: overSockets)
    func sameConnection(_ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start(speaks: .both)
        let count = Counter()
        server.on(nil, "/") { request in
            .text("\(request.connection)", status: count.next() == 1 ? 425 : 200)
        }
        let session = transport.session()
        #expect(try await session.post(server.url("/")).serializing(String.self).value == "1")
        #expect(server.requests.map(\.connection) == [1, 1])
        await session.finish()
        await server.stop()
    }

    @Test("After a 421 libcurl sends the request again on a new connection")
    func libcurl() async throws {
        let server = try await MockServer.start()
        server.on(nil, "/") { request in .text("\(request.connection)", status: request.connection == 1 ? 421 : 200) }
        let session = TransportUnderTest.libcurl.session()
        #expect(try await session.get(server.url("/")).serializing(String.self).value == "2")
        await session.finish()
        await server.stop()
    }
}
