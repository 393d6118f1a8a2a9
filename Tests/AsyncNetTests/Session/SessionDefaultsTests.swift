import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a session's configuration sets for all its requests, and what a request sets for itself.
@Suite("Defaults of a session", .timeLimit(.minutes(5)))
struct SessionDefaultsTests {
    private struct Event: Codable, Equatable, Sendable {
        var userName: String
        var startsAt: Date
    }

    private static let json = #"{"user_name":"Ada","starts_at":"2026-01-31T12:00:00.500Z"}"#
    private static let event = Event(userName: "Ada", startsAt: Date(timeIntervalSince1970: 1_769_860_800.5))
    private static let snake = SessionConfiguration(
        decoder: .json(keys: .convertFromSnakeCase, dates: .iso8601),
        encoder: .json(keys: .convertToSnakeCase, dates: .iso8601, formatting: .sortedKeys))

    @Test("The session's decoder decodes responses, streams and downloads unless the call has its own")
    func decoder() async throws {
        let session = Session(transport: StubTransport { _ in .json(Self.json) }, configuration: Self.snake)
        #expect(try await session.request("http://a/").serializing(Event.self).value == Self.event)
        #expect(try await session.request("http://a/").decode(Event.self) == Self.event)
        #expect(try await session.download("http://a/").serializing(Event.self).value == Self.event)
        for try await event in session.stream("http://a/").decoding(Event.self) { #expect(event == Self.event) }
        let own = session.request("http://a/").serializing(Event.self, decoder: .json)
        #expect(await own.result.error?.code == .decodingFailed)
    }

    @Test("The session's encoder and form encoder encode parameters unless the call has its own")
    func encoder() async throws {
        let stub = StubTransport { _ in .status(204) }
        var configuration = Self.snake
        configuration.formEncoder = URLEncodedFormEncoder(keyEncoding: .convertToSnakeCase)
        let session = Session(baseURL: "http://a/", transport: stub, configuration: configuration)
        let parameters = ["userName": "Ada"]
        for request in [
            session.post("a", parameters: parameters), session.put("a", parameters: parameters),
            session.patch("a", parameters: parameters), session.request("a", method: .post, parameters: parameters),
            session.post("a", parameters: parameters, encoder: .urlEncodedForm),
            session.post("a", parameters: parameters, encoder: .json),
            session.get("a", parameters: parameters), session.delete("a", parameters: parameters),
            session.post("a", parameters: parameters, encoder: .query),
            session.get("a", parameters: parameters, encoder: .urlEncodedForm(encoder: URLEncodedFormEncoder())),
        ] {
            try await request.serializing(NoContent.self).value
        }
        let bodies = stub.requests.map { "\($0.query ?? "") \($0.text)" }
        let json = #" {"userName":"Ada"}"#
        // JSONEncoder's key strategy does not change the keys of dictionaries.
        #expect(bodies.prefix(4).allSatisfy { $0 == json })
        #expect(
            Array(bodies.dropFirst(4)) == [
                " user_name=Ada", json, "user_name=Ada ", "user_name=Ada ", "user_name=Ada ", "userName=Ada ",
            ])
    }

