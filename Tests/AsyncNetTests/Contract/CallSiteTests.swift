import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The calls that users write, as the README and the articles have them: each compiles and does what they state.
@Suite("Calls as in the README and the articles", .timeLimit(.minutes(5)))
struct CallSiteTests {
    struct NewUser: Encodable, Sendable { var name: String }
    struct MySerializer: ResponseSerializer {
        func serialize(_ response: RawResponse) async throws -> Int { response.data.count }
    }
    enum Router: URLRequestConvertible {
        case user(Int)
        func asURLRequest() throws -> URLRequest {
            switch self {
            case .user(let id): URLRequest(url: try "http://a/users/\(id)".asURL())
            }
        }
    }

    @Test("A data request is made, serialized, validated and controlled by the documented calls")
    func requests() async throws {
        let stub = StubTransport { _ in .json(["id": 1, "name": "Ada"]) }
        let session = Session(transport: stub)
        let url = "http://a/users/1"
        let token = "t"
        let user = try await session.request("http://a/users/1").serializing(User.self).value
        let json = try await session.request(url).serializing(JSON.self).value
        let text = try await session.request(url).serializing(String.self).value
        let data = try await session.request(url).serializing(Data.self).value
        #expect(user == .ada && json.name.string == "Ada" && text.count == data.count)

        let request = session.request(
            url, method: .post, parameters: NewUser(name: "Ada"), encoder: .json,
            headers: [.authorization(bearerToken: token), .init(name: "X-Trace", value: "1")])
        _ = session.request(url, headers: ["X-Trace": "1"])
        let response = await request.validate().serializing(User.self).response
        let result: Result<User, AsyncNetError> = response.result
        #expect(try result.get() == .ada)
        let (_, _): (User?, AsyncNetError?) = (response.value, response.error)
        let (_, _, _): (URLRequest?, HTTPURLResponse?, Data?) = (response.request, response.response, response.data)
        let metrics: RequestMetrics = response.metrics
        #expect(
            metrics.attempts == 1 && metrics.redirects.isEmpty && metrics.receivedBytes > 0
                && metrics.isConnectionReused == nil)
        _ = response.map { $0.name }
        _ = try response.tryMap { $0.name }
        _ = response.mapError { $0 }

        async let a = request.serializing(User.self).value
        async let b = request.serializing(Data.self).value
        _ = try await (a, b)

        #expect(try await request.serializing(using: MySerializer()).value > 0)
        _ = try await request.validate(statusCode: 200..<300).validate(contentType: ["application/json"]).serializing(
            User.self
        ).value
        request.validate { request, response, data in
            if response.statusCode == 500 || request.url == nil || data.isEmpty { throw CancellationError() }
        }
        _ = await (request.state, request.retryCount)
        await request.cancel()
        await request.suspend()
        await request.resume()
        #expect(await request.curlDescription().contains("curl"))
        for await progress in request.downloadProgress { _ = (progress.fractionCompleted, progress.bytesPerSecond) }
        for await event in request.events { _ = event }

        _ = await session.requests
        _ = await session.requests(ofKind: .download)
        await session.cancelAll()
        await session.finish()
        _ = Session.shared

