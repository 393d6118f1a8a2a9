import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors
@testable import AsyncNetTestSupport

/// A file must hold what was recorded, and be whole or not there.
@Suite("Files of recordings", .timeLimit(.minutes(5)))
struct RecordingFileTests {
    private let folder: TemporaryFolder
    private let file: URL

    init() throws {
        folder = try TemporaryFolder()
        file = folder.url.appending(path: "fixtures/a.har")
    }

    private func exchange(
        _ path: String = "/a", _ headers: HTTPHeaders = [:], _ body: Data = Data(), status: Int = 200
    ) throws -> RecordedExchange {
        RecordedExchange(
            .init(url: try "http://h\(path)".asURL()), .response(.init(status, headers: headers, body: body)))
    }

    private func text() throws -> String { String(decoding: try Data(contentsOf: file), as: UTF8.self) }
    private var beside: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: file.path + ".files"))?.sorted() ?? []
    }

    @Test("A recording is unchanged after writing and reading, and written again gives the same file")
    func roundTrip() throws {
        var full = RecordedExchange.Response(200, headers: ["Content-Type": "text/event-stream"])
        full.chunks = [.init(Data("data: 1\n\n".utf8)), .init(Data("data: é\n\n".utf8), delay: .seconds(2))]
        (full.reason, full.httpVersion, full.trailers) = ("Fine", "HTTP/2", ["X-Sum": "1"])
        full.informational = [.init(103, headers: ["Link": "</a>"])]
        full.failure = .init(.connectionLost)
        let sent = RecordedExchange.Request(
            method: .put, url: try "http://h:8080/a?b=%20&b".asURL(), headers: ["Content-Type": "x/y"],
            body: Data([0, 255]))
        let recording = Recording([
            RecordedExchange(sent, .response(full), latency: .seconds(3)),
            RecordedExchange(sent, .failure(.init(.timedOut, "Too slow")), latency: .seconds(60)),
            try exchange("/b", [:], Data([0xFF, 0xFE])), try exchange("/empty", [:], Data(), status: 204),
        ])
        try recording.write(to: file)
        let first = try text()
        let read = try Recording(contentsOf: file)
        #expect(read == recording)
        try read.write(to: file)
        #expect(try text() == first)
    }

    @Test("A JSON body is written with a readable copy, and read from the exact text")
    func readable() throws {
        let body = #"{"b":1.50,"a":[]}"#
        try Recording([try exchange("/a", ["Content-Type": "application/json"], Data(body.utf8))]).write(to: file)
        let entry = try #require(JSONDecoder().decode(HARFile.self, from: Data(contentsOf: file)).log.entries.first)
        #expect(entry.response.content.text == body)
        #expect(entry.response.content.readable == .json(["a": [], "b": 1.5]))
        #expect(try Recording(contentsOf: file).exchanges.first?.response?.body == Data(body.utf8))
    }

    @Test("Large binary bodies are written as files, one for equal bodies, and unused ones are removed")
    func bodyFiles() throws {
        let image = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0) })
        let type: HTTPHeaders = ["Content-Type": "image/png"]
        let other = try exchange("/c", ["Content-Type": "x/octet-stream"], image + [1])
        let recording = Recording([try exchange("/a", type, image), try exchange("/b", type, image), other])
        try recording.write(to: file)
        #expect(
            beside.count == 2 && beside.contains { $0.hasSuffix(".png") } && beside.contains { $0.hasSuffix(".bin") })
        #expect(try Recording(contentsOf: file) == recording)
        try Recording([other]).write(to: file)
        #expect(beside.count == 1)
        try Recording([try exchange("/a", type, image.prefix(4096))]).write(to: file)
        #expect(beside.isEmpty && !FileManager.default.fileExists(atPath: file.path + ".files"))
    }

    @Test("A foreign file in the recording's folder of bodies is not removed")
    func foreignFiles() throws {
        let mine = URL(filePath: file.path + ".files/notes.txt")
        try FileManager.default.createDirectory(at: mine.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data().write(to: mine)
        try Recording().write(to: file)
        #expect(beside == ["notes.txt"])
    }

    @Test("Writing a recording in the place of a folder throws fileNotWritable, and leaves no files behind")
    func failedWrite() throws {
        // A folder is in the file's place.
        try FileManager.default.createDirectory(at: file.appending(path: "x"), withIntermediateDirectories: true)
        let recording = Recording([try exchange("/a", [:], Data((0..<5000).map { _ in 0xFF }))])
        let error = #expect(throws: AsyncNetError.self) { try recording.write(to: file) }
        #expect(error?.code == .fileNotWritable)
        let left = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        #expect(left == ["a.har"])
    }

    @Test("A body truncated at the limit is marked, and its replay ends with an error that says so")
    func truncated() throws {
        var cut = try exchange("/a", [:], Data("ab".utf8))
        var response = try #require(cut.response)
        response.isBodyTruncated = true
        cut.outcome = .response(response)
        cut.request.body = Data("cd".utf8)
        cut.request.isBodyTruncated = true
        try Recording([cut]).write(to: file)
        let read = try #require(try Recording(contentsOf: file).exchanges.first)
        #expect(read.request.isBodyTruncated && read.response?.isBodyTruncated == true)
        #expect(read.response?.body == Data("ab".utf8))
        let failure = try #require(read.response?.failure)
        #expect(failure.code == .transportFailed)
        #expect(failure.message == "The recording a.har: entry 1 has only the first part of the body; record it again")
    }

    @Test("A body whose file is missing is an error in its replay, not in reading the recording")
    func missingBodyFile() throws {
        try Recording([try exchange("/a", [:], Data((0..<5000).map { _ in 0xFF }))]).write(to: file)
        try FileManager.default.removeItem(atPath: file.path + ".files")
        let failure = try #require(try Recording(contentsOf: file).exchanges.first?.response?.failure)
        #expect(failure.message.contains("a.har: entry 1 names a file with the body, which cannot be read"))
    }

    @Test("A sorted recording is the same file in whatever order its exchanges ended")
    func sorting() throws {
        var format = RecordingFormat.standard
        format.isSorted = true
        let exchanges = [try exchange("/b"), try exchange("/a"), try exchange("/a", status: 404)]
        var texts: Set<String> = []
        for order in [[0, 1, 2], [1, 0, 2], [1, 2, 0]] {
            try Recording(order.map { exchanges[$0] }).write(to: file, as: format)
            texts.insert(try text())
        }
        #expect(texts.count == 1)
        let read = try Recording(contentsOf: file).exchanges
        #expect(read.map(\.description) == ["GET http://h/a: 200", "GET http://h/a: 404", "GET http://h/b: 200"])
    }

    @Test("Recordings of the same requests to servers on different ports are the same file")
    func stability() async throws {
        var files: Set<Data> = []
        // On a busy machine a response may take a second, and that time would be written.
        var format = RecordingFormat.standard
        format.timeStep = .zero
        for _ in 0..<3 {
            let server = try await MockServer.start()
            let transport = RecordingTransport(over: .libcurl())
            let session = Session(transport: transport)
            try await traffic(session, server)
            await session.finish()
            await server.stop()
            try transport.recording.write(to: file, as: format)
            files.insert(try Data(contentsOf: file))
        }
        #expect(files.count == 1)
        #expect(try Recording(contentsOf: file).exchanges.count == 6)
    }

    private func traffic(_ session: Session, _ server: MockServer) async throws {
        let now = Date().formatted(.iso8601)
        server.on(.post, "/users") { _ in
            .json(
                #"{"next":"\#(server.url("/users?page=2").absoluteString)"}"#, status: 201,
                headers: ["Location": server.url("/users/1").absoluteString, "X-Request-Id": now])
        }
        server.on(.get, "/start", replies: .redirect(to: "/end"))
        server.on(.get, "/end", replies: .data(Data(repeating: 0xFF, count: 200_000)))
        server.on(
            .get, "/events",
            replies: .chunked(["data: 1\n\nda", "ta: 2\n\n"], headers: ["Content-Type": "text/event-stream"]))
        server.on(.get, "/reset", replies: .text("abc").with(.resetMidBody(after: 1)))
        let form = RequestBody.stream(chunks("a=1&", "b=2"))
        _ = try await session.upload(.multipart { $0.append("Ada", name: "name") }, to: server.url("/users"))
            .serializing(Data.self).value
        _ = try await session.upload(form, to: server.url("/users")).serializing(Data.self).value
        _ = try await session.request(server.url("/start")).serializing(Data.self).value
        for try await _ in session.stream(server.url("/events")).serverSentEvents {}
        _ = await session.request(server.url("/reset")).serializing(Data.self).result
    }
}
