import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Client identities over sockets", .timeLimit(.minutes(5)))
struct ClientIdentityTests {
    private typealias Authority = TestAuthority
    private typealias Identity = TLSConfiguration.ClientIdentity

    private func client(_ response: DataResponse<String, AsyncNetError>) -> String? {
        response.value?.split(separator: ",").first.map(String.init)
    }

    // MARK: PKCS#12

    @Test("A client identity in PKCS#12 is sent, from memory and from a file", arguments: [true, false])
    func pkcs12(_ isFile: Bool) async throws {
        let site = try RawServer.site(requiresClient: true)
        let folder = try TemporaryFolder()
        let file = try folder.file("identity.p12", Authority.pkcs12)
        let identity =
            isFile
            ? Identity(pkcs12File: file, password: "open sesame")
            : Identity(pkcs12: Authority.pkcs12, password: "open sesame")
        let response = await site.told { $0.clientIdentity = identity }
        #expect(client(response) == "client a", "\(response.error?.message ?? "")")
        #expect(!"\(identity)".contains("sesame"))
    }

    @Test(
        "With unreadable PKCS#12 a request ends with .clientCertificateInvalid, which does not show the password",
        arguments: [
            (Authority.pkcs12, "wrong sesame"), (Authority.pkcs12, nil), (Data("no PKCS#12".utf8), "wrong sesame"),
            (Data(), "wrong sesame"), (Authority.oldPKCS12, "x"), (Authority.pkcs12.dropLast(100), "open sesame"),
        ] as [(Data, String?)])
    func unreadable(_ data: Data, _ password: String?) async throws {
        let site = try RawServer.site(requiresClient: true)
        let error = await site.told { $0.clientIdentity = Identity(pkcs12: data, password: password) }.error
        #expect(error?.code == .clientCertificateInvalid)
        #expect(error?.message.contains("PKCS#12 cannot be read: its password may be wrong") == true)
        #expect(error.map { "\($0)\($0.debugDescription)" }?.contains("sesame") == false)
    }

    @Test("libcurl refuses a client identity in PKCS#12")
    func elsewhere() async {
        let tls = TLSConfiguration(clientIdentity: Identity(pkcs12: Authority.pkcs12))
        let error = await Session(transport: .libcurl(tls: tls)).request("https://127.0.0.1:1/").serializing(Data.self)
            .response.error
        #expect(error?.code == .unsupportedByTransport)
        #expect(error?.message.contains("PKCS#12") == true)
    }

    // MARK: Files that change

    private static func session(_ identity: Identity) -> Session {
        var configuration = SocketTransport.Configuration(
            tls: .init(trust: .anchors([Authority.root]), clientIdentity: identity))
        configuration.tlsFileInterval = .zero
        // Each loop reads the files by itself.
        configuration.eventLoops = 1
        return Session(transport: SocketTransport(configuration))
    }

    @Test("A client certificate file that is cut, or does not match its key, is not used until it matches")
    func halfWritten() async throws {
        let site = try RawServer.site(requiresClient: true)
        let folder = try TemporaryFolder()
        let certificate = try folder.file("cert.pem", Data(Authority.clientA.utf8))
        let key = try folder.file("key.pem", Data(Authority.keyA.utf8))
        let session = Self.session(Identity(certificateFile: certificate, keyFile: key))
        func shown() async -> String? {
            client(await session.request("https://127.0.0.1:\(site.port)/").serializing(String.self).response)
        }
        #expect(await shown() == "client a")
        for half in [Authority.clientB.dropLast(40), Authority.clientB[...], "", Authority.clientB[...]] as [Substring]
        {
            try Data(half.utf8).write(to: certificate)
            #expect(await shown() == "client a")
        }
        for half in [Authority.keyB.dropLast(40), Authority.keyB[...]] {
            try Data(half.utf8).write(to: key)
            #expect(await shown() == (half.count == Authority.keyB.count ? "client b" : "client a"))
        }
        try Data((Authority.clientA + "\n" + Authority.root.dropLast(60)).utf8).write(to: certificate)
        try Data(Authority.keyA.utf8).write(to: key)
        #expect(await shown() == "client b")
        try FileManager.default.removeItem(at: certificate)
        #expect(await shown() == "client b")
        try Data(Authority.clientA.utf8).write(to: certificate)
        #expect(await shown() == "client a")
        await session.finish()
    }

    @Test("Requests on new connections succeed while their client identity's files change")
    func rotation() async throws {
        let site = try RawServer.site(requiresClient: true)
        let folder = try TemporaryFolder()
        let certificate = try folder.file("cert.pem", Data(Authority.clientA.utf8))
        let key = try folder.file("key.pem", Data(Authority.keyA.utf8))
        let session = Self.session(Identity(certificateFile: certificate, keyFile: key))
        let url = "https://127.0.0.1:\(site.port)/"
        let pairs = [(Authority.clientB, Authority.keyB), (Authority.clientA, Authority.keyA)]
        // A pair that does not fit is passed over for an earlier one that did.
        _ = try await session.request(url).serializing(String.self).value
        let shown = try await withThrowingTaskGroup(of: String?.self) { group in
            var shown: Set<String?> = []
            for number in 0..<640 {
                if number >= 64 { shown.insert(try await group.next() ?? nil) }
                // In two steps, between which requests run: the pair does not fit meanwhile.
                let (newCertificate, newKey) = pairs[number / 80 % 2]
                if number % 80 == 20 { try Data(newCertificate.utf8).write(to: certificate) }
                if number % 80 == 60 { try Data(newKey.utf8).write(to: key) }
                group.addTask {
                    let text = try await session.request(url).serializing(String.self).value
                    return text.split(separator: ",").first.map(String.init)
                }
            }
            for try await name in group { shown.insert(name) }
            return shown
        }
        #expect(shown == ["client a", "client b"])
        await session.finish()
    }

    @Test("A changed file of trust anchors is read again")
    func anchors() async throws {
        let site = try RawServer.site()
        let folder = try TemporaryFolder()
        let file = try folder.file("anchors.pem", Data(Authority.clientA.utf8))
        var configuration = SocketTransport.Configuration(tls: .init(trust: .anchors(file: file)))
        configuration.tlsFileInterval = .zero
        let session = Session(transport: SocketTransport(configuration))
        let url = "https://127.0.0.1:\(site.port)/"
        #expect(
            await session.request(url).serializing(String.self).response.error?.code == .certificateNotTrusted)
        try Data(Authority.root.utf8).write(to: file)
        #expect(await session.request(url).serializing(String.self).response.error == nil)
        await session.finish()
    }
}
