import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("HAR recorder", .timeLimit(.minutes(5)))
struct HARRecorderTests {
    private func entries(_ data: Data) throws -> [HAREntry] {
        try JSONDecoder().decode(HARFile.self, from: data).log.entries
    }

    private func log(_ recorder: HARRecorder) throws -> HARLog {
        try JSONDecoder().decode(HARFile.self, from: recorder.data()).log
    }

    @Test("Each hop has an entry with a status or an error", arguments: EventScenario.all)
    func scenarios(_ scenario: EventScenario) async throws {
        let observed = try await scenario.anew(in: EventScenario.all).observe().events
        let recorder = HARRecorder()
        for event in observed { recorder.receiveNow(event) }
        let hops = observed.filter { if case .hop = $0.event { true } else { false } }
        let log = try log(recorder)
        #expect(log.entries.count == hops.count && log.comment == nil)
        for entry in log.entries {
            #expect(entry.response.status != 0 || entry.error?.isEmpty == false)
            #expect(entry.time == entry.timings.sum)
        }
    }

    @Test("A revalidation has an entry with its 304, and a response from the cache has none")
    func cached() async throws {
        let recorder = HARRecorder()
        let stub = StubTransport { request in
            let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=60"]
            return request.headers["If-None-Match"] == nil ? .text("abc", headers: headers) : .status(304)
        }
        let configuration = SessionConfiguration(monitors: [recorder], cache: HTTPCache())
        let session = Session(transport: stub, configuration: configuration)
        for mode in [CacheMode.standard, .standard, .revalidate] {
            let options = RequestOptions(cacheMode: mode)
            _ = try await session.request("http://h/a", options: options).serializing(String.self).value
        }
        let entries = try log(recorder).entries
        #expect(entries.map(\.response.status) == [200, 304])
        #expect(entries.map(\.response.content.text) == ["abc", nil])
    }

