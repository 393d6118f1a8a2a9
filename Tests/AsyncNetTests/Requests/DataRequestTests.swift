import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Without sockets: what a request does between its making and its outcome.
@Suite("DataRequest", .timeLimit(.minutes(5)))
struct DataRequestTests {
    private let stub = StubTransport { request in
        request.path == "/404" ? .json(["error": "none"], status: 404) : .json(User.json)
    }

    @Test("request(_:).serializing(_:).value returns the decoded value")
    func mission() async throws {
        let session = Session(transport: stub)
        let url = "http://a/users/1"
        let user = try await session.request(url).serializing(JSON.self).value
        #expect(user.name.string == "Ada")
    }

    @Test("A request is sent once, when the first task awaits it")
    func once() async throws {
        let session = Session(transport: stub)
        let request = session.request("http://a/users/1")
        #expect(stub.requests.isEmpty)
        #expect(await request.state == .initialized)
        async let user = request.serializing(User.self).value
        async let data = request.serializing(Data.self).value
        async let json = request.serializing(JSON.self).value
        #expect(try await user == .ada)
        #expect(try await data == Data(User.json.utf8))
        #expect(try await json.id.int == 1)
        #expect(try await request.serializing(String.self).value == User.json)
        #expect(stub.requests.count == 1)
        #expect(await request.state == .finished)
        #expect(await request.retryCount == 0)
    }

    @Test("resume() starts a request that no task awaits")
    func resumed() async throws {
        let session = Session(transport: stub)
        let request = session.request("http://a/")
        await request.resume()
        await session.finish()
        #expect(await request.state == .finished)
        #expect(stub.requests.count == 1)
    }

    @Test("With startsRequestsImmediately, making a serializer starts the request")
    func immediately() async throws {
        let clock = TestClock()
        let session = Session(transport: stub, configuration: .init(startsRequestsImmediately: true, clock: clock))
        let request = session.request("http://a/")
        _ = request.serializing(Data.self)
        await clock.settled()
        #expect(await request.state == .finished)
    }

    @Test("A suspended request is not sent until it is resumed")
    func suspended() async throws {
        let clock = TestClock()
        let session = Session(transport: stub, configuration: .init(clock: clock))
        let request = session.request("http://a/")
        await request.suspend()
        let task = clock.task { try await request.serializing(User.self).value }
        await clock.settled()
        #expect(stub.requests.isEmpty)
        #expect(await request.state == .suspended)
        await request.resume()
        #expect(try await task.value == .ada)
    }

    @Test("A running request that is suspended delivers nothing until it is resumed")
    func suspendedOnTheWay() async throws {
        let (arrived, gate, clock) = (Gate(), Gate(), TestClock())
        let stub = StubTransport { _ in
            arrived.open()
            await gate.wait()
            return .json(User.json)
        }
        let request = Session(transport: stub, configuration: .init(clock: clock)).request("http://a/")
        let task = clock.task { try await request.serializing(User.self).value }
        await arrived.wait()
        await request.suspend()
        gate.open()
        await clock.settled()
        #expect(await request.state == .suspended)
        await request.resume()
        #expect(try await task.value == .ada)
    }

    @Test("A response has its value or error, its request, head, data and metrics")
    func response() async throws {
        // A clock that stands still, since the body of a refused response is read for a second at most.
        let session = Session(transport: stub, configuration: .init(clock: TestClock()))
        let response = await session.request("http://a/users/1", headers: ["X-Trace": "1"]).validate().serializing(
            User.self
        ).response
        #expect(response.value == .ada)
        #expect(response.error == nil)
        #expect(response.request?.url?.absoluteString == "http://a/users/1")
        #expect(response.request?.value(forHTTPHeaderField: "X-Trace") == "1")
        #expect(response.response?.statusCode == 200)
        #expect(response.head?.headers["content-type"] == "application/json")
        #expect(response.data == Data(User.json.utf8))
        #expect(response.metrics.attempts == 1)
        #expect(response.metrics.receivedBytes == Int64(User.json.utf8.count))
        #expect(response.map(\.name).value == "Ada")
        #expect(try response.tryMap { $0.id }.value == 1)
        #expect(throws: CancellationError.self) { try response.tryMap { _ -> Int in throw CancellationError() } }

        struct Other: Error, Equatable { let code: AsyncNetError.Code }
        let failed = await session.request("http://a/404").validate().serializing(User.self).response
        #expect(failed.mapError { Other(code: $0.code) }.error == Other(code: .unacceptableStatus))
        #expect(failed.data?.isEmpty == false)
        #expect(failed.value == nil)
    }

