import AsyncNet
import AsyncNetTesting
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Testing

@Suite("cURL description", .timeLimit(.minutes(1)))
struct CurlDescriptionTests {
    private let session = Session(transport: StubTransport { _ in .status(200) }, configuration: .init(headers: [:]))

    @Test("Every part is there, and the shell expands none of it")
    func whole() async {
        let request = session.request(
            "http://a/b?q=1", method: .put, headers: ["X": "it's $HOME `id`", "Empty": ""], modifier: { $0.httpBody = Data("a'b\n$c".utf8) })
        let text = await request.curlDescription(showsSecrets: true)
        #expect(text.contains(#"-X 'PUT'"#))
        #expect(text.contains(#"-H 'X: it'\''s $HOME `id`'"#))
        #expect(text.contains("-H 'Empty;'"))
        #expect(text.contains("--data-raw 'a'\\''b\n$c'"))
        #expect(text.hasSuffix("'http://a/b?q=1'"))
    }

    @Test("Secrets are redacted unless asked for")
    func secrets() async {
        let request = session.request("http://u:hunter2@a/b?t=hunter2", headers: [.authorization(bearerToken: "hunter2"), .init(name: "Cookie", value: "hunter2")])
        let redacted = await request.curlDescription()
        #expect(!redacted.contains("hunter2"))
        #expect(redacted.contains("'http://a/b?<redacted>'"))
        #expect(await request.curlDescription(showsSecrets: true).components(separatedBy: "hunter2").count == 5)
    }

    @Test("A shell runs what it says, and a body of any bytes arrives")
    func shell() async throws {
        let body = Data([0, 255, 10, 39, 13])
        try await withServer(.text("thanks")) { (server: MockServer) async throws in
            let command = await session.request(server.url(), method: .post, modifier: { $0.httpBody = body }).curlDescription()
            let shell = Process()
            shell.executableURL = URL(filePath: "/bin/sh")
            shell.arguments = ["-c", command.replacing("curl -v", with: "cat >&2; exit 3 #")]
            shell.standardError = Pipe()
            shell.standardInput = FileHandle.nullDevice
            let ended = Gate()
            shell.terminationHandler = { _ in ended.open() }
            try shell.run()
            await ended.wait()
            #expect((shell.standardError as? Pipe)?.fileHandleForReading.availableData == body)
        }
    }

    @Test("A request that cannot be made is a comment that says why")
    func impossible() async {
        #expect(await session.request("nonsense").curlDescription().hasPrefix("# "))
    }
}