    @Test("A redirect and a challenge each have an entry")
    func numbers() async throws {
        let recorder = HARRecorder()
        let stub = StubTransport { request in
            switch (request.path, request.headers["Authorization"]) {
            case ("/a", _): .redirect(to: "/b")
            case (_, nil): .status(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""])
            default: .text("end")
            }
        }
        let session = Session(transport: stub, configuration: .init(monitors: [recorder]))
        let options = RequestOptions(credential: PasswordCredential(username: "u", password: "p"))
        _ = try await session.request("http://h/a", options: options).serializing(String.self).value
        let entries = try log(recorder).entries
        #expect(entries.map(\.response.status) == [302, 401, 200])
        #expect(entries.map(\.hop) == [1, 2, 3] && entries.map(\.attempt) == [1, 1, 1])
        #expect(entries.map(\.response.redirectURL) == ["/b", "", ""])
        #expect(Set(entries.map(\.requestID)).count == 1)
        #expect(entries.last?.response.content.text == "end")
    }

    @Test(
        "The entry of a hop without a response has status 0 and the error's code",
        arguments: [
            (MockResponse.Fault.refuse, "cannotConnect"), (.stall, "timedOut"), (.resetBeforeHead, "connectionLost"),
        ])
    func failures(_ fault: MockResponse.Fault, _ code: String) async throws {
        let (clock, recorder) = (TestClock(), HARRecorder())
        let stub = StubTransport(clock: clock) { _ in .fault(fault) }
        let session = Session(transport: stub, configuration: .init(monitors: [recorder], clock: clock))
        await clock.run { _ = await session.request("http://h/?token=Q").serializing(Data.self).result }
        let entry = try #require(log(recorder).entries.first)
        #expect(entry.response.status == 0 && entry.error?.hasPrefix(code) == true)
        #expect(entry.request.url == "http://h/?token=REDACTED")
        if code == "timedOut" { #expect(entry.timings.wait == 60_000 && entry.time == 60_000) }
    }

    @Test("Over libcurl a request to a host that is not found has an entry with status 0 and hostNotFound")
    func notFound() async throws {
        let recorder = HARRecorder()
        let session = Session(transport: .libcurl(), configuration: .init(monitors: [recorder]))
        _ = await session.request("http://nowhere.invalid/").serializing(Data.self).result
        await session.finish()
        let entry = try #require(log(recorder).entries.first)
        #expect(entry.response.status == 0 && entry.error?.hasPrefix("hostNotFound") == true)
    }

    @Test("Over sockets an entry has the heads as sent, sizes, timings and the connection")
    func wire() async throws {
        let (server, recorder) = (try await MockServer.start(), HARRecorder())
        await server.enqueue(.json(#"{"id":1}"#), .json(#"{"id":2}"#))
        // On a busy machine more than a minute, the default timeout, may pass between the two requests.
        let session = Session(
            transport: .sockets(.init(idleTimeout: .seconds(600))), configuration: .init(monitors: [recorder]))
        _ = try await session.post(server.url("/a?b=c%20d#e"), parameters: ["x": 1]).serializing(Data.self).value
        _ = try await session.request(server.url("/")).serializing(Data.self).value
        await session.finish()
        await server.stop()
        let entries = try log(recorder).entries
        let (first, second) = (try #require(entries.first), try #require(entries.last))
        #expect(first.request.headers.contains { $0.name == "Host" } && !first.request.url.contains("#"))
        #expect(first.request.queryString == [HARPair(name: "b", value: "c d")])
        #expect(first.request.postData?.text == #"{"x":1}"# && first.request.bodySize == 7)
        #expect(first.response.content.text == #"{"id":1}"# && first.response.bodySize == 8)
        #expect(first.request.headersSize > 40 && first.response.headersSize > 20)
        #expect(first.serverIPAddress == "127.0.0.1" && first.connection == server.url("/").port.map(String.init))
        #expect(first.isConnectionReused == false && second.isConnectionReused == true)
        #expect(first.timings.connect ?? -1 > 0 && first.timings.ssl == -1 && second.timings.connect == -1)
        #expect(first.request.httpVersion == "HTTP/1.1" && first.response.httpVersion == "HTTP/1.1")
    }

    @Test("Above the memory limit the oldest entries are dropped and counted in a comment")
    func bounded() async throws {
        let recorder = HARRecorder(memoryLimit: 3 * 4200)
        let session = Session(transport: StubTransport { _ in .text("a") }, configuration: .init(monitors: [recorder]))
        for number in 1...5 { _ = try await session.request("http://h/\(number)").serializing(Data.self).value }
        let log = try log(recorder)
        #expect(log.entries.map(\.request.url) == ["http://h/3", "http://h/4", "http://h/5"])
        #expect(log.comment?.hasPrefix("2 entries are missing") == true)
        recorder.removeAll()
        #expect(try self.log(recorder).entries.isEmpty)
    }

    @Test("A running exchange has no entry, and is counted in a comment")
    func running() async throws {
        let (recorder, gate) = (HARRecorder(), Gate())
        let stub = StubTransport { _ in
            gate.open()
            return .fault(.stall)
        }
        let session = Session(transport: stub, configuration: .init(monitors: [recorder]))
        let request = session.request("http://h/")
        async let result = request.serializing(Data.self).result
        await gate.wait()
        #expect(try log(recorder).comment == "1 exchanges had not ended")
        await request.cancel()
        _ = await result
        let log = try log(recorder)
        #expect(log.comment == nil && log.entries.first?.error?.hasPrefix("cancelled") == true)
    }

    @Test("A HAR file equals the recorder's data, and writing it to a missing folder throws fileNotWritable")
    func file() async throws {
        let recorder = HARRecorder()
        let session = Session(transport: StubTransport { _ in .text("a") }, configuration: .init(monitors: [recorder]))
        _ = try await session.request("http://h/").serializing(Data.self).value
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "a.har")
        try await recorder.write(to: file)
        #expect(try Data(contentsOf: file) == recorder.data())
        let error = await #expect(throws: AsyncNetError.self) {
            try await recorder.write(to: folder.url.appending(path: "none/a.har"))
        }
        #expect(error?.code == .fileNotWritable)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.har"])
    }

    @Test("A HAR file is written to the target of a symbolic link, and a pipe in its place is not replaced")
    func links() async throws {
        let folder = try TemporaryFolder()
        let names = ["target", "link", "pipe"].map { folder.url.appending(path: $0) }
        try FileManager.default.createSymbolicLink(at: names[1], withDestinationURL: names[0])
        mkfifo(names[2].path, 0o600)
        try await HARRecorder().write(to: names[1])
        try await HARRecorder(streamingTo: names[1]).finish()
        #expect(try names[1].resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true)
        #expect(try Data(contentsOf: names[0]).isEmpty == false)
        #expect(await AsyncNetError.code { try await HARRecorder().write(to: names[2]) } == .fileNotWritable)
        #expect(AsyncNetError.code { _ = try HARRecorder(streamingTo: names[2]) } == .fileNotWritable)
        var status = stat()
        #expect(lstat(names[2].path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test("A streamed HAR file is valid after each entry, and complete after finish()")
    func streaming() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "a.har")
        let recorder = try HARRecorder(streamingTo: file)
        #expect(try entries(Data(contentsOf: file)).isEmpty)
        let session = Session(transport: StubTransport { _ in .text("a") }, configuration: .init(monitors: [recorder]))
        for number in 1...20 {
            _ = try await session.request("http://h/\(number)").serializing(Data.self).value
            #expect(try log(recorder).entries.count == number)
        }
        try await recorder.finish()
        #expect(try entries(Data(contentsOf: file)).map(\.request.url) == (1...20).map { "http://h/\($0)" })
        _ = try await session.request("http://h/").serializing(Data.self).value
        try await recorder.finish()
        #expect(try entries(Data(contentsOf: file)).count == 20)
    }

    @Test("A streamed HAR file has an entry for each of 200 concurrent requests")
    func concurrent() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "a.har")
        let recorder = try HARRecorder(streamingTo: file)
        let session = Session(transport: StubTransport { _ in .text("a") }, configuration: .init(monitors: [recorder]))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { _ = await session.request("http://h/\(number)").serializing(Data.self).result }
            }
        }
        try await recorder.finish()
        #expect(Set(try entries(Data(contentsOf: file)).map(\.request.url)).count == 200)
    }

    @Test("A HARRecorder that streams to a file that cannot be created throws fileNotWritable")
    func unwritable() {
        let error = #expect(throws: AsyncNetError.self) {
            try HARRecorder(streamingTo: URL(filePath: "/nowhere/a.har"))
        }
        #expect(error?.code == .fileNotWritable)
    }
}

/// False before true.
private func <= (one: Bool, other: Bool) -> Bool { !one || other }