    @Test("The description and dump of a response contain no secret")
    func responseSecrets() async {
        let stub = StubTransport {
            $0.path == "/a" ? .redirect(to: "/b?token=hunter2") : .status(200, headers: ["Set-Cookie": "hunter2"])
        }
        let request = Session(transport: stub).request(
            "http://u:hunter2@a/a?t=hunter2#hunter2", headers: [.authorization(bearerToken: "hunter2")])
        let response = await request.serializing(Data.self).response
        var dumped = ""
        dump(response, to: &dumped)
        dump(response.metrics, to: &dumped)
        dump(response.head, to: &dumped)
        #expect(!"\(response) \(response.metrics) \(dumped)".contains("hunter2"))
    }

    @Test("A 404 is delivered; with validation the error is unacceptableStatus, and has the request")
    func validation() async throws {
        let session = Session(transport: stub)
        #expect(try await session.request("http://a/404").serializing(JSON.self).value.error.string == "none")
        let error = await #expect(throws: AsyncNetError.self) {
            try await session.request("http://u:hunter2@a/404?token=hunter2").validate().serializing(JSON.self).value
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.response?.statusCode == 404)
        #expect(error?.request?.url?.query() == "token=hunter2")
        #expect(error?.attempts == 1)
        #expect(error?.description.contains("GET http://a/404 (attempt 1)") == true)
        var dumped = ""
        dump(error, to: &dumped)
        for text in [
            error?.description, error.debugDescription, error?.localizedDescription, dumped, "\(error as Any)",
        ] {
            #expect(text?.contains("hunter2") == false)
        }
    }

    @Test(
        "Validators of status and type run in order, and the first refusal is the error",
        arguments: [
            (200..<300, ["application/json"], nil), (201..<300, ["application/json"], .unacceptableStatus),
            (200..<300, ["text/*"], .unacceptableContentType),
            (200..<300, ["*/*"], nil), (200..<300, ["application/*", "text/plain"], nil),
            (300..<400, ["text/html"], .unacceptableStatus),
        ] as [(Range<Int>, [String], AsyncNetError.Code?)])
    func validators(_ statuses: Range<Int>, _ types: [String], _ code: AsyncNetError.Code?) async {
        let request = Session(transport: stub).request("http://a/")
        let result = await request.validate(statusCode: statuses).validate(contentType: types).serializing(User.self)
            .result
        if let code { #expect(result.failure?.code == code) } else { #expect((try? result.get()) == .ada) }
    }

    @Test(
        "validate() accepts the content types of the request's Accept header",
        arguments: [("application/json", true), ("text/plain, application/*;q=0.5", true), ("text/html", false)])
    func acceptHeader(_ accept: String, _ isAccepted: Bool) async {
        let request = Session(transport: stub).request("http://a/", headers: [.accept(accept)])
        #expect(await (request.validate().serializing(User.self).response.error == nil) == isAccepted)
    }

    @Test("A closure validates head and body, and its error is the underlying error")
    func ownValidator() async {
        struct Refused: Error {}
        let request = Session(transport: stub).request("http://a/x")
        request.validate { request, response, data in
            guard request.url?.path() == "/x", response.statusCode == 200, data.count > 0 else { return }
            throw Refused()
        }
        let error = await request.serializing(User.self).response.error
        #expect(error?.code == .validationFailed)
        #expect(error?.underlyingError is Refused)
    }

    @Test("A request whose deadline is over is not sent", arguments: [Duration.zero, .seconds(-1)])
    func pastDeadline(_ deadline: Duration) async {
        let request = Session(transport: stub).request("http://a/x", options: RequestOptions(deadline: deadline))
        #expect(await request.serializing(Data.self).result.failure?.code == .deadlineExceeded)
        #expect(stub.requests.isEmpty)
    }

    @Test("validate() and deadline() have no effect once the request has started")
    func lateModifiers() async throws {
        let request = Session(transport: stub).request("http://a/404")
        _ = try await request.serializing(JSON.self).value
        _ = try await request.validate().deadline(.zero).serializing(JSON.self).value
    }

    @Test(
        "A request's validate() replaces the validation of its options, and that replaces the session's",
        arguments: [
            (Validation.none, Validation.session, false, false), (.success, .session, false, true),
            (.success, .none, false, false), (.none, .success, false, true), (.none, .none, true, true),
        ])
    func validation(_ session: Validation, _ own: Validation, _ modifies: Bool, _ isRefused: Bool) async throws {
        let session = Session(transport: stub, configuration: .init(validation: session))
        let request = session.request("http://a/404", options: RequestOptions(validation: own))
        if modifies { request.validate(statusCode: 200..<300) }
        #expect(await request.serializing(Data.self).result.failure?.code == (isRefused ? .unacceptableStatus : nil))
    }

    @Test("A serializer of the user's and a serializing closure run off the caller's actor") @MainActor
    func ownSerializers() async throws {
        struct Upper: ResponseSerializer {
            func serialize(_ response: RawResponse) async throws -> String {
                #expect(!Thread.isMainThread)
                return String(decoding: response.data, as: UTF8.self).uppercased()
            }
        }
        let request = Session(transport: stub).request("http://a/")
        #expect(try await request.serializing(using: Upper()).value == User.json.uppercased())
        #expect(try await request.serializing { $0.statusCode }.value == 200)
    }

    @MainActor struct MainActorUser: @MainActor Decodable {
        var id: Int
    }

    @Test("A type whose Decodable conformance is isolated to the main actor is decoded there") @MainActor
    func mainActorType() async throws {
        let request = Session(transport: stub).request("http://a/")
        #expect(try await request.decode(MainActorUser.self).id == 1)
    }

    @Test("Loops over a request's events and progress end when the request has ended")
    func observation() async throws {
        let request = Session(transport: stub).request("http://a/")
        let (events, progress) = (request.events, request.downloadProgress)
        _ = try await request.serializing(Data.self).value
        var told: [String] = []
        for await event in events { told.append(event.step) }
        #expect(told == ["resumed", "attempt GET /", "hop GET /", "response 200", "ended delivered 200", "finished"])
        var last: TransferProgress?
        for await value in progress { last = value }
        #expect(last?.completedBytes == Int64(User.json.utf8.count))
        #expect(last?.fractionCompleted == 1)
        for await _ in request.events { Issue.record("an ended request has no more events") }
    }

    @Test("A request can be made from a text, URL, URLComponents, URLRequest or router")
    func convertibles() async throws {
        enum Router: URLRequestConvertible {
            case user(Int)
            func asURLRequest() throws -> URLRequest {
                guard case .user(let id) = self, id > 0 else { throw CocoaError(.featureUnsupported) }
                return URLRequest(url: try "http://a/users/\(id)".asURL())
            }
        }
        let session = Session(transport: stub)
        let url = try "http://a/users/1".asURL()
        let components = try #require(URLComponents(string: "http://a/users/1"))
        for request in [
            session.request("http://a/users/1"), session.request(url), session.request(components),
            session.request(URLRequest(url: url)), session.request(Router.user(1)),
        ] {
            #expect(try await request.serializing(User.self).value == .ada)
        }
        #expect(Set(stub.requests.map(\.target)) == ["/users/1"])
        let error = await session.request(Router.user(0)).serializing(User.self).response.error
        #expect(error?.code == .encodingFailed)
        #expect(error?.underlyingError is CocoaError)
    }

    @Test("get, head, post and the session's other shortcuts resolve their URL against its base URL")
    func baseURL() async throws {
        let api = Session(baseURL: "http://a/v1/", transport: stub)
        let requests: [(DataRequest, String)] = [
            (api.get("users/1"), "GET /v1/users/1"), (api.head("/root"), "HEAD /root"),
            (api.delete("?q=1"), "DELETE /v1/?q=1"),
            (api.options("../up"), "OPTIONS /up"), (api.post("x"), "POST /v1/x"), (api.put("x"), "PUT /v1/x"),
            (api.patch("http://b/y"), "PATCH /y"),
        ]
        for (request, expected) in requests {
            _ = await request.serializing(Data.self).result
            #expect(stub.requests.last.map { "\($0.method) \($0.target)" } == expected)
        }
    }

    @Test(
        "URL references of each form are resolved against the base URL (RFC 3986 §5.4)",
        arguments: [
            ("http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q"), ("http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"),
            ("http://a/b/c/d;p?q", "#s", "http://a/b/c/d;p?q#s"),
            ("http://a/b/c/d;p?q", ".", "http://a/b/c/"), ("http://a/b/c/d;p?q", "./", "http://a/b/c/"),
            ("http://a/b/c/d;p?q", "..", "http://a/b/"), ("http://a/b/c/d;p?q", "../..", "http://a/"),
            ("http://a/b/c/d;p?q", "g", "http://a/b/c/g"), ("http://a/b/c/d;p?q", "/g", "http://a/g"),
            ("http://a/b/c/d;p?q", "//g", "http://g"), ("http://a/b/c/d;p?q", ";x", "http://a/b/c/;x"),
            ("http://a/b/c/d;p?q", "g;x?y#s", "http://a/b/c/g;x?y#s"), ("http://a/b/c/d;p?q", "?", "http://a/b/c/d;p?"),
            ("http://a/b/c/d;p?q", "../../../../g", "http://a/g"),
            ("http://a/v1", "", "http://a/v1"), ("http://a/v1", "?q=1", "http://a/v1?q=1"),
            ("http://a/v1", "#f", "http://a/v1#f"), ("http://a/v1", ".", "http://a/"),
            ("http://a/v1", "x", "http://a/x"),
            ("http://a/v1/", "", "http://a/v1/"), ("http://a/v1/", "?q=1", "http://a/v1/?q=1"),
            ("http://a/v1/", ".", "http://a/v1/"), ("http://a", "", "http://a"), ("http://a", "?q=1", "http://a?q=1"),
            ("http://a", ".", "http://a/"), ("http://a", "x", "http://a/x"),
            ("http://a/v1?k=%2B#f", "", "http://a/v1?k=%2B"), ("http://a/b/../c", "", "http://a/b/../c"),
        ])
    func references(_ base: String, _ reference: String, _ expected: String) async throws {
        let api = Session(baseURL: base, transport: stub)
        let response = await api.request(reference).serializing(Data.self).response
        #expect(response.request?.url?.absoluteString == expected)
        if reference.isEmpty {
            #expect(
                await api.get(URLComponents()).serializing(Data.self).response.request?.url?.absoluteString == expected)
        }
    }

    @Test("A relative reference without a base URL leads to malformedURL", arguments: ["", "?q", "#f", "."])
    func noBase(_ reference: String) async {
        #expect(
            await Session(transport: stub).request(reference).serializing(Data.self).result.failure?.code
                == .malformedURL)
    }

    @Test("Parameters become a JSON body, and headers and modifier are applied")
    func parameters() async throws {
        let session = Session(transport: stub, configuration: .init(headers: ["User-Agent": "t", "X": "session"]))
        let request = session.request(
            "http://a/users", method: .post, parameters: User.ada, encoder: .json,
            headers: [.authorization(bearerToken: "t"), .init(name: "X", value: "own")],
            options: RequestOptions(modifier: { $0.setValue("m", forHTTPHeaderField: "X-M") }))
        _ = try await request.serializing(User.self).value
        let seen = try #require(stub.requests.first)
        #expect(seen.method == .post)
        #expect(try seen.json == ["id": 1, "name": "Ada"])
        #expect(seen.headers["Content-Type"] == "application/json")
        #expect(seen.headers["X"] == "own")
        #expect(seen.headers["X-M"] == "m")
        #expect(seen.headers["User-Agent"] == "t")
        #expect(seen.headers["authorization"] == "Bearer t")
    }
}

