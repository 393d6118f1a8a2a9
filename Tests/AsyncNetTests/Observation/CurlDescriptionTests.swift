import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("cURL description", .timeLimit(.minutes(5)))
struct CurlDescriptionTests {
    private let session = Session(
        transport: StubTransport { _ in .status(200) }, configuration: .init(defaultHeaders: [:]))

    @Test("A curl command has method, headers, body and URL, and the shell expands none of them")
    func whole() async {
        let request = session.request(
            "http://a/b?q=1", method: .put, headers: ["X": "it's $HOME `id`", "Empty": ""],
            options: RequestOptions(modifier: { $0.httpBody = Data("a'b\n$c".utf8) }))
        let text = await request.curlDescription(showsSecrets: true)
        #expect(text.contains(#"-X 'PUT'"#))
        #expect(text.contains(#"-H 'X: it'\''s $HOME `id`'"#))
        #expect(text.contains("-H 'Empty;'"))
        #expect(text.contains("--data-raw 'a'\\''b\n$c'"))
        #expect(text.hasSuffix("'http://a/b?q=1'"))
    }

    @Test(
        "The command of a method that expects a body has Content-Length: 0 without a body",
        arguments: [HTTPMethod.post, .put, .patch])
    func withoutBody(_ method: HTTPMethod) async {
        let text = await session.request("http://a/", method: method).curlDescription()
        #expect(text.contains("-X '\(method.rawValue)' \\\n    -H 'Content-Length: 0' \\\n    'http://a/'"), "\(text)")
        let withBody = await session.upload(.data(Data("a".utf8)), to: "http://a/", method: method).curlDescription()
        #expect(!withBody.contains("Content-Length"))
    }

    @Test(
        "The command of a method that expects no body has no Content-Length",
        arguments: [HTTPMethod.get, .head, .delete, .options])
    func otherMethods(_ method: HTTPMethod) async {
        #expect(await !session.request("http://a/", method: method).curlDescription().contains("Content-Length"))
    }

    @Test("The command of a HEAD request waits for no body")
    func head() async {
        #expect(await session.head("http://a/").curlDescription() == "curl -v \\\n    --head \\\n    'http://a/'")
    }

    @Test("Secrets are redacted unless showsSecrets is set")
    func secrets() async {
        let request = session.request(
            "http://u:hunter2@a/b?t=hunter2",
            headers: [.authorization(bearerToken: "hunter2"), .init(name: "Cookie", value: "hunter2")])
        let redacted = await request.curlDescription()
        #expect(!redacted.contains("hunter2"))
        #expect(redacted.contains("'http://a/b?<redacted>'"))
        #expect(await request.curlDescription(showsSecrets: true).components(separatedBy: "hunter2").count == 5)
    }

