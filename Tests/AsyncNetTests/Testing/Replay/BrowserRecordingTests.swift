import AsyncNet
import AsyncNetTestSupport
import Foundation
import Testing

/// A file that the developer tools of a browser have written: `Scripts/browser-har`.
@Suite("Recordings of a browser", .timeLimit(.minutes(5)))
struct BrowserRecordingTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../Fixtures/browser.har"
    ).standardizedFileURL

    private let recording: Recording
    private let base: String

    init() throws {
        recording = try Recording(contentsOf: Self.file)
        let first = try #require(recording.exchanges.first)
        base = String(first.request.url.absoluteString.dropLast())
    }

    /// Sends what the browser sent, in another order, with other secrets.
    private func browse(_ session: Session, _ base: String) async throws {
        let page = try await session.text("GET \(base)/")
        #expect(page.hasPrefix("<!doctype html>"))
        let image = try await session.request("\(base)/logo.png").serializing(Data.self).value
        #expect(image.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(image.count == 86)
        let script = try await session.text("GET \(base)/app.js")
        #expect(script.contains("document.title"))
        let member: JSON = ["name": "Ada", "tags": ["x", "y"], "password": "p"]
        let made = try await session.post("\(base)/api/users", parameters: member).serializing(JSON.self).value
        #expect(made.name.string == "Ada")
        let users = try await session.request("\(base)/api/users?tag=a&tag=b&page=1").serializing(JSON.self).value
        #expect(users.users[1].name.string == "Gräce")
        let form = "application/x-www-form-urlencoded"
        #expect(try await session.text("POST \(base)/login", "password=p&name=Ada", type: form) == "welcome")
        #expect(try await session.text("GET \(base)/old") == "arrived")
        let removed = await session.request("\(base)/api/users/1", method: .delete).serializing(NoContent.self).response
        #expect(removed.statusCode == 204)
        #expect(await session.request("\(base)/favicon.ico").serializing(Data.self).response.statusCode == 404)
        #expect(await session.failure("GET \(base)/broken")?.code == .emptyReply)
    }

    @Test("A browser's recording is replayed by a ReplayTransport")
    func transport() async throws {
        let transport = try ReplayTransport(contentsOf: Self.file)
        let session = Session(transport: transport, configuration: .init(cookieJar: CookieJar()))
        try await browse(session, base)
        try transport.verify()
    }

    @Test("A browser's recording is replayed by a MockServer")
    func server() async throws {
        let server = try await MockServer.start(replaying: recording, file: Self.file)
        let session = Session()
        try await browse(session, "http://127.0.0.1:\(server.port)")
        await session.finish()
        await server.stop()
        try server.verify()
    }

    @Test("The text of a mismatch names the recording's file and the difference, and shows no secrets")
    func mismatch() async throws {
        let transport = try ReplayTransport(contentsOf: Self.file)
        let session = Session(transport: transport)
        let form = "application/x-www-form-urlencoded"
        let error = await session.failure("POST \(base)/login", "name=Bob&password=mine", type: form)
        let mismatch = try #require(error?.underlyingError as? ReplayMismatch)
        let text = mismatch.description
        #expect(text.contains("browser.har matches POST http://127.0.0.1/login."))
        #expect(text.contains("- body name: Bob ≠ Ada"))
        #expect(!text.contains("not-for-files") && !text.contains("mine"))
    }
}