    @Test("The names and dates of parameters are encoded as the session's encoder says")
    func encodedNames() async throws {
        let stub = StubTransport { _ in .status(204) }
        let session = Session(transport: stub, configuration: Self.snake)
        var event = Self.event
        event.startsAt = Date(timeIntervalSince1970: 1_769_860_800)
        try await session.post("http://a/", parameters: event).serializing(NoContent.self).value
        #expect(
            stub.requests.map { $0.text }
                == [#"{"starts_at":"2026-01-31T12:00:00Z","user_name":"Ada"}"#])
    }

    @Test("A session's headers are added to the default headers, and replace default headers of the same name")
    func headers() async throws {
        let stub = StubTransport { _ in .status(204) }
        var configuration = SessionConfiguration(headers: ["X-App": "1"])
        try await Session(transport: stub, configuration: configuration).get("http://a/").serializing(NoContent.self)
            .value
        configuration.headers = ["User-Agent": "app"]
        try await Session(transport: stub, configuration: configuration).get("http://a/").serializing(NoContent.self)
            .value
        configuration.defaultHeaders = []
        try await Session(transport: stub, configuration: configuration).get("http://a/").serializing(NoContent.self)
            .value
        let seen = stub.requests.map(\.headers)
        #expect(seen[0]["X-App"] == "1" && seen[0]["User-Agent"]?.contains("AsyncNet/") == true)
        #expect(seen[1]["User-Agent"] == "app" && seen[1]["Accept-Language"] != nil)
        #expect(seen[2]["User-Agent"] == "app" && seen[2]["Accept-Language"] == nil)
    }

    @Test("Parameters can be a JSON literal of mixed values")
    func mixedLiterals() async throws {
        let stub = StubTransport { _ in .status(204) }
        let session = Session(transport: stub)
        try await session.post("http://a/", parameters: ["a": 1, "b": "x"] as JSON).serializing(NoContent.self).value
        try await session.get("http://a/", parameters: ["a": 1, "b": "x"] as JSON).serializing(NoContent.self).value
        try await session.request(
            "http://a/", method: .put, parameters: ["a": [1, "x"]] as JSON, encoder: .json(.sortedKeys)
        )
        .serializing(NoContent.self).value
        let seen = stub.requests.map { "\($0.query ?? "")\($0.text)" }
        #expect(try JSON(parsing: seen[0]) == ["a": 1, "b": "x"])
        #expect(seen[1] == "a=1&b=x" && seen[2] == #"{"a":[1,"x"]}"#)
    }

    @Test("RequestOptions apply to every kind of request and every method")
    func options() async throws {
        let stub = StubTransport { request in .status(request.headers["X-Adapted"] == "1" ? 200 : 500) }
        let session = Session(baseURL: "http://a/", transport: stub)
        let options = RequestOptions(interceptors: [
            Adapter { request, _ in
                var request = request
                request.headers.update(name: "X-Adapted", value: "1")
                return request
            }
        ])
        let requests: [any Request] = [
            session.request("a", options: options), session.get("a", options: options),
            session.head("a", options: options), session.delete("a", options: options),
            session.options("a", options: options), session.post("a", options: options),
            session.put("a", options: options), session.patch("a", options: options),
            session.get("a", parameters: ["a": 1], options: options),
            session.post("a", parameters: ["a": 1], options: options),
            session.download("a", options: options),
            session.stream("a", options: options), session.upload(.data(Data()), to: "a", options: options),
        ]
        for request in requests {
            try await succeed(request)
        }
        #expect(stub.requests.count == requests.count)
    }

    private func succeed(_ request: any Request) async throws {
        request.validate(statusCode: [200])
        switch request {
        case let request as DataRequest: try await request.serializing(NoContent.self).value
        case let request as DownloadRequest: _ = try await request.serializing(Data.self).value
        case let request as StreamRequest: for try await _ in request.chunks {}
        default: Issue.record("An unknown kind of request: \(request)")
        }
    }

    @Test("With startsRequestsImmediately a request starts with its first serializer, not before")
    func startsAtOnce() async throws {
        let sent = Gate()
        let stub = StubTransport { request in
            sent.open()
            return .text(request.headers["Authorization"] ?? "none")
        }
        let session = Session(transport: stub, configuration: SessionConfiguration(startsRequestsImmediately: true))
        let request = session.request("http://a/")
        #expect(await request.state == .initialized)
        request.interceptor(
            Adapter { request, _ in
                var request = request
                request.headers.update(.authorization(bearerToken: "t"))
                return request
            })
        let task = request.serializing(String.self)
        await sent.wait()
        #expect(try await task.value == "Bearer t")
        #expect(stub.requests.count == 1)
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
