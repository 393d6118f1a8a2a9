import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

/// Forms outside of a request, and input streams as bodies.
@Suite("Encoding a form", .timeLimit(.minutes(5)))
struct MultipartEncodingTests {
    private static func form(_ file: URL? = nil) -> MultipartForm {
        var form = MultipartForm(boundary: "B")
        form.append("Ada", name: "name")
        if let file { form.append(file, name: "file", fileName: "a.txt") }
        return form
    }

    private static let encoded =
        "--B\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nAda\r\n--B--\r\n"

    @Test("A form encoded in memory equals the form written to a file, and has its announced length")
    func encode() async throws {
        let form = Self.form()
        #expect(try await form.encode() == Data(Self.encoded.utf8))
        #expect(form.contentLength == Int64(Self.encoded.utf8.count))
        let folder = try TemporaryFolder()
        let source = folder.url.appending(path: "source")
        try Data(repeating: 7, count: 200_000).write(to: source)
        let place = folder.url.appending(path: "form")
        let large = Self.form(source)
        try await large.write(to: place)
        let (written, encoded) = (try Data(contentsOf: place), try await large.encode())
        #expect(written == encoded)
        #expect(large.contentLength == Int64(written.count))
    }

    @Test("write(to:) does not replace an existing file, and a failed form leaves no file")
    func failures() async throws {
        let folder = try TemporaryFolder()
        let place = folder.url.appending(path: "form")
        try Data("old".utf8).write(to: place)
        let exists = await #expect(throws: AsyncNetError.self) { try await Self.form().write(to: place) }
        #expect(exists?.code == .fileNotWritable && (try? Data(contentsOf: place)) == Data("old".utf8))
        let missing = Self.form(folder.url.appending(path: "missing"))
        let other = folder.url.appending(path: "other")
        let error = await #expect(throws: AsyncNetError.self) { try await missing.write(to: other) }
        #expect(error?.code == .fileNotReadable && !FileManager.default.fileExists(atPath: other.path))
        #expect(missing.contentLength == nil)
        var inside = MultipartForm(boundary: "Ada")
        inside.append("Ada", name: "name")
        let taken = await #expect(throws: AsyncNetError.self) { _ = try await inside.encode() }
        #expect(taken?.code == .encodingFailed)
    }

    @Test("An InputStream is a body that can be sent once", arguments: [0, 1, 200_000])
    func inputStream(_ count: Int) async throws {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        let stub = StubTransport { request in .data(request.body) }
        let session = Session(transport: stub)
        let sent = session.upload(.stream(InputStream(data: data), length: Int64(count)), to: "http://a/")
        #expect(try await sent.serializing(Data.self).value == data)
        let body = RequestBody.stream(InputStream(data: data))
        #expect(body.replay == .once)
    }

    @Test("An InputStream can be a part of a form, with a length or without")
    func inputStreamPart() async throws {
        var form = MultipartForm(boundary: "B")
        form.append(InputStream(data: Data("one".utf8)), length: 3, name: "a", mimeType: "text/csv")
        let part = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: text/csv\r\n\r\none\r\n"
        #expect(form.contentLength == Int64((part + "--B--\r\n").utf8.count))
        form.append(InputStream(data: Data("two".utf8)), name: "b", fileName: "b.txt")
        let text = String(decoding: try await form.encode(), as: UTF8.self)
        #expect(text.hasPrefix(part))
        #expect(text.contains("filename=\"b.txt\"\r\nContent-Type: text/plain\r\n\r\ntwo\r\n"))
        #expect(form.contentLength == nil)
    }

    @Test("An InputStream that cannot be read ends the request with bodyStreamFailed")
    func unreadableStream() async throws {
        let stream = try #require(InputStream(fileAtPath: "/nowhere/at/all"))
        let session = Session(transport: StubTransport { request in .data(request.body) })
        let response = await session.upload(.stream(stream), to: "http://a/").serializing(Data.self).response
        #expect(response.error?.code == .bodyStreamFailed)
    }
}