    @Test("A rule of one's own redacts headers, the URL's path and the body too")
    func ownRule() async {
        let rule = RedactionRule(headers: ["X-Session"], queryNames: ["iban"], fields: ["iban"]) { name, _ in
            name == "X-Mail" ? "<mail>" : nil
        }
        let request = session.upload(
            .data(Data(#"{"iban":"hunter2","password":"hunter2"}"#.utf8)), to: "http://a/b;iban=hunter2?q=hunter2",
            headers: ["X-Session": "hunter2", "X-Mail": "hunter2", "Authorization": "hunter2"])
        let text = await request.curlDescription(redaction: rule)
        #expect(!text.contains("hunter2"), "\(text)")
        #expect(text.contains("'X-Mail: <mail>'") && text.contains("'Authorization: <redacted>'"))
        #expect(await request.curlDescription().components(separatedBy: "hunter2").count == 5)
        #expect(await request.curlDescription(showsSecrets: true, redaction: rule).contains("?q=hunter2"))
    }

    @Test("Secret fields of bodies are redacted unless showsSecrets is set", arguments: ["json", "form", "multipart"])
    func secretFields(_ kind: String) async throws {
        let bodies: [String: (RequestBody, HTTPHeaders, String)] = [
            "json": (
                .data(Data(#"{"user":"ada","password":"hunter2"}"#.utf8)), [.contentType("application/json")],
                #"--data-raw '{"user":"ada","password":"REDACTED"}'"#
            ),
            "form": (
                .data(Data("user=ada&password=hunter2".utf8)), [.contentType("application/x-www-form-urlencoded")],
                "--data-raw 'user=ada&password=REDACTED'"
            ),
            "multipart": (
                .multipart {
                    $0.append("ada", name: "user")
                    $0.append("hunter2", name: "password")
                }, [:], "--form-string 'user=ada' \\\n    --form-string 'password=REDACTED'"
            ),
        ]
        let (body, headers, shown) = try #require(bodies[kind])
        let request = session.upload(body, to: "http://a/", headers: headers)
        let redacted = await request.curlDescription()
        #expect(redacted.contains(shown) && !redacted.contains("hunter2"), "\(redacted)")
        #expect(await request.curlDescription(showsSecrets: true).contains("hunter2"))
    }

    @Test("A compressed body is part of the command only if showsSecrets is set")
    func compressed() async {
        let session = Session(
            transport: StubTransport { _ in .status(200) },
            configuration: .init(interceptors: [RequestCompressor(.gzip)]))
        let request = session.upload(.data(Data(repeating: 0x61, count: 10_000)), to: "http://a/")
        _ = await request.serializing(Data.self).result
        let redacted = await request.curlDescription()
        #expect(redacted.hasPrefix("# The body is compressed") && redacted.contains("Content-Encoding: gzip"))
        #expect(await request.curlDescription(showsSecrets: true).contains("base64 -d"))
    }

    @Test("A shell that runs the command passes a binary body unchanged")
    func shell() async throws {
        let body = Data([0, 255, 10, 39, 13])
        try await withServer(.text("thanks")) { (server: MockServer) async throws in
            let command = await session.request(
                server.url(), method: .post, options: RequestOptions(modifier: { $0.httpBody = body })
            )
            .curlDescription()
            let shell = try ChildProcess(["/bin/sh", "-c", command.replacing("curl -v", with: "cat; exit 3 #")])
            #expect(await shell.allOutput() == body)
        }
    }

    private static let hasCurl = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

    /// Runs curl, and compares its request with the same request of a session.
    @Test(
        "curl sends the same request, with a body in memory, a file or a form", .enabled(if: hasCurl, "needs curl"),
        arguments: ["data", "none", "file", "form"])
    func curl(_ kind: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("it's \"a\" file.txt", patternedData(10_000))
        let bodies: [String: RequestBody] = [
            "data": .data(Data("a'b".utf8)), "none": .data(Data()), "file": .file(file),
            "form": .multipart(boundary: "B") { form in
                form.append("a'b;c=d", name: "text")
                form.append(file, name: "file", fileName: "a.txt")
                form.append(file, name: "other", fileName: "b,c;d=e'f@g<h")
            },
        ]
        try await compare(try #require(bodies[kind])) { $0.contains("-F 'file=") == (kind == "form") }
    }

    @Test(
        "A form that curl has no option for is read from standard input, with a comment",
        arguments: ["a=b", "", "\"q\"", "\\", "a\r\nb", "\t"])
    func formNames(_ name: String) async {
        let text = await session.upload(.multipart(boundary: "B") { $0.append("x", name: name) }, to: "http://a/")
            .curlDescription()
        #expect(text.hasPrefix("# The form has a part") && text.contains("--data-binary @-"), "\(text)")
    }

    @Test(
        "A form whose names have no quote, backslash, control character or = is sent by curl's -F and --form-string",
        .enabled(if: hasCurl, "needs curl"),
        arguments: ["a;type", ",", "@a", "<a", "'", "é", "$(id)", "%22", "-"])
    func plainNames(_ name: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("p,q;r=\"s\\ 't.txt", Data("from a file".utf8))
        try await compare(
            .multipart(boundary: "B") { form in
                form.append("@/etc/passwd;type=\(name)", name: name)
                form.append(file, name: name, fileName: name, mimeType: "text/plain")
            }
        ) { $0.contains("--form-string") && $0.contains("-F") }
    }

    @Test(
        "The command of a form with a control character in a name begins with a comment",
        arguments: ["a\0=", "a\u{1}=", "a\u{7F}="])
    func controls(_ name: String) async {
        let text = await session.upload(.multipart { $0.append("x", name: name) }, to: "http://a/").curlDescription()
        #expect(text.hasPrefix("# "))
    }

    /// Checks that curl sends the bytes that this library sends, except for the boundary of a form.
    private func compare(_ body: RequestBody, _ isRight: (String) -> Bool = { _ in true }) async throws {
        let request = session.upload(body, to: "http://127.0.0.1/x", method: .put, headers: [.omitting("Accept")])
        try await withServer(.text("thanks"), .text("thanks")) { (server: MockServer) async throws in
            let command = await request.curlDescription().replacing("127.0.0.1/", with: "127.0.0.1:\(server.port)/")
            #expect(isRight(command), "\(command)")
            let shell = try ChildProcess([
                "/bin/sh", "-c", command.replacing("curl -v", with: "/usr/bin/curl -s --noproxy '*'"),
            ])
            let byCurl = try await server.takeRequest()
            _ = await shell.allOutput()
            _ = try await Session(configuration: .init(defaultHeaders: [:])).upload(
                body, to: server.url("/x"), method: .put, headers: [.omitting("Accept")]
            ).serializing(Data.self).value
            let byUs = try await server.takeRequest()
            #expect(byCurl.method == byUs.method)
            #expect(
                Set(byCurl.headers.map { $0.name.lowercased() }).subtracting(["user-agent"])
                    == Set(byUs.headers.map { $0.name.lowercased() }).subtracting(["accept-encoding"]))
            let (one, other) = (
                MediaType(byCurl.headers["Content-Type"] ?? ""), MediaType(byUs.headers["Content-Type"] ?? "")
            )
            if let boundary = one?.parameters["boundary"], boundary != other?.parameters["boundary"] {
                #expect(byCurl.text.replacing(boundary, with: "B") == byUs.text)
            } else {
                #expect(byCurl.body == byUs.body, "\(command)\n\(byCurl.text)\n\(byUs.text)")
                #expect(byCurl.headers["Content-Type"] == byUs.headers["Content-Type"])
            }
        }
    }

    @Test("A body that cannot be part of a command is read from standard input, with a comment")
    func streams() async {
        let stream = await session.upload(.stream(chunks("a")), to: "http://a/").curlDescription()
        #expect(stream.hasPrefix("# The body is a stream"))
        #expect(stream.contains("--data-binary @-"))
        let form = await session.upload(
            .multipart { $0.append(chunks("a"), length: nil, name: "s", fileName: "f.txt") }, to: "http://a/"
        ).curlDescription()
        #expect(form.contains(#"-F 's=@-;filename="f.txt";type=text/plain'"#))
    }

    @Test("The command of a request that cannot be made is a comment with the reason")
    func impossible() async {
        #expect(await session.request("nonsense").curlDescription().hasPrefix("# "))
    }
}
