import AsyncNet
import Foundation
import Testing

@testable import AsyncNetTestSupport

/// Each way in which a session uses a transport, over recordings that are made here.
@Suite("Sessions over a ReplayTransport", .timeLimit(.minutes(5)))
struct ReplaySessionTests {
    typealias Request = RecordedExchange.Request
    typealias Response = RecordedExchange.Response

    private func transport(_ exchanges: RecordedExchange..., matching: [RequestMatcher] = RequestMatcher.standard)
        -> ReplayTransport
    {
        ReplayTransport(Recording(exchanges), matching: matching)
    }

    @Test("Recorded 303 and 307 redirects are followed with the method that they require")
    func redirects() async throws {
        let transport = transport(
            .text(
                Request("POST /a", "x=1", type: "application/x-www-form-urlencoded"), status: 303,
                headers: ["Location": "/b?c"]),
            .text(Request("GET /b?c"), status: 307, headers: ["Location": "https://other.example/d"]),
            .text(Request("GET https://other.example/d"), "arrived"))
        let session = Session(transport: transport)
        let type = "application/x-www-form-urlencoded"
        #expect(try await session.text("POST /a", "x=1", type: type) == "arrived")
        try transport.verify()
    }

    @Test(
        "After a recorded 401, the sent credentials match the redacted ones of the recording",
        arguments: ["Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"])
    func challenges(_ challenge: String) async throws {
        let url = Request("GET /private").url
        let transport = transport(
            .text(Request("GET /private"), status: 401, headers: ["WWW-Authenticate": challenge]),
            .text(Request("GET /private", headers: ["Authorization": "REDACTED"]), "welcome"))
        let request = Session(transport: transport).request(url)
        request.authenticate(username: "ada", password: "x")
        #expect(try await request.serializing(String.self).value == "welcome")
        try transport.verify()
    }

    @Test("Recorded cookies are stored and sent, and can be compared by a matcher")
    func cookies() async throws {
        let transport = transport(
            .text(Request("GET /login"), headers: ["Set-Cookie": "id=REDACTED; Path=/"]),
            .text(Request("GET /home", headers: ["Cookie": "id=REDACTED"]), "home"),
            matching: [.method, .path, .headers("Cookie")])
        let session = Session(transport: transport, configuration: .init(cookieJar: CookieJar()))
        _ = try await session.text("GET /login")
        #expect(try await session.text("GET /home") == "home")
        try transport.verify()
    }

    /// Responses to ranges of a file, each in two chunks.
    private func part(_ data: Data, _ range: ClosedRange<Int>, failure: RecordedExchange.Failure? = nil)
        -> RecordedExchange
    {
        let bytes = data[range]
        let headers: HTTPHeaders = [
            "ETag": "\"1\"", "Content-Length": "\(bytes.count)",
            "Content-Range": "bytes \(range.lowerBound)-\(range.upperBound)/\(data.count)",
        ]
        var response = Response(206, headers: headers)
        let half = bytes.count / 2
        response.chunks = [.init(Data(bytes.prefix(half))), .init(Data(bytes.dropFirst(half)))]
        let request = Request("GET /file", headers: ["Range": "bytes=\(range.lowerBound)-\(range.upperBound)"])
        return RecordedExchange(request, .response(response))
    }

    @Test("Segments of a download get the recorded ranges that they request, in any order")
    func segments() async throws {
        let mebi = 1 << 20
        let data = patternedData(4 * mebi + 5)
        let starts = stride(from: 0, to: data.count, by: mebi)
        let parts = starts.map { part(data, $0...min($0 + mebi, data.count) - 1) }
        let transport = ReplayTransport(Recording(parts.reversed()), matching: [.method, .path, .query])
        let folder = try TemporaryFolder()
        let download = Session(transport: transport).download(
            Request("GET /file").url, to: .file(folder.url.appending(path: "file")), segments: 3)
        let received = try Data(contentsOf: await download.value)
        #expect(received == data)
        try transport.verify()
    }

