import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Multipart forms", .timeLimit(.minutes(5)))
struct MultipartFormTests {
    private func text(_ build: (inout MultipartForm) -> Void) async throws -> String {
        var data = Data()
        for try await chunk in RequestBody.multipart(boundary: "B", build).chunks { data.append(chunk) }
        return String(decoding: data, as: UTF8.self)
    }

    private func failure(boundary: String? = nil, headers: HTTPHeaders = [:], _ build: (inout MultipartForm) -> Void)
        async -> AsyncNetError?
    {
        let session = Session(transport: StubTransport { _ in .status(200) })
        return await session.upload(.multipart(boundary: boundary, build), to: "http://a/", headers: headers)
            .serializing(Data.self).result.failure
    }

    @Test("A form is written as in RFC 7578 and RFC 2046 §5.1")
    func wire() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("photo.PNG", Data("png".utf8))
        let form = try await text { form in
            form.append("Ada", name: "name")
            form.append(Data([0x78]), name: "raw")
            form.append(Data("{}".utf8), name: "doc", fileName: "a.json")
            form.append(file, name: "avatar")
            form.append(file, name: "other", fileName: "b", mimeType: "image/x")
            form.append(chunks("a", "b"), length: 2, name: "live", fileName: "c.txt", mimeType: nil)
            form.append(.data(Data()), name: "own", headers: ["Content-Type": "text/x; charset=utf-8", "X-Part": "1"])
        }
        #expect(
            form == """
                --B\r\nContent-Disposition: form-data; name="name"\r\n\r\nAda\r\n\
                --B\r\nContent-Disposition: form-data; name="raw"\r\n\r\nx\r\n\
                --B\r\nContent-Disposition: form-data; name="doc"; filename="a.json"\r\nContent-Type: application/json\r\n\r\n{}\r\n\
                --B\r\nContent-Disposition: form-data; name="avatar"; filename="photo.PNG"\r\nContent-Type: image/png\r\n\r\npng\r\n\
                --B\r\nContent-Disposition: form-data; name="other"; filename="b"\r\nContent-Type: image/x\r\n\r\npng\r\n\
                --B\r\nContent-Disposition: form-data; name="live"; filename="c.txt"\r\nContent-Type: text/plain\r\n\r\nab\r\n\
                --B\r\nContent-Disposition: form-data; name="own"\r\nContent-Type: text/x; charset=utf-8\r\nX-Part: 1\r\n\r\n\r\n\
                --B--\r\n
                """)
        #expect(try await text { _ in } == "--B--\r\n")
    }

    @Test(
        "Names and file names of parts are escaped as browsers do",
        arguments: [
            ("plain", "plain", "plain"), (#"a"b"#, "a%22b", "a%22b"), (#"a\b"#, #"a\b"#, #"a\b"#),
            ("a%22b", "a%22b", "a%22b"),
            ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"), ("a\nb", "a%0D%0Ab", "a%0Ab"), ("a\rb", "a%0D%0Ab", "a%0Db"),
            ("a\r\rb\n\n", "a%0D%0A%0D%0Ab%0D%0A%0D%0A", "a%0D%0Db%0A%0A"),
            ("日本語", "日本語", "日本語"), ("👩‍👩‍👧‍👦.png", "👩‍👩‍👧‍👦.png", "👩‍👩‍👧‍👦.png"), ("a;b='c'", "a;b='c'", "a;b='c'"), ("", "", ""),
            ("e\u{301}", "e\u{301}", "e\u{301}"),
            ("\r\nX-Injected: 1", "%0D%0AX-Injected: 1", "%0D%0AX-Injected: 1"),
        ])
    func names(_ name: String, _ escapedName: String, _ escapedFileName: String) async throws {
        let form = try await text { $0.append(Data(), name: name, fileName: name, mimeType: "a/b") }
        let expected =
            "--B\r\nContent-Disposition: form-data; name=\"\(escapedName)\"; filename=\"\(escapedFileName)\"\r\nContent-Type: a/b\r\n\r\n\r\n--B--\r\n"
        #expect(Array(form.utf8) == Array(expected.utf8))
    }

    @Test("A random boundary that occurs in a part is replaced; a given boundary that occurs in a part is an error")
    func boundaryInside() async throws {
        for place in ["x\(MultipartForm.randomBoundary())", MultipartForm.randomBoundary(), "B"] {
            var form = MultipartForm()
            let first = form.boundary
            form.append(place == "B" ? first : "a\(first)b", name: "a")
            form.append(Data("\r\n--\(first)--".utf8), name: "b")
            let settled = try form.settled()
            #expect(settled.boundary != first)
            #expect(settled.parts.count == 2)
        }
        let error = await failure(boundary: "xyz") { $0.append("12xyz34", name: "a") }
        #expect(error?.code == .encodingFailed)
        #expect(error?.message.contains("boundary occurs") == true)
        #expect(await failure(boundary: "xyz") { $0.append("12xy34z", name: "a") } == nil)
    }

    @Test(
        "An invalid boundary is an error (RFC 2046 §5.1.1), and a boundary with a space is quoted",
        arguments: [
            ("", false), (String(repeating: "x", count: 71), false), (String(repeating: "x", count: 70), true),
            ("a b", true), ("a ", false), ("a\r\nb", false),
            ("a\"b", false), ("é", false), ("'()+_,-./:=?", true),
        ])
    func boundaries(_ boundary: String, _ isGood: Bool) async {
        let error = await failure(boundary: boundary) { $0.append("x", name: "a") }
        #expect(error?.code == (isGood ? nil : .encodingFailed))
        #expect(MultipartForm(boundary: "a b").contentType == "multipart/form-data; boundary=\"a b\"")
        #expect(MultipartForm(boundary: "ab").contentType == "multipart/form-data; boundary=ab")
    }

    @Test("A part's header with a line break or NUL throws encodingFailed")
    func injection() async {
        for headers in [["X": "a\r\nY: b"], ["X\r\nY": "b"], ["X": "a\0"], ["Content-Disposition": "a\nb"]]
            as [HTTPHeaders]
        {
            #expect(await failure { $0.append(.data(Data()), name: "a", headers: headers) }?.code == .encodingFailed)
        }
        #expect(
            await failure { $0.append(Data(), name: "a", fileName: "b", mimeType: "a/b\r\nX: 1") }?.code
                == .encodingFailed)
    }

    @Test(
        "A name with a control character that browsers do not escape is an error",
        arguments: ["\0", "a\0b", "\u{1}", "\u{B}", "\u{1B}[0m", "\u{1F}", "\u{7F}"])
    func controls(_ name: String) async {
        let byName = await failure { $0.append("x", name: name) }
        let byFileName = await failure { $0.append(Data(), name: "a", fileName: name) }
        #expect(byName?.code == .encodingFailed && byFileName?.code == .encodingFailed)
        #expect(byName.map { "\($0)".contains("control character") } == true)
        #expect(await failure { $0.append("x", name: "\t\r\n\u{80}\u{A0}") } == nil)
        #expect(await failure { $0.append("\0", name: "x") } == nil)
    }

    @Test("The request has the form's Content-Type and length, and a contradicting Content-Type is an error")
    func contentType() async throws {
        let stub = StubTransport { .json(["type": JSON($0.headers["Content-Type"] ?? ""), "body": JSON($0.text)]) }
        let session = Session(transport: stub)
        let json = try await session.upload(.multipart { $0.append("x", name: "a") }, to: "http://a/").serializing(
            JSON.self
        ).value
        let boundary = try #require(MediaType(json.type.string ?? "")?.parameters["boundary"])
        #expect(json.type.string == "multipart/form-data; boundary=\(boundary)")
        #expect(json.body.string?.hasPrefix("--\(boundary)\r\n") == true)
        #expect(boundary.utf8.count <= 70)

        let mixed: HTTPHeaders = [.contentType("multipart/mixed; boundary=xyz")]
        #expect(await failure(headers: mixed) { $0.append("x", name: "a") }?.code == .invalidRequest)
        #expect(await failure(boundary: "xyz", headers: mixed) { $0.append("x", name: "a") } == nil)
        #expect(await failure(headers: [.contentType("application/x-own")]) { $0.append("x", name: "a") } == nil)
    }

    @Test("A file or stream that fails as a part of a form ends the request with its error code")
    func brokenParts() async {
        #expect(await failure { $0.append(URL(filePath: "/nowhere"), name: "a") }?.code == .fileNotReadable)
        let broken = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: CocoaError(.fileReadUnknown)) }
        #expect(await failure { $0.append(broken, length: nil, name: "a") }?.code == .bodyStreamFailed)
        #expect(await failure { $0.append(chunks("abc"), length: 4, name: "a") }?.code == .bodyLengthMismatch)
    }

    @Test("A form can be a part of another form, and an error of the closure that builds it is rethrown")
    func nested() async throws {
        let inner = RequestBody.multipart(boundary: "I") { $0.append("x", name: "a") }
        let form = try await text { $0.append(inner, name: "in", mimeType: "multipart/mixed; boundary=I") }
        #expect(
            form
                == "--B\r\nContent-Disposition: form-data; name=\"in\"\r\nContent-Type: multipart/mixed; boundary=I\r\n\r\n"
                + "--I\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--I--\r\n\r\n--B--\r\n")
        #expect(throws: CocoaError.self) {
            try RequestBody.multipart { form in
                form.append("x", name: "a")
                throw CocoaError(.fileReadUnknown)
            }
        }
    }

    @Test("A form inside a form has its own Content-Type, and an invalid boundary of the inner form is an error")
    func nestedBoundaries() async throws {
        let inner = RequestBody.multipart(boundary: "I") { $0.append("x", name: "a") }
        let form = try await text { $0.append(inner, name: "in") }
        #expect(form.contains("name=\"in\"\r\nContent-Type: multipart/form-data; boundary=I\r\n"))
        #expect(
            await failure { $0.append(.multipart(boundary: "x\r\nEvil: y") { _ in }, name: "in") }?.code
                == .encodingFailed)
        #expect(
            await failure { $0.append(.multipart(boundary: "xyz") { $0.append("1xyz2", name: "a") }, name: "in") }?.code
                == .encodingFailed)
        #expect(
            await failure(boundary: "abc") { $0.append(.multipart(boundary: "Iabc") { _ in }, name: "in") }?.code
                == .encodingFailed)
        #expect(
            await failure(boundary: "abc") {
                $0.append(.multipart(boundary: "I") { $0.append("1abc2", name: "a") }, name: "in")
            }?.code == .encodingFailed)
        #expect(
            await failure(boundary: "abc") { $0.append(.data(Data()), name: "a", headers: ["X": "1abc2"]) }?.code
                == .encodingFailed)
    }

    @Test("A form set by an adapter gives the request its Content-Type, and its invalid boundary is an error")
    func adapted() async throws {
        struct Forming: RequestAdapter {
            let boundary: String?
            func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest { request }
            func adapt(_ request: TransportRequest, context: RequestContext) async throws -> TransportRequest {
                var request = request
                request.body = .multipart(boundary: boundary) { $0.append("x", name: "a") }
                return request
            }
        }
        let stub = StubTransport { .text($0.headers["Content-Type"] ?? "none") }
        let good = Session(transport: stub, configuration: .init(interceptors: [Forming(boundary: nil)]))
        #expect(
            try await good.request("http://a/", method: .post).serializing(String.self).value.hasPrefix(
                "multipart/form-data; boundary=AsyncNet-"))
        let bad = Session(transport: stub, configuration: .init(interceptors: [Forming(boundary: "x\r\nEvil: y")]))
        #expect(
            await bad.request("http://a/", method: .post).serializing(String.self).result.failure?.code
                == .encodingFailed)
    }

    @Test(
        "A multipart Content-Type without boundary gets the form's boundary; another boundary throws invalidRequest",
        arguments: [
            ("multipart/form-data", "multipart/form-data; boundary=B"),
            ("Multipart/Mixed; a=b", "Multipart/Mixed; a=b; boundary=B"),
            ("multipart/form-data; boundary=B", "multipart/form-data; boundary=B"), ("application/x", "application/x"),
            ("multipart/form-data; boundary=C", nil), ("multipart/form-data; boundary=", nil),
        ] as [(String, String?)])
    func ownContentType(_ own: String, _ sent: String?) async throws {
        let stub = StubTransport { _ in .text("") }
        let body = RequestBody.multipart(boundary: "B") { $0.append("x", name: "a") }
        let response = await Session(transport: stub).upload(body, to: "http://a/", headers: ["Content-Type": own])
            .serializing(Data.self).response
        #expect(response.error?.code == (sent == nil ? .invalidRequest : nil))
        #expect(stub.requests.first?.headers["Content-Type"] == sent)
    }
}
