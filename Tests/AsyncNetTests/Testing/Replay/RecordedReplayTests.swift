import AsyncNet
import AsyncNetTestSupport
import Foundation
import Testing

/// What is recorded, written to a file and read again answers the same requests, with other secrets and ports.
@Suite("Replays of recordings written to a file", .timeLimit(.minutes(5)))
struct RecordedReplayTests {
    /// Sends each kind of request, with secrets of its own.
    private func visit(_ session: Session, port: Int, secret: String) async throws -> [String] {
        let base = "http://127.0.0.1:\(port)"
        func text(_ request: DataRequest) async throws -> String { try await request.serializing(String.self).value }
        var texts: [String] = []
        let member: JSON = ["name": "Ada", "password": JSON(secret), "age": 36]
        texts.append(try await text(session.request("\(base)/users?page=1&access_token=\(secret)")))
        texts.append(try await text(session.request("\(base)/users?page=2&access_token=\(secret)")))
        texts.append(try await text(session.post("\(base)/users", parameters: member)))
        texts.append(try await text(session.post("\(base)/login", parameters: ["user": "ada", "password": secret])))
        let form = session.upload(
            .multipart { form in
                form.append("Ada", name: "name")
                form.append(secret, name: "password")
                form.append(Data([0, 255, 1]), name: "file", fileName: "a.bin")
            }, to: "\(base)/form")
        texts.append(try await form.serializing(String.self).value)
        let bytes = session.upload(
            .data(Data([9, 0, 200])), to: "\(base)/bytes", headers: ["Authorization": "Bearer \(secret)"])
        texts.append(try await bytes.serializing(String.self).value)
        let first = session.request("\(base)/file", headers: ["Range": "bytes=0-1"])
        let second = session.request("\(base)/file", headers: ["Range": "bytes=2-3"])
        texts.append(try await text(second))
        texts.append(try await text(first))
        let zipped = session.upload(
            .data(Data(#"{"note":"\#(String(repeating: "long ", count: 500))","token":"\#(secret)"}"#.utf8)),
            to: "\(base)/zipped", headers: [.contentType("application/json")],
            options: RequestOptions(interceptors: [RequestCompressor()]))
        texts.append(try await zipped.serializing(String.self).value)
        return texts
    }

    @Test("Requests with another port and other secrets get the responses of the recording in a file")
    func roundTrip() async throws {
        let stub = StubTransport { request in
            .text(
                "\(request.method) \(request.path) \(request.query?.prefix(6) ?? "") \(request.headers["Range"] ?? "")")
        }
        let recorder = RecordingTransport(over: stub)
        let recorded = try await visit(Session(transport: recorder), port: 40_001, secret: "secret-number-one-1")
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "site.har")
        try recorder.recording.write(to: file)
        let replay = try ReplayTransport(contentsOf: file)
        let replayed = try await visit(Session(transport: replay), port: 50_002, secret: "another-secret-2")
        #expect(replayed == recorded)
        #expect(Set(recorded).count == recorded.count)
        try replay.verify()
    }

    @Test("Requests with other secrets get the responses of a recording in memory")
    func inMemory() async throws {
        let stub = StubTransport { request in .text("\(request.method) \(request.path) \(request.query ?? "")") }
        let recorder = RecordingTransport(over: stub)
        let recorded = try await visit(Session(transport: recorder), port: 40_001, secret: "secret-number-one-1")
        let replay = ReplayTransport(recorder.recording)
        #expect(try await visit(Session(transport: replay), port: 40_001, secret: "another-secret-2") == recorded)
        try replay.verify()
    }

    @Test("Recorded failures, retries and interrupted bodies are replayed")
    func failures() async throws {
        func read(_ transport: some Transport) async throws -> [String] {
            let clock = TestClock()
            let session = Session(
                transport: transport, configuration: .init(interceptors: [RetryPolicy(limit: 5)], clock: clock))
            return try await clock.run {
                let first = try await session.request("http://a.example/flaky").serializing(String.self).value
                let second = try await session.request("http://a.example/flaky").serializing(String.self).value
                return [first, second]
            }
        }
        let count = Counter()
        let stub = StubTransport { _ in
            switch count.next() {
            case 1: .fault(.resetBeforeHead)
            case 2: .status(503, body: "busy")
            case 3: .data(Data("whole".utf8)).with(.resetMidBody(after: 2))
            case let number: .text("answer \(number)")
            }
        }
        let recorder = RecordingTransport(over: stub)
        let recorded = try await read(recorder)
        #expect(recorded == ["answer 4", "answer 5"])
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "flaky.har")
        try recorder.recording.write(to: file)
        let replay = try ReplayTransport(contentsOf: file)
        #expect(try await read(replay) == recorded)
        try replay.verify()
    }
}
