import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What is URLSession's own; the rest is in ``ConformanceTests``.
@Suite("URLSession transport", .timeLimit(.minutes(5)))
struct URLSessionTransportTests {
    private func code(_ request: DataRequest) async -> AsyncNetError.Code? {
        await request.serializing(Data.self).result.failure?.code
    }

    @Test("A GET with a body and, on Linux, a request to an IPv6 address end with .unsupportedByTransport")
    func unsupported() async throws {
        let session = Session(transport: .urlSession)
        #expect(
            await code(
                session.request(
                    "http://127.0.0.1/", options: RequestOptions(modifier: { $0.httpBody = Data("x".utf8) })))
                == .unsupportedByTransport)
        #if os(Linux)
            #expect(await code(session.request("http://[::1]/")) == .unsupportedByTransport)
        #endif
    }

    #if canImport(FoundationNetworking)
        private static let settings = [
            TLSConfiguration(trust: .disabled), TLSConfiguration(trust: .anchors([Data("x".utf8)])),
            TLSConfiguration(trust: .anchors(file: URL(filePath: "/x"))), .refused,
            TLSConfiguration(pins: ["sha256//x"]), TLSConfiguration(clientIdentity: .init(certificate: "c", key: "k")),
            TLSConfiguration(minimumVersion: .tls13), TLSConfiguration(verifiesHostName: false),
            TLSConfiguration(requiresStapledStatus: true),
        ]

        @Test(
            "A TLS setting that URLSession cannot enforce leads to .unsupportedByTransport, which names sockets",
            arguments: settings)
        func tls(_ tls: TLSConfiguration) async throws {
            for transport in [
                URLSessionTransport.urlSession(.init(tls: tls)),
                .urlSession(.init(tlsForHosts: ["other.example": tls])),
            ] {
                let session = Session(transport: transport)
                let error = await session.request("https://127.0.0.1:1/").serializing(Data.self).result.failure
                #expect(error?.code == .unsupportedByTransport)
                #expect(error?.message.contains(".sockets(tls:)") == true)
                #expect(!transport.transportDescription.contains("NOT VERIFYING"), "no request is sent")
            }
        }

        @Test("An entry of tlsForHosts with default settings is accepted over URLSession")
        func defaultForHost() async throws {
            try await withServer { (server: MockServer) async throws in
                let session = Session(transport: .urlSession(.init(tlsForHosts: ["127.0.0.1": .system])))
                _ = try await session.request(server.url("/")).serializing(Data.self).result.get()
            }
        }
    #endif

    /// Told of as queued, the body has been measured and not yet read.
    @Test("An upload whose file changes before it is read ends with .fileChanged")
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
