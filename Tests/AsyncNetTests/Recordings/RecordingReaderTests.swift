import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors
@testable import AsyncNetTestSupport

/// Files of browsers and of other tools must replay.
@Suite("Reading HAR files", .timeLimit(.minutes(5)))
struct RecordingReaderTests {
    private func read(_ text: String) throws -> [RecordedExchange] {
        try RecordingReader(file: URL(filePath: "/x/a.har")).recording(Data(text.utf8)).exchanges
    }

    /// The exchange of a file with one entry, which has these fields.
    private func one(_ request: String, _ response: String, _ more: String = "") throws -> RecordedExchange {
        let entry =
            #"{"request":{"method":"GET","url":"http://h/a"\#(request)},"response":{"status":200\#(response)}\#(more)}"#
        return try #require(try read(#"{"log":{"entries":[\#(entry)]}}"#).first)
    }

    @Test("An entry is read with only method, URL and status, and unknown fields are ignored")
    func least() throws {
        let exchange = try one(",\"_x\":1", "", ",\"_webSocketMessages\":[{\"type\":\"send\"}],\"cache\":null")
        #expect(exchange == RecordedExchange(.init(url: try "http://h/a".asURL()), .response(.init(200))))
    }

    @Test("A HAR file of Chrome is read")
    func chrome() throws {
        let exchanges = try read(HARSamples.chrome)
        #expect(
            exchanges.map(\.description) == [
                "POST https://api.example/users: 201", "GET https://api.example/a.png: 200",
                "GET https://api.example/gone: 200, transportFailed", "GET https://down.example/: cannotConnect",
            ])
        let first = try #require(exchanges.first)
        #expect(first.request.headers == ["content-type": "application/json"])
        #expect(first.request.body == Data(#"{"name":"é"}"#.utf8))
        let response = try #require(first.response)
        #expect(response.headers.values(for: "set-cookie") == ["a=1", "b=2"])
        #expect(
            !response.headers.contains(name: "content-encoding") && !response.headers.contains(name: "content-length"))
        #expect(response.body == Data(#"{"id":1}"#.utf8) && response.httpVersion == "HTTP/2" && response.reason == nil)
        #expect(first.latency == .milliseconds(52.5) && response.chunks.first?.delay == .milliseconds(2))
        #expect(exchanges[1].response?.body == Data([0x89, 0x50]))
        #expect(
            exchanges[2].response?.failure?.message == "The recording a.har: entry 3 has no body; record it again")
    }

    @Test("A HAR file of Firefox is read: params of forms, texts with a charset, entries out of order")
    func firefox() throws {
        let exchanges = try read(HARSamples.firefox)
        #expect(exchanges.map(\.request.url.path) == ["/login", "/page"])
        #expect(exchanges[0].request.body == Data("user=ada+l&x=%26%C3%A9".utf8))
        #expect(exchanges[1].response?.body == Data([0xE9]), "é in ISO 8859-1")
    }

    @Test("HAR files of Python tools are read: microseconds, time offsets, a byte order mark")
    func python() throws {
        let exchanges = try read("\u{FEFF}" + HARSamples.python)
        #expect(exchanges.map(\.request.url.path) == ["/1", "/2"])
        #expect(exchanges[0].response?.body == Data("a".utf8))
    }

    @Test("A HAR file of HARRecorder is read")
    func recorder() async throws {
        let stub = StubTransport()
        stub.on(.get, "/a", replies: .text("é"))
        stub.on(.get, "/refused", replies: .fault(.refuse))
        stub.on(.get, "/404", replies: .status(404))
        stub.on(.get, "/binary", replies: .data(Data([0xFF])))
        let recorder = HARRecorder(bodyLimit: 2)
        let session = Session(transport: stub, configuration: .init(monitors: [recorder]))
        _ = try await session.request("http://h/a").serializing(Data.self).value
        _ = await session.request("http://h/refused").serializing(Data.self).result
        _ = await session.request("http://h/404").validate().serializing(Data.self).result
        _ = try await session.request("http://h/binary").serializing(Data.self).value
        let exchanges = try read(String(decoding: recorder.data(), as: UTF8.self))
        #expect(
            exchanges.map(\.description) == [
                "GET http://h/a: 200", "GET http://h/refused: cannotConnect", "GET http://h/404: 404",
                "GET http://h/binary: 200",
            ])
        #expect(exchanges[0].response?.body == Data("é".utf8) && exchanges[3].response?.body == Data([0xFF]))
    }

    @Test(
        "An entry for HEAD, 204 or 304 is read without a body", arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)])
    func bodyless(_ method: String, _ status: Int) throws {
        let text = """
            {"log":{"entries":[{"request":{"method":"\(method)","url":"http://h/"},"response":{"status":\(status),
            "headers":[{"name":"Content-Length","value":"9"},{"name":"Content-Encoding","value":"gzip"}],
            "content":{"size":9}}}]}}
            """
        let response = try #require(try read(text).first?.response)
        #expect(response.failure == nil && response.chunks.isEmpty)
        #expect(response.headers["Content-Length"] == "9")
    }

    @Test("Sizes of chunks that do not add up to the body are corrected")
    func changedBody() throws {
        for (sizes, expected) in [
            ([1, 5], ["a", "bc"]), ([1], ["a", "bc"]), ([3, 3], ["abc"]), ([0, -1], ["abc"]),
        ] {
            let pieces = sizes.map { "{\"size\":\($0)}" }.joined(separator: ",")
            let response = try one("", ",\"content\":{\"text\":\"abc\"},\"_chunks\":[\(pieces)]").response
            #expect(response?.chunks.map { String(decoding: $0.data, as: UTF8.self) } == expected)
        }
    }

    @Test("An endless delay of a chunk in a HAR file is limited, and a negative one is none")
    func delays() throws {
        let pieces = #"{"size":1,"delay":1e300},{"size":2,"delay":-5}"#
        let response = try one("", ",\"content\":{\"text\":\"abc\"},\"_chunks\":[\(pieces)]").response
        #expect(response?.chunks.map(\.delay) == [.milliseconds(1e9), .zero])
    }

    @Test(
        "An error in a HAR file names the entry and the field, and shows no value",
        arguments: [
            ("", "a.har is not JSON"), ("[]", "a.har: log, entries is missing; it must be a list"),
            (#"{"log":{"entries":7}}"#, "a.har: log, entries is not a list"),
            (#"{"log":{"entries":[{}]}}"#, "a.har: entry 1, request, url is missing; it must be a text"),
            (
                #"{"log":{"entries":[{"request":{"url":"http://[SECRET"}}]}}"#,
                "a.har: entry 1, request, url is not a URL"
            ),
            (
                #"{"log":{"entries":[{"request":{"url":"http://h"},"response":{"status":"200"}}]}}"#,
                "a.har: entry 1, response, status is not a whole number"
            ),
            (
                #"{"log":{"entries":[{"request":{"url":"http://h"},"response":{"status":200}}]}}"#,
                "a.har: entry 1, request, method is missing; it must be a text"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h","headers":[{"value":""}]},"response":{"status":200}}]}}"#,
                "a.har: entry 1, request, headers, name is missing; it must be a text"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h"},"response":{"status":200,"content":{"text":"!!!!","encoding":"base64"}}}]}}"#,
                "a.har: entry 1, response, content, text is not Base64"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h"},"response":{"status":200,"content":{"text":"aGk","encoding":"base64"}}}]}}"#,
                "a.har: entry 1, response, content, text is not Base64"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h"},"response":{"status":200,"headers":[{"name":"A","value":"a\r\nX-B: c"}]}}]}}"#,
                "a.har: entry 1, response, headers: the name or value of a header has a control character"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h"},"response":{"status":200,"headers":[{"name":"A","value":"a\rb"}]}}]}}"#,
                "a.har: entry 1, response, headers: the name or value of a header has a control character"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h"},"response":{"status":200,"headers":[{"name":"A","value":"a\u0000b"}]}}]}}"#,
                "a.har: entry 1, response, headers: the name or value of a header has a control character"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h"},"response":{"status":200,"headers":[{"name":"A","value":"a\u007fb"}]}}]}}"#,
                "a.har: entry 1, response, headers: the name or value of a header has a control character"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h"},"response":{"status":200,"headers":[{"name":"A\r\nB","value":""}]}}]}}"#,
                "a.har: entry 1, response, headers: the name or value of a header has a control character"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h"},"response":{"status":200,"statusText":"O\r\nK"}}]}}"#,
                "a.har: entry 1, response, statusText is not a text without control characters"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h"},"response":{"status":200,"content":{"text":"!","encoding":"base64"}}}]}}"#,
                "a.har: entry 1, response, content, text is not Base64"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h"},"response":{"status":200,"content":{"_file":"../../etc/passwd"}}}]}}"#,
                "a.har: entry 1, response, content, _file is not the name of a file in the folder beside"
            ),
        ])
    func faults(_ text: String, _ message: String) {
        let error = #expect(throws: AsyncNetError.self) { try read(text) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message == message)
    }

    @Test("A missing file is an error that names the file")
    func missing() {
        let error = #expect(throws: AsyncNetError.self) { try Recording(contentsOf: URL(filePath: "/none/a.har")) }
        #expect(error?.code == .fileNotReadable && error?.message == "The recording a.har cannot be read")
    }

    @Test(
        "Errors recorded by Chrome and by AsyncNet are read as error codes",
        arguments: [
            ("net::ERR_NAME_NOT_RESOLVED", .hostNotFound), ("net::ERR_CONNECTION_TIMED_OUT", .timedOut),
            ("net::ERR_CERT_AUTHORITY_INVALID", .certificateNotTrusted), ("what?", .transportFailed),
            ("timedOut: Too slow", .timedOut), ("timedOut", .timedOut),
        ] as [(String, AsyncNetError.Code)])
    func failureTexts(_ text: String, _ code: AsyncNetError.Code) {
        #expect(FailureText.failure(text).code == code)
    }
}
