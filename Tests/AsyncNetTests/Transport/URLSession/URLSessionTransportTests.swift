import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What is URLSession's own; the rest is in ``ConformanceTests``.
@Suite("URLSession transport", .timeLimit(.minutes(5)))
struct URLSessionTransportTests {
    private func code(_ request: DataRequest) async -> AsyncNetError.Code? {
        await request.serializing(Data.self).result.failure?.code
    }

    @Test("Requests that URLSession cannot send on this platform are refused")
    func unsupported() async throws {
        let session = Session(transport: .urlSession)
        #expect(
            await code(session.request("http://127.0.0.1/", modifier: { $0.httpBody = Data("x".utf8) }))
                == .unsupportedByTransport)
        #if os(Linux)
            #expect(await code(session.request("http://[::1]/")) == .unsupportedByTransport)
        #endif
    }

    @Test(
        "No TLS setting is silently ignored: the error names the transport that enforces it",
        arguments: [
            TLSConfiguration(trust: .disabled), TLSConfiguration(trust: .anchors([Data("x".utf8)])),
            TLSConfiguration(trust: .anchors(file: URL(filePath: "/x"))),
            TLSConfiguration(pins: ["sha256//x"]), TLSConfiguration(clientIdentity: .init(certificate: "c", key: "k")),
            TLSConfiguration(minimumVersion: .tls13), TLSConfiguration(verifiesHostName: false),
        ])
    func tls(_ tls: TLSConfiguration) async throws {
        let error = await Session(transport: .urlSession(tls: tls)).request("https://127.0.0.1:1/").serializing(
            Data.self
        ).result.failure
        #expect(error?.code == .unsupportedByTransport)
        #expect(error?.message.contains(".libcurl(tls:)") == true)
    }

    /// Told of as queued, the body has been measured and not yet read.
    @Test("A file that changes before it is read ends in fileChanged, not in URLSession's error")
    func changedFile() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", patternedData(300_000))
        try await withServer { (server: MockServer) async throws in
            let request = TransportRequest(head: HTTPRequestHead(method: .put, url: server.url()), body: .file(file)) {
                event in
                if case .queued = event { try? FileHandle(forWritingTo: file).truncate(atOffset: 200_000) }
            }
            await #expect { try await URLSessionTransport().send(request) } throws: {
                ($0 as? AsyncNetError)?.code == .fileChanged
            }
        }
    }
}
