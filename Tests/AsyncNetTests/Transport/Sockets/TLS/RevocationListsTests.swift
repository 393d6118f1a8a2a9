import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Revocation lists", .timeLimit(.minutes(5)))
struct RevocationListsTests {
    private typealias Authority = TestAuthority

    @Test(
        "A chain is refused if a certificate is revoked, or if the server's issuer has no valid revocation list",
        arguments: [
            ([Authority.emptyList], nil, ""), ([Authority.emptyList, Authority.emptyRootList], nil, ""),
            ([Authority.list], .certificateRevoked, "is on a revocation list"),
            ([Authority.emptyList, Authority.rootList], .certificateRevoked, "is on a revocation list"),
            ([Authority.emptyRootList], .certificateNotTrusted, "have none of the certificate's issuer"),
            ([Authority.oldList], .certificateNotTrusted, "out of date"),
            ([Authority.oldList, Authority.emptyList], nil, ""),
        ] as [([String], AsyncNetError.Code?, String)])
    func lists(_ lists: [String], _ code: AsyncNetError.Code?, _ text: String) async throws {
        let site = try RawServer.site()
        let response = await site.told { $0.revocationLists = .pem(lists.joined(separator: "\n")) }
        #expect(response.error?.code == code, "\(response.error?.message ?? "")")
        #expect(response.error?.message.contains(text) != false, "\(response.error?.message ?? "")")
        if code != nil { #expect(response.error?.serverTrust?.certificates.first?.subject == "CN=site") }
    }

    @Test(
        "An anchor needs no revocation list of its issuer",
        arguments: [
            (Authority.intermediate, [Authority.emptyList], nil),
            (Authority.intermediate, [Authority.emptyList, Authority.emptyRootList], nil),
            (Authority.intermediate, [Authority.list], .certificateRevoked),
            (Authority.intermediate, [Authority.emptyList, Authority.rootList], nil),
            (Authority.intermediate, [Authority.rootList], .certificateNotTrusted),
            (Authority.site, [Authority.emptyRootList], nil),
        ] as [(String, [String], AsyncNetError.Code?)])
    func anchors(_ anchor: String, _ lists: [String], _ code: AsyncNetError.Code?) async throws {
        let site = try RawServer.site()
        let response = await site.told {
            $0.trust = .anchors([anchor])
            $0.revocationLists = .pem(lists.joined(separator: "\n"))
        }
        #expect(response.error?.code == code, "\(response.error?.message ?? "")")
    }

    @Test("A self-signed certificate that is an anchor needs no revocation list")
    func selfSigned() async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        await server.route("/*") { _ in .text("a") }
        let tls = TLSConfiguration(
            trust: .anchors([server.anchor]), revocationLists: .pem(Authority.emptyRootList))
        let response = await Session(transport: .sockets(tls: tls)).request(server.url("/")).serializing(String.self)
            .response
        #expect(response.value == "a", "\(response.result)")
        await server.stop()
    }

    @Test(
        "A file of revocation lists that is missing, cut or without a list is .invalidConfiguration",
        arguments: [
            "", "x", Authority.site, String(Authority.list.dropLast(60)),
            Authority.list + "\n" + Authority.list.dropLast(60),
        ])
    func unreadable(_ text: String) async throws {
        let site = try RawServer.site()
        let folder = try TemporaryFolder()
        let file = try folder.file("lists", Data(text.utf8))
        for lists in [.pem(text), .file(file)] as [TLSConfiguration.RevocationLists] {
            let error = await site.told { $0.revocationLists = lists }.error
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains("revocation lists contain no list") == true, "\(error?.message ?? "")")
        }
        let missing = await site.told { $0.revocationLists = .file(folder.url.appending(path: "nowhere")) }.error
        #expect(missing?.code == .invalidConfiguration)
        #expect(missing?.message == "The revocation lists cannot be read")
    }

    @Test(
        "A changed file of revocation lists is read again, and ignored while damaged or missing")
    func renewed() async throws {
        let site = try RawServer.site()
        let folder = try TemporaryFolder()
        let file = try folder.file("lists", Data(Authority.emptyList.utf8))
        var configuration = SocketTransport.Configuration(
            tls: .init(trust: .anchors([Authority.root]), revocationLists: .file(file)), eventLoops: 1)
        configuration.tlsFileInterval = .zero
        let session = Session(transport: SocketTransport(configuration))
        func code() async -> AsyncNetError.Code? {
            await session.request("https://127.0.0.1:\(site.port)/").serializing(String.self).response.error?.code
        }
        #expect(await code() == nil)
        #expect(await code() == nil)
        try Data(Authority.list.dropLast(60).utf8).write(to: file)
        #expect(await code() == nil)
        try Data(Authority.list.utf8).write(to: file)
        #expect(await code() == .certificateRevoked)
        try FileManager.default.removeItem(at: file)
        #expect(await code() == .certificateRevoked)
        try Data(Authority.emptyList.utf8).write(to: file)
        #expect(await code() == nil)
        await session.finish()
    }

    @Test("A file of revocation lists is not read again before tlsFileInterval, one second, has passed")
    func interval() async throws {
        let site = try RawServer.site()
        let folder = try TemporaryFolder()
        let file = try folder.file("lists", Data(Authority.emptyList.utf8))
        var configuration = SocketTransport.Configuration(
            tls: .init(trust: .anchors([Authority.root]), revocationLists: .file(file)), eventLoops: 1)
        #expect(configuration.tlsFileInterval == .seconds(1))
        configuration.tlsFileInterval = .seconds(3600)
        let session = Session(transport: SocketTransport(configuration))
        for _ in 0..<2 {
            let response = await session.request("https://127.0.0.1:\(site.port)/").serializing(String.self).response
            #expect(response.error == nil)
            try Data(Authority.list.utf8).write(to: file)
        }
        await session.finish()
    }

    @Test("Revocation lists are refused with trust disabled, and by libcurl and URLSession")
    func refused() async throws {
        let lists = TLSConfiguration.RevocationLists.pem(Authority.list)
        for (transport, code) in [
            (.sockets(tls: .init(trust: .disabled, revocationLists: lists)), .invalidConfiguration),
            (.libcurl(tls: .init(revocationLists: lists)), .unsupportedByTransport),
            (URLSessionTransport(configuration: .init(tls: .init(revocationLists: lists))), .unsupportedByTransport),
        ] as [(any Transport, AsyncNetError.Code)] {
            let response = await Session(transport: transport).request("https://127.0.0.1:1/").serializing(String.self)
                .response
            #expect(response.error?.code == code)
        }
    }
}