/// What a review found; each failed before it was mended.
@Suite("Failures of DataRequest", .timeLimit(.minutes(5)))
struct DataRequestRegressionTests {
    @Test("A task cancelled before it waits does not cancel a request that another task started before")
    func cancelledArrival() async throws {
        let session = Session(transport: StubTransport { _ in .json(User.json) })
        for _ in 0..<1000 {
            let request = session.request("http://a/")
            let first = Task { await request.serializing(User.self).result }
            let second = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await request.serializing(User.self).result
            }
            let (one, other) = await (first.value, second.value)
            // Whoever comes first decides; but a request that went out for the first answers the first.
            if one.failure != nil { #expect(other.failure?.code == .cancelled) }
            if await request.state == .finished { #expect(one.failure == nil) }
        }
    }

    @Test("A request cancelled during a redirect sends no further hop")
    func cancelledHop() async throws {
        let (sent, gate) = (Counter(), Gate())
        struct Slow: Transport {
            let sent: Counter
            let gate: Gate
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                sent.add()
                let head = HTTPResponseHead(
                    statusCode: 307, url: request.head.url, headers: ["Location": "/b", "Content-Length": "5"])
                let (chunks, end) = AsyncStream.makeStream(of: Data.self)
                gate.open()
                return TransportResponse(
                    head: head, body: TransportBody(chunks.prefix { _ in withExtendedLifetime(end) { true } }))
            }
        }
        let session = Session(transport: Slow(sent: sent, gate: gate))
        let request = session.request("http://a/")
        let task = Task { await request.serializing(Data.self).result }
        await gate.wait()
        task.cancel()
        #expect(await task.value.failure?.code == .cancelled)
        await session.finish()
        #expect(sent.value == 1)
    }