    @Test("A download interrupted by a recorded failure continues with the recorded range")
    func resumed() async throws {
        let data = patternedData(100_000)
        var first = Response(
            200, headers: ["ETag": "\"1\"", "Content-Length": "\(data.count)", "Accept-Ranges": "bytes"],
            body: Data(data.prefix(60_000)))
        first.failure = .init(.connectionLost)
        var rest = part(data, 60_000...99_999)
        rest.request.headers["Range"] = "bytes=60000-"
        let transport = transport(RecordedExchange(Request("GET /file"), .response(first)), rest)
        let clock = TestClock()
        let session = Session(
            transport: transport, configuration: .init(interceptors: [RetryPolicy()], clock: clock))
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        let result = try await clock.run {
            try await session.download(Request("GET /file").url, to: .file(file)).value
        }
        let received = try Data(contentsOf: result)
        #expect(received == data)
        try transport.verify()
    }

    @Test("Files and forms are uploaded with progress, and forms match with any boundary")
    func uploads() async throws {
        var form = MultipartForm(boundary: "recorded")
        form.append("Ada", name: "name")
        let body = try await RequestBody.multipart(form).chunks.reduce(into: Data()) { $0 += $1 }
        var recorded = Request("POST /form", type: form.contentType)
        recorded.body = body
        let transport = transport(.text(recorded, "form"), .text(Request("PUT /file", "content"), "file"))
        let session = Session(transport: transport)
        let upload = session.upload(
            .multipart { $0.append("Ada", name: "name") }, to: Request("POST /form").url)
        #expect(try await upload.serializing(String.self).value == "form")
        let folder = try TemporaryFolder()
        let file = try folder.file("a", Data("content".utf8))
        let put = session.upload(.file(file), to: Request("PUT /file").url, method: .put)
        let steps = put.uploadProgress
        #expect(try await put.serializing(String.self).value == "file")
        var last: Int64 = 0
        for await step in steps { last = step.completedBytes }
        #expect(last == 7)
        try transport.verify()
    }

    @Test("A stream delivers the recorded chunks, and ends with the recorded failure")
    func streams() async throws {
        var response = Response.chunks("one\n", "two", "\nthree\n")
        response.failure = .init(.connectionLost)
        let transport = transport(RecordedExchange(Request("GET /lines"), .response(response)))
        var lines: [String] = []
        do {
            for try await line in Session(transport: transport).stream(Request("GET /lines").url).lines {
                lines.append(line)
            }
            Issue.record("The stream was recorded with a failure")
        } catch AsyncNetError.Code.connectionLost {}
        #expect(lines == ["one", "two", "three"])
    }

    @Test("Server-sent events continue from the last event after a recorded failure")
    func events() async throws {
        func events(_ chunks: String...) -> Response {
            Response(200, headers: [.contentType("text/event-stream")], chunks: chunks.map { .init(Data($0.utf8)) })
        }
        var first = events("id: 1\ndata: a\n\n", "id: 2\ndata: b\n\n")
        first.failure = .init(.connectionLost)
        let transport = transport(
            RecordedExchange(Request("GET /events"), .response(first)),
            RecordedExchange(
                Request("GET /events", headers: ["Last-Event-ID": "2"]), .response(events("data: c\n\n"))),
            .text(Request("GET /events", headers: ["Last-Event-ID": "2"]), status: 204),
            matching: [.method, .path, .headers("Last-Event-ID")])
        let clock = TestClock()
        let session = Session(transport: transport, configuration: .init(clock: clock))
        let received = try await clock.run {
            var received: [String] = []
            for try await event in session.stream(Request("GET /events").url).serverSentEvents {
                received.append(event.data)
            }
            return received
        }
        #expect(received == ["a", "b", "c"])
        try transport.verify()
    }

    @Test("A transfer recorded as cancelled is replayed without a response, and its hedge succeeds")
    func hedging() async throws {
        let clock = TestClock()
        let transport = transport(.failing(Request("GET /a"), .cancelled), .text(Request("GET /a"), "second"))
        let hedging = HedgingPolicy(after: .fixed(.milliseconds(100)))
        let session = Session(transport: transport, configuration: .init(interceptors: [hedging], clock: clock))
        let text = try await clock.run { try await session.text("GET /a") }
        #expect(text == "second")
        #expect(clock.now.offset == .milliseconds(100))
        try transport.verify()
    }
}
