import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetTestSupport

/// The same traffic must give the same file, and a live request must look like the recorded one.
@Suite("Exchanges as written to a recording", .timeLimit(.minutes(5)))
struct WrittenFormTests {
    private let format = RecordingFormat.standard

    private func request(
        _ url: String = "http://h/a", _ headers: HTTPHeaders = [:], _ body: String = ""
    ) throws -> RecordedExchange.Request {
        .init(method: .post, url: try url.asURL(), headers: headers, body: Data(body.utf8))
    }

    private func written(
        _ headers: HTTPHeaders, _ body: String = "", _ sent: HTTPHeaders = [:], _ format: RecordingFormat = .standard
    ) throws -> RecordedExchange.Response {
        let response = RecordedExchange.Response(200, headers: headers, body: Data(body.utf8))
        let exchange = RecordedExchange(try request("http://h/a", sent), .response(response))
        return try #require(format.written(exchange).response)
    }

    // MARK: Headers

    @Test("Only the listed request headers are written, sorted, and the list can be replaced")
    func requestHeaders() throws {
        let headers: HTTPHeaders = [
            "range: bytes=0-1", "X-Mine: 1", "Accept: a/b", "User-Agent: x", "Accept-Language: de",
            "Authorization: Basic x",
            "Idempotency-Key: 1",
        ]
        #expect(format.written(try request("http://h/", headers)).headers == ["Accept: a/b", "range: bytes=0-1"])
        let own = RecordingFormat(requestHeaders: ["x-mine", "Authorization"])
        #expect(own.written(try request("http://h/", headers)).headers == ["Authorization: REDACTED", "X-Mine: 1"])
    }