    @Test("A timeout after a redirect names the redirected URL, and the metrics count the received bytes")
    func timeoutContext() async throws {
        let clock = TestClock()
        let stub = StubTransport { $0.path == "/a" ? .redirect(to: "/b") : .fault(.stallMidBody(after: 7)) }
        let session = Session(transport: stub, configuration: .init(timeout: .seconds(1), clock: clock))
        let request = session.request("http://h/a")
        let progress = request.downloadProgress
        let task = Task { await request.serializing(Data.self).response }
        for await value in progress where value.completedBytes == 7 { break }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        let response = await task.value
        #expect(response.error?.code == .timedOut)
        #expect(response.error?.description.contains("http://h/b") == true)
        #expect(response.error?.response?.statusCode == 200)
        #expect(response.metrics.redirects.count == 1)
        #expect(response.metrics.receivedBytes == 7)
        #expect(response.metrics.total == .seconds(1))
    }

    @Test("The received bytes of an interrupted body are in the response")
    func partialBody() async {
        let session = Session(transport: StubTransport { _ in .fault(.truncate(after: 7)) })
        let response = await session.request("http://a/").serializing(Data.self).response
        #expect(response.error?.code == .bodyEndedEarly)
        #expect(response.data?.count == 7)
    }

    @Test("The timeout does not run while a request is suspended")
    func suspendedSilence() async {
        let (clock, arrived, gate) = (TestClock(), Gate(), Gate())
        let stub = StubTransport { _ in
            arrived.open()
            await gate.wait()
            return .json(User.json)
        }
        let request = Session(transport: stub, configuration: .init(timeout: .seconds(1), clock: clock)).request(
            "http://a/")
        let task = Task { await request.serializing(User.self).result }
        await arrived.wait()
        await request.suspend()
        for _ in 0..<3 {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(1))
        }
        await clock.sleepers(atLeast: 1)
        #expect(await request.state == .suspended)
        gate.open()
        await request.resume()
        #expect((try? await task.value.get()) == .ada)
    }

    @Test("The timeout starts again when a suspended request is resumed")
    func silenceAfterSuspension() async throws {
        let (clock, arrived) = (TestClock(), Gate())
        let stub = StubTransport { _ in
            arrived.open()
            return .fault(.stall)
        }
        let request = Session(transport: stub, configuration: .init(timeout: .seconds(1), clock: clock)).request(
            "http://a/")
        let task = Task { await request.serializing(User.self).result }
        await arrived.wait()
        await clock.sleepers(atLeast: 1)
        await request.suspend()
        clock.advance(by: .milliseconds(900))
        await request.resume()
        clock.advance(by: .milliseconds(100))
        await clock.settled()
        try #require(await request.state == .resumed)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .milliseconds(900))
        #expect(await task.value.failure?.code == .timedOut)
    }

    @Test("A URLRequest's timeoutInterval applies, and its httpBodyStream leads to invalidRequest")
    func urlRequest() async throws {
        let clock = TestClock()
        let session = Session(transport: StubTransport { _ in .fault(.stall) }, configuration: .init(clock: clock))
        var urlRequest = URLRequest(url: try "http://a/".asURL(), timeoutInterval: 2.5)
        let request = session.request(urlRequest)
        let task = Task { await request.serializing(Data.self).result }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(2.5))
        let error = await task.value.failure
        #expect(error?.code == .timedOut)
        // Bytes that are neither a body's nor a whole head are not counted, so the message does not say that none came.
        #expect(error?.message.contains("made no progress for its timeout of 2.5 seconds") == true)
        urlRequest.httpMethod = "POST"
        urlRequest.httpBodyStream = InputStream(data: Data("x".utf8))
        #expect(await session.request(urlRequest).serializing(Data.self).result.failure?.code == .invalidRequest)
    }

    @Test("Loops over events end when the request is released before its start")
    func droppedObservation() async {
        let session = Session(transport: StubTransport { _ in .status(200) })
        let events = session.request("http://a/").events
        for await _ in events {}
    }

    @Test("validate(statusCode:) accepts ranges and lists of statuses")
    func statusCodes() async {
        let session = Session(transport: StubTransport { _ in .status(404) })
        func code(_ validate: (DataRequest) -> DataRequest) async -> AsyncNetError.Code? {
            await validate(session.request("http://a/")).serializing(Data.self).response.error?.code
        }
        #expect(await code { $0.validate(statusCode: 200...599) } == nil)
        #expect(
            await code { $0.validate(statusCode: 0..<500).validate(statusCode: [404]).validate(statusCode: 400...499) }
                == nil)
        #expect(await code { $0.validate(statusCode: 500...599) } == .unacceptableStatus)
    }

    @Test("A secret header such as X-Api-Key is not sent to another origin after a redirect")
    func apiKey() async throws {
        let stub = StubTransport { $0.path == "/a" ? .redirect(to: "http://other/b") : .status(200) }
        let request = Session(transport: stub).request("http://h/a", headers: ["X-Api-Key": "k", "X": "1"])
        _ = try await request.serializing(Data.self).value
        #expect(stub.requests.last?.headers["X-Api-Key"] == nil)
        #expect(stub.requests.last?.headers["X"] == "1")
    }
}
