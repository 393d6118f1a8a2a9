import AsyncNet
import AsyncNetTestSupport
import Foundation
import Testing

@testable import AsyncNetTesting

/// The trait over a server whose responses count its requests, so that a replayed response is told from a new one.
@Suite("Trait .recordedNetwork", .timeLimit(.minutes(5)))
struct RecordedNetworkTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.url.appending(path: "users.har") }

    init() throws { folder = try TemporaryFolder() }

    private func trait(
        _ mode: RecordingMode = .once, unused: UnusedExchanges = .fail, environment: [String: String] = [:],
        path: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) -> RecordedNetwork {
        var trait: RecordedNetwork = .recordedNetwork(
            path ?? file.path, matching: [.method, .path], unused: unused, mode: mode, sourceLocation: sourceLocation)
        trait.settings.environment = environment
        return trait
    }

    private func withCountingServer(_ body: (MockServer) async throws -> Void) async throws {
        let count = Locked(0)
        @Sendable func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
        try await withServer { (server: MockServer) async throws in
            server.on(.get, "/*") { _ in .text("\(next())") }
            try await body(server)
        }
    }

    private func get(_ path: String, of server: MockServer) async throws -> String {
        try await Session().request(server.url(path)).serializing(String.self).value
    }

    @Test("With mode .once the first run of a test records, and later runs replay")
    func once() async throws {
        try await withCountingServer { server in
            for _ in 1...3 {
                try await withTrait(trait()) {
                    let texts = [try await get("/a", of: server), try await get("/a", of: server)]
                    #expect(texts == ["1", "2"])
                }
            }
            #expect(server.requests.count == 2)
            let recording = try Recording(contentsOf: file)
            #expect(recording.exchanges.count == 2)
        }
    }

    @Test("Mode .all replaces the recording, and mode .new adds the exchanges that the recording lacks")
    func allAndNew() async throws {
        try await withCountingServer { server in
            try Recording().write(to: file)
            for _ in 1...2 {
                try await withTrait(trait(.all)) {
                    let text = try await get("/a", of: server)
                    #expect(text == "1")
                }
            }
            for mode in [RecordingMode.new, .none] {
                try await withTrait(trait(mode)) {
                    let texts = [try await get("/a", of: server), try await get("/b", of: server)]
                    #expect(texts == ["1", "2"])
                }
            }
        }
    }

    @Test(
        "A missing recording is an issue that says how to record, and the test does not run",
        arguments: ["CI", "ASYNCNET_RECORD"])
    func missing(_ variable: String) async throws {
        let place = #_sourceLocation
        let found = try await issues {
            try await withTrait(trait(environment: [variable: "none"], sourceLocation: place)) {
                Issue.record("The test ran")
            }
        }
        #expect(found.count == 1)
        let text = found.first?.text ?? ""
        #expect(text.hasPrefix("There is no recording at \(file.path). "))
        #expect(text.contains("ASYNCNET_RECORD=once swift test --filter missing"))
        #expect(found.first?.sourceLocation == place)
    }

    @Test("An unknown mode, or a recording that cannot be read, is an issue")
    func unusable() async throws {
        let unknown = try await issues { try await withTrait(trait(environment: ["ASYNCNET_RECORD": "x"])) {} }
        #expect(unknown.map(\.text).first?.contains("ASYNCNET_RECORD is \"x\"") == true)
        try Data("no HAR".utf8).write(to: file)
        let unreadable = try await issues { try await withTrait(trait()) { Issue.record("The test ran") } }
        #expect(unreadable.count == 1)
        let reason = "The recording \(file.path) cannot be replayed: users.har is not JSON"
        #expect(unreadable.first?.text == reason)
    }

    @Test("A failed test writes no recording, and a test with only a known issue writes one", arguments: [true, false])
    func failed(_ fails: Bool) async throws {
        try await withCountingServer { server in
            let trait = trait(.all)
            let found = try await failures {
                try await withTrait(trait) {
                    _ = try await get("/a", of: server)
                    if fails { Issue.record("failed") } else { withKnownIssue { Issue.record("known") } }
                }
            }
            #expect(FileManager.default.fileExists(atPath: file.path) != fails)
            let told = "\(file.path) was not written, since the test has failed or was cancelled"
            #expect(found.map(\.text) == (fails ? ["failed", told] : ["known"]))
        }
    }

    @Test("A test without a recorded request writes a recording without exchanges, and gets a warning")
    func nothingRecorded() async throws {
        let found = try await failures { try await withTrait(trait()) {} }
        #expect(try Recording(contentsOf: file).exchanges.isEmpty)
        #expect(found.count == 1 && found.first?.text.contains("no request of the test was recorded") == true)
    }

    @Test("A cancelled test writes no recording")
    func cancelled() async throws {
        try await withCountingServer { server in
            let trait = trait(.all)
            let found = try await failures {
                try await Task {
                    try await withTrait(trait) {
                        _ = try await get("/a", of: server)
                        withUnsafeCurrentTask { $0?.cancel() }
                    }
                }.value
            }
            #expect(!FileManager.default.fileExists(atPath: file.path))
            #expect(found.count == 1)
        }
    }

    @Test("A request without an exchange ends with an error, and is an issue of its test", arguments: [true, false])
    func unmatched(_ isDetached: Bool) async throws {
        try await withCountingServer { server in
            try await withTrait(trait()) { _ = try await get("/users/1", of: server) }
            let place = #_sourceLocation
            let url = server.url("/users/2")
            let found = try await issues {
                try await withTrait(trait(unused: .allow, sourceLocation: place)) {
                    let session = Session(transport: .current)
                    let task =
                        isDetached
                        ? Task.detached { await session.request(url).serializing(Data.self).response }
                        : Task { await Session().request(url).serializing(Data.self).response }
                    #expect(await task.value.error?.code == .unsupportedByTransport)
                }
            }
            #expect(found.count == 1)
            let text = found.first?.text ?? ""
            #expect(text.contains("/users/2") && text.contains("/users/1") && text.contains("path"))
            #expect(found.first?.sourceLocation == place)
            #expect(server.requests.count == 1)
        }
    }

    @Test(
        "Unused exchanges are an issue, a warning or ignored, as the trait says",
        arguments: [UnusedExchanges.fail, .warn, .allow])
    func unused(_ unused: UnusedExchanges) async throws {
        try await withCountingServer { server in
            try await withTrait(trait()) {
                for path in ["/a", "/b?token=secret", "/c"] { _ = try await get(path, of: server) }
            }
            let found = try await issues {
                try await withTrait(trait(unused: unused)) { _ = try await get("/a", of: server) }
            }
            guard unused != .allow else { return #expect(found.isEmpty) }
            #expect(found.count == 1)
            let text = found.first?.text ?? ""
            #expect(text.hasPrefix("The test has not requested 2 exchanges of \(file.path):\n- GET http://127.0.0.1"))
            #expect(text.contains("/b: 200\n") && text.contains("/c: 200\n") && !text.contains("secret"))
            #if compiler(>=6.3)
                #expect(found.first?.severity == (unused == .fail ? .error : .warning))
            #endif
        }
    }

    @Test(
        "Of concurrent tests with one recording, the first records and the others replay",
        arguments: [RecordingMode.once, .all])
    func shared(_ mode: RecordingMode) async throws {
        try await withCountingServer { server in
            let (files, file) = (RecordedFiles.shared, file)
            #expect(try await files.begin(file) == nil)
            let (trait, begun) = (trait(mode), Gate())
            let tasks = (1...8).map { _ in
                Task {
                    begun.open()
                    try await withTrait(trait) { _ = try await get("/a", of: server) }
                }
            }
            await begun.wait()
            let recording = Recording([
                RecordedExchange(.init(url: server.url("/a")), .response(.init(200, body: Data("other".utf8))))
            ])
            try recording.write(to: file)
            files.end(file, writer: "other()")
            for task in tasks { try await task.value }
            #expect(server.requests.isEmpty)
            let found = try await issues { try await withTrait(trait) { _ = await send("/b", to: server) } }
            #expect(found.first?.text.contains("was recorded by other() just now") == true)
        }
    }

    private func send(_ path: String, to server: MockServer) async -> AsyncNetError? {
        await Session().request(server.url(path)).serializing(Data.self).response.error
    }

    @Test("Two traits of a test with the same recording are an issue")
    func conflict() async throws {
        let trait = trait(.all)
        let found = try await failures {
            try await withTrait(trait) { try await withTrait(trait) { Issue.record("The test ran") } }
        }
        #expect(found.first?.text == "Two traits of this test have the same file, \(file.path)")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("A recording trait sends requests through the outer trait, and a replaying trait sends none")
    func outside() async throws {
        let recorded = trait()
        try await withTrait(.stubbedNetwork { .text("stub \($0.path)") }) {
            for _ in 1...2 {
                try await withTrait(recorded) {
                    let text = try await Session().request(TaggedSite.base + "a").serializing(String.self).value
                    #expect(text == "stub /a")
                }
            }
            #expect(StubTransport.current?.requests.count == 1)
            let found = try await issues {
                try await withTrait(recorded) {
                    _ = await Session().request(TaggedSite.base + "b").serializing(String.self).response
                }
            }
            #expect(found.count == 2)
            #expect(StubTransport.current?.requests.count == 1)
        }
    }

    @Test("A .stubbedNetwork inside passes requests without a route to the outer .recordedNetwork")
    func inside() async throws {
        try await withCountingServer { server in
            let recorded = trait()
            for _ in 1...2 {
                try await withTrait(recorded) {
                    try await withTrait(.stubbedNetwork(.get, "/login", times: .once) { _ in .text("token") }) {
                        let texts = [try await get("/login", of: server), try await get("/a", of: server)]
                        #expect(texts == ["token", "1"])
                    }
                }
            }
            #expect(server.requests.map(\.path) == ["/a"])
        }
    }

    private struct SourceFile: TestTrait {
        let path: String
        static func here(_ path: String = #filePath) -> Self { SourceFile(path: path) }
    }

    @Test("A trait's default argument #filePath is the path of the test's file", SourceFile.here())
    func sourceFile() throws {
        let trait = try #require(Test.current).traits.compactMap { $0 as? SourceFile }.first
        #expect(trait?.path == #filePath)
    }

    @Test("A relative path of a recording is relative to the test's source file")
    func relative() {
        let trait: RecordedNetwork = .recordedNetwork("fixtures/{test}.har")
        let file = trait.settings.path.file(for: "relative()", [])
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        #expect(file.path == folder.appending(path: "fixtures/relative.har").path)
    }
}