    @Test("Response headers that differ each time are omitted")
    func responseHeaders() throws {
        let headers: HTTPHeaders = [
            "X-B: 2", "Date: Mon, 23 Nov 2026 10:00:00 GMT", "X-Request-ID: 7", "ETag: \"1\"", "Connection: close",
            "X-B: 1", "Set-Cookie: a=1; Path=/",
        ]
        #expect(
            try written(headers).headers == ["ETag: \"1\"", "Set-Cookie: a=REDACTED; Path=/", "X-B: 2", "X-B: 1"])
        let all = RecordingFormat(omittedResponseHeaders: [])
        #expect(try written(headers, "", [:], all).headers.contains(name: "Date"))
    }

    @Test(
        "An Expires after Date is omitted, and one before it is written",
        arguments: [
            ("Expires: Tue, 24 Nov 2026 10:00:00 GMT", nil),
            ("Expires: Sun, 22 Nov 2026 10:00:00 GMT", "Expires: Sun, 22 Nov 2026 10:00:00 GMT"),
            ("Expires: 0", "Expires: 0"),
            ("Set-Cookie: a=1; Expires=Tue, 24 Nov 2026 10:00:00 GMT; Path=/", "Set-Cookie: a=REDACTED; Path=/"),
            (
                "Set-Cookie: a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
                "Set-Cookie: a=REDACTED; Expires=Thu, 01 Jan 1970 00:00:00 GMT"
            ),
        ] as [(String, String?)])
    func expiry(_ header: String, _ expected: String?) throws {
        let kept = try written([HTTPHeader(stringLiteral: header), "Date: Mon, 23 Nov 2026 10:00:00 GMT"]).headers
        #expect(kept.map { "\($0.name): \($0.value)" } == [expected].compactMap(\.self))
    }

    @Test("A redacted body has its new Content-Length and no digest")
    func lengths() throws {
        let body = #"{"token":"1"}"#
        let changed = try written(["Content-Length": "13", "Content-Type": "application/json", "Digest": "x"], body)
        #expect(changed.headers == ["Content-Length": "20", "Content-Type": "application/json"])
        #expect(changed.body == Data(#"{"token":"REDACTED"}"#.utf8))
        let other = try written(["Content-Length": "99", "Content-Type": "application/json"], body)
        #expect(other.headers["Content-Length"] == "99", "The body broke off")
        #expect(try written(["Content-Length": "1", "Digest": "x"], "a").headers["Digest"] == "x")
    }

    // MARK: URLs and ports

    @Test(
        "Ephemeral ports of local servers are omitted",
        arguments: [
            ("http://127.0.0.1:40123/a", "http://127.0.0.1/a"), ("http://localhost:32768/", "http://localhost/"),
            ("http://[::1]:65535/", "http://[::1]/"), ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
            ("http://127.0.0.1:32767/", "http://127.0.0.1:32767/"), ("http://h:40123/", "http://h:40123/"),
            ("http://alocalhost:40123/", "http://alocalhost:40123/"),
            ("http://x.localhost:40123/", "http://x.localhost:40123/"),
            ("http://h/?to=http%3A%2F%2F127.0.0.1%3A40123%2Fa", "http://h/?to=http%3A%2F%2F127.0.0.1%2Fa"),
            ("http://127.0.0.1:401234/", "http://127.0.0.1:401234/"), ("127.0.0.1:40123", "127.0.0.1"),
            ("127.0.0.1:40123, localhost:40124!", "127.0.0.1, localhost!"), ("a:b:c", "a:b:c"), ("", ""),
        ])
    func ports(_ text: String, _ expected: String) {
        #expect(String(decoding: LocalPorts.removed(from: Array(text.utf8)), as: UTF8.self) == expected)
    }

    @Test("Local ports are omitted from URLs, headers and bodies unless keepsLocalPorts is set")
    func keptPorts() throws {
        let url = "http://127.0.0.1:40123/a"
        var keeping = format
        keeping.keepsLocalPorts = true
        for (format, expected) in [(format, "http://127.0.0.1/a"), (keeping, url)] {
            #expect(format.written(try request(url)).url.absoluteString == expected)
            let response = try written(["Location": "\(url)"], "{\"next\":\"\(url)\"}", [:], format)
            #expect(response.headers["Location"] == expected)
            #expect(response.body == Data("{\"next\":\"\(expected)\"}".utf8))
        }
    }

    @Test("A written URL has its userinfo and secret query items redacted, and no fragment")
    func urls() throws {
        let url = format.written(try request("http://u:p@h/a?b=1&token=2#c")).url.absoluteString
        #expect(url == "http://REDACTED:REDACTED@h/a?b=1&token=REDACTED")
    }

    // MARK: Bodies

    @Test("Multipart forms with different boundaries are written the same")
    func boundaries() throws {
        var forms: [RecordedExchange.Request] = []
        for boundary in ["one", "two words", "AsyncNet-boundary"] {
            let body = "--\(boundary)\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n--\(boundary)--\r\n"
            let type = "multipart/form-data; boundary=\(MultipartForm.quotedIfNeeded(boundary))"
            forms.append(format.written(try request("http://h/", ["Content-Type": type], body)))
        }
        #expect(Set(forms).count == 1)
        #expect(forms.first?.headers == ["Content-Type": "multipart/form-data; boundary=AsyncNet-boundary"])
    }

    @Test(
        "A secret of a header or cookie with a digit and 12 bytes or more is redacted where the response repeats it"
    )
    func echoes() throws {
        let token = "abcdefgh12345"
        let basic = Data("ada:\(token)".utf8).base64EncodedString()
        for header in [
            "Authorization: Bearer \(token)", "Authorization: Basic \(basic)", "Cookie: a=\(token)",
            "X-API-Key: \(token)",
        ] {
            let sent: HTTPHeaders = [HTTPHeader(stringLiteral: header)]
            let response = try written(["X-Echo": "<\(token)>", "Content-Type": "text/html"], "<b>\(token)", sent)
            #expect(response.headers["X-Echo"] == "<REDACTED>" && response.body == Data("<b>REDACTED".utf8))
        }
        let short = try written(["X-Echo": "secret"], "", ["Authorization": "secret"])
        #expect(short.headers["X-Echo"] == "secret", "A short one may be any word")
    }

    @Test(
        "Messages of failures are written without secrets, times and ports",
        arguments: [
            ("The key X-Api-Key: abc was refused", "The key X-Api-Key: REDACTED"),
            ("GET http://u:p@h/?token=abc failed", "GET http://REDACTED:REDACTED@h/?token=REDACTED failed"),
            ("refused password=abc here", "refused password=REDACTED here"),
            (#"got {"token":"abc"}"#, #"got {"token":"REDACTED"}"#),
            ("sent Authorization: Bearer abc", "sent Authorization: REDACTED"),
            ("sent Bearer abc", "sent Bearer REDACTED"), ("nothing at 127.0.0.1:40123", "nothing at 127.0.0.1"),
            ("It failed: twice", "It failed: twice"),
            ("\(AsyncNetError(.connectionLost).message) (after 3 ms)", AsyncNetError(.connectionLost).message),
        ])
    func messages(_ message: String, _ expected: String) throws {
        let exchange = RecordedExchange(try request(), .failure(.init(.connectionLost, message)))
        #expect(format.written(exchange).outcome == .failure(.init(.connectionLost, expected)))
    }

    // MARK: Closures

    @Test("changeRequest and changeResponse change what is written")
    func closures() throws {
        var own = format
        own.changeRequest = { $0.body = Data("x".utf8) }
        own.changeResponse = { $0.statusCode = 299 }
        #expect(own.written(try request()).body == Data("x".utf8))
        #expect(try written([:], "", [:], own).statusCode == 299)
    }

    @Test("The written form of an exchange that is already in written form is the same")
    func idempotence() throws {
        for body in [PlantedSecrets.json, PlantedSecrets.form, PlantedSecrets.multipart] {
            for type in ["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=B"] {
                var headers = PlantedSecrets.headers
                headers.update(HTTPHeader(name: "Content-Type", value: type))
                var response = RecordedExchange.Response(200, headers: PlantedSecrets.responseHeaders)
                response.chunks = [.init(Data(body.utf8), delay: .milliseconds(1700))]
                let exchange = RecordedExchange(
                    try request("http://127.0.0.1:40000/?\(PlantedSecrets.query)", headers, body), .response(response),
                    latency: .milliseconds(800))
                let once = format.written(exchange)
                #expect(format.written(once) == once)
                #expect(format.written(once.request) == once.request)
            }
        }
    }
}
