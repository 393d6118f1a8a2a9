import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

/// Downloads whose content is decoded, and their temporary files.
@Suite("Serializers of downloads", .timeLimit(.minutes(5)))
struct DownloadSerializingTests {
    private let session = Session(transport: StubTransport { _ in .json(User.json) })

    private func exists(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }

    @Test("A downloaded file can be decoded by several serializers")
    func decodes() async throws {
        let folder = try TemporaryFolder()
        let place = folder.url.appending(path: "user.json")
        let download = session.download("http://a/", to: .file(place))
        #expect(try await download.serializing(User.self).value == .ada)
        #expect(try await download.serializing(JSON.self).value.name.string == "Ada")
        #expect(try await download.serializing(String.self).value == User.json)
        #expect(await download.serializing(Data.self).response.metrics.attempts == 1)
        #expect(exists(place))
    }

    @Test("String, Data and NoContent are not decoded as JSON, with and without rules for empty bodies")
    func plainTypes() async throws {
        let session = Session(transport: StubTransport { $0.path == "/empty" ? .status(200) : .text("hello") })
        let empties = EmptyBodies(statusCodes: [204])
        let (text, empty) = ("http://a/", "http://a/empty")
        #expect(try await session.request(text).serializing(String.self, emptyBodies: empties).value == "hello")
        #expect(try await session.request(text).serializing(Data.self, emptyBodies: empties).value.count == 5)
        try await session.request(text).serializing(NoContent.self, emptyBodies: empties).value
        #expect(try await session.download(text).serializing(String.self, emptyBodies: empties).value == "hello")
        #expect(try await session.download(text).serializing(Data.self, emptyBodies: empties).value.count == 5)
        try await session.download(text).serializing(NoContent.self).value
        let codes = [
            await session.request(empty).serializing(String.self, emptyBodies: empties).response.error?.code,
            await session.request(empty).serializing(Data.self, emptyBodies: empties).response.error?.code,
            await session.download(empty).serializing(String.self, emptyBodies: empties).response.error?.code,
            await session.download(empty).serializing(Data.self, emptyBodies: empties).response.error?.code,
        ]
        #expect(codes.allSatisfy { $0 == .emptyBody })
        #expect(try await session.request(empty).serializing(String.self).value.isEmpty)
    }

    @Test("A temporary file is removed with its request, unless its URL was read")
    func temporary() async throws {
        let place = DownloadDestination.temporary
        var download: DownloadRequest? = session.download("http://a/", to: place)
        let file = try #require(try await download?.value)
        _ = try await download?.serializing(User.self).value
        download = nil
        #expect(exists(file))
        try FileManager.default.removeItem(at: file)

        let mark = UUID().uuidString
        let marked = Session(transport: StubTransport { _ in .text(mark) })
        #expect(try await marked.download("http://a/").serializing(String.self).value == mark)
        await marked.finish()
        #expect(temporaryFiles(containing: mark).isEmpty)
    }

    /// The temporary files with this content: those of other tests do not count.
    private func temporaryFiles(containing text: String) -> [String] {
        let folder = FileManager.default.temporaryDirectory.path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { name in
            name.hasPrefix("AsyncNet-") && FileManager.default.contents(atPath: "\(folder)/\(name)") == Data(text.utf8)
        }
    }

    @Test("Serializing a file that was removed ends with fileNotReadable")
    func removed() async throws {
        let folder = try TemporaryFolder()
        let place = folder.url.appending(path: "user.json")
        let download = session.download("http://a/", to: .file(place))
        try FileManager.default.removeItem(at: try await download.value)
        #expect(await download.serializing(User.self).response.error?.code == .fileNotReadable)
    }

    @Test("A download's parameters are encoded into the query")
    func parameters() async throws {
        let stub = StubTransport { request in
            .text("\(request.method) \(request.query ?? "") \(request.text)")
        }
        let session = Session(transport: stub)
        let query = try await session.download("http://a/", parameters: ["a": 1]).serializing(String.self).value
        #expect(query == "GET a=1 ")
    }
}