        let api = Session(baseURL: "https://api.example.com/v1/", transport: stub)
        _ = try await api.get("users/1").serializing(User.self).value
        _ = try await api.request(Router.user(1)).serializing(User.self).value
    }

    @Test("Data, a file, a stream and a form are uploaded by the documented calls")
    func uploads() async throws {
        struct Receipt: Decodable, Sendable { var bytes: Int }
        let session = Session(transport: StubTransport { .json(["bytes": JSON($0.body.count)]) })
        let url = "http://a/"
        let folder = try TemporaryFolder()
        let fileURL = try folder.file("a.txt", Data("file".utf8))
        let bytes = Data("data".utf8)
        #expect(try await session.upload(.data(bytes), to: url).serializing(Receipt.self).value.bytes == 4)
        #expect(
            try await session.upload(.file(fileURL), to: url, method: .put).serializing(Receipt.self).value.bytes == 4)
        #expect(
            try await session.upload(.stream(chunks("a", "b"), length: nil), to: url).serializing(Receipt.self).value
                .bytes == 2)
        let request = session.upload(
            .multipart { form in
                form.append("Ada", name: "name")
                form.append(fileURL, name: "avatar", fileName: "a.png", mimeType: "image/png")
            }, to: url)
        #expect(try await request.serializing(Receipt.self).value.bytes > 100)
        for await progress in request.uploadProgress { _ = progress.fractionCompleted }
        let _: (UploadRequest, RequestKind) = (request, request.kind)
    }

    @Test("A download, resume data, and a stream of chunks, lines, values or events work by the documented calls")
    func downloadsAndStreams() async throws {
        struct Item: Decodable, Sendable { var id: Int }
        let session = Session(transport: StubTransport { _ in .text("{\"id\":1}\n") })
        let (url, folder) = ("http://a/", try TemporaryFolder())
        let target = folder.url.appending(path: "x/a")
        let file = try await session.download(
            url, to: .file(target, options: [.createIntermediateDirectories, .removePreviousFile])
        ).value
        let _: URL = file
        let download = session.download(url, to: .file(target))
        let resumeData = await download.cancel(producingResumeData: true)
        #expect(resumeData == nil)
        // `resumeData` is optional, as documented.
        let none = session.download(resumingWith: resumeData, to: .file(target))
        #expect(await none.result.failure?.code == .invalidRequest)
        let coded: JSON = [
            "url": "http://a/", "validator": "\"1\"",
            "partialFile": JSON(folder.url.appending(path: "p").absoluteString),
        ]
        let kept = try coded.decode(ResumeData.self)
        let rest = try await session.download(resumingWith: kept, to: .file(folder.url.appending(path: "b"))).value
        #expect(rest.lastPathComponent == "b")

        for try await chunk in session.stream(url).chunks { let _: Data = chunk }
        for try await line in session.stream(url).lines { let _: String = line }
        for try await item in session.stream(url).decoding(Item.self) { #expect(item.id == 1) }
        let events = Session(
            transport: StubTransport { _ in
                MockResponse(200, headers: ["Content-Type": "text/event-stream"], body: Data("data: 1\n\n".utf8))
            })
        for try await event in events.stream(url).serverSentEvents {
            _ = (event.id, event.event, event.data, event.retry)
        }
        let _: (StreamRequest, DownloadRequest) = (session.stream(url), download)
    }

    struct Tracing: RequestAdapter {
        func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
            var request = request
            request.setValue("\(context.id)", forHTTPHeaderField: "X-Trace")
            return request
        }
    }

    @Test("A documented adapter changes the requests of a session and of a single request")
    func adapters() async throws {
        let stub = StubTransport { .text($0.headers["X-Trace"] ?? "none") }
        let session = Session(
            transport: stub, configuration: .init(interceptors: [Tracing(), RequestCompressor(.gzip)]))
        let request = session.request("http://a/")
        #expect(try await request.serializing(String.self).value == "\(request.id)")
        #expect(
            try await session.request("http://a/").interceptor(Tracing()).serializing(String.self).value.hasPrefix("#"))
    }

    struct OnlyOnce: RequestRetrier {
        func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision { .doNotRetry }
    }

    @Test("With the documented policies and options, .doNotFollow delivers a redirect as the response")
    func policies() async throws {
        let session = Session(
            transport: StubTransport { _ in .status(302, headers: ["Location": "/"]) },
            configuration: .init(interceptors: [RetryPolicy(limit: 3), Tracing(), OnlyOnce()], clock: TestClock()))
        let request = session.request("http://a/")
        request.interceptor(RetryPolicy()).deadline(.seconds(5)).timeout(.milliseconds(300)).redirects(
            .doNotFollow)
        request.authenticate(username: "u", password: "p")
        #expect(await request.serializing(Data.self).response.statusCode == 302)
        let options = RequestOptions(
            interceptors: [RetryPolicy()], timeout: .seconds(2), deadline: .seconds(10), redirects: .doNotFollow,
            priority: .high, cacheMode: .revalidate, maximumBodySize: 1 << 20)
        let redirected = session.request("http://a/", options: options)
        #expect(await redirected.serializing(Data.self).response.statusCode == 302)
        let decisions: [RetryDecision] = [
            .retry, .retry(after: .seconds(1)), .doNotRetry, .fail(AsyncNetError(.cancelled)),
        ]
        #expect(decisions.count == 4)
    }

    @Test("Documented parameter encoders write the query or the body")
    func parameters() async throws {
        let session = Session(transport: StubTransport { .text("\($0.query ?? "") \($0.text)") })
        func text(_ request: DataRequest) async throws -> String { try await request.serializing(String.self).value }
        #expect(
            try await text(session.request("http://a/", parameters: ["q": "a b"], encoder: .urlEncodedForm))
                == "q=a%20b ")
        #expect(
            try await text(
                session.request("http://a/", method: .post, parameters: ["q": [2, 1]], encoder: .urlEncodedForm))
                == " q%5B%5D=2&q%5B%5D=1")
        #expect(try await text(session.post("http://a/", parameters: ["q": "1"], encoder: .query)) == "q=1 ")
        #expect(try await text(session.get("http://a/?x#f", parameters: ["q": 1])) == "x&q=1 ")
        #expect(try await text(session.delete("http://a/", parameters: ["q": 1])) == "q=1 ")
        #expect(
            try await text(
                session.post(
                    "http://a/", parameters: ["id": 1, "tags": ["a"], "none": nil] as JSON, encoder: .json(.sortedKeys))
            ) == #" {"id":1,"none":null,"tags":["a"]}"#)
        #expect(
            try await text(session.post("http://a/", parameters: ["a": 1], encoder: .propertyList)).contains(
                "<key>a</key>"))
        let own = ClosureParameterEncoder { parameters, request in request.httpBody = Data("\(parameters)".utf8) }
        #expect(try await text(session.post("http://a/", parameters: 5, encoder: own)) == " 5")
    }

    @Test("The documented calls read and make JSON, and decoding a wrong type ends with decodingFailed")
    func json() throws {
        let user = User.ada
        let json: JSON = ["name": "Ada", "tags": ["a"], "count": 1, "address": ["geo": ["lat": 1.5]]]
        _ = (json.name.string, json["tags"][0].string, json.address.geo.lat.double, json.count.int)
        _ = (json.isNull, json.array, json.object, json[keyPath: "address.geo.lat"])
        #expect(AsyncNetError.code { _ = try json.decode(User.self) } == .decodingFailed)
        let body: JSON = ["id": 1, "tags": ["a", "b"], "none": nil]
        _ = (body.description, body.data(options: [.sortedKeys, .prettyPrinted]))
        _ = (try JSON(data: Data("{}".utf8)), try JSON(parsing: "{}"), JSON(encoding: user))
    }

    @Test("A failed request throws an AsyncNetError with its code, as documented")
    func errors() async {
        let session = Session(transport: StubTransport { _ in .status(404) })
        do {
            _ = try await session.request("http://a/").validate().serializing(User.self).value
        } catch let error {
            let typed: AsyncNetError = error
            #expect(typed.code == .unacceptableStatus)
            _ = (error.request, error.response, error.attempts, error.underlyingError, error.description)
        }
    }

    @Test("A session over a MockServer sends a request by the documented calls")
    func transportsAndTesting() async throws {
        _ = Session()
        _ = Session(transport: .urlSession)
        let server = try await MockServer.start()
        await server.enqueue(
            .json(#"{"id":1}"#), .status(503, headers: ["Retry-After": "1"]), .fault(.resetMidBody(after: 10)))
        _ = try await Session().request(server.url("/users/1")).serializing(JSON.self).value
        let seen = try await server.takeRequest()
        #expect(seen.path == "/users/1")
        await server.stop()
    }
}
