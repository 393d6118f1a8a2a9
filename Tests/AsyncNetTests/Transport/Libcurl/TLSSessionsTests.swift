import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

/// Which handles share TLS sessions; `Scripts/tls-conformance` tries what that does.
@Suite("TLS sessions")
struct TLSSessionsTests {
    @Test(
        "Loops share sessions over versions of libcurl that allow it",
        arguments: [
            (0x074200, .none), (0x074D00, .none), (0x075700, .none),
            (0x075800, .loop), (0x075801, .loop), (0x080A01, .loop), (0x080B01, .loop),
            (0x080C00, .none), (0x081400, .none),
            (0x081500, .transport), (0x081700, .transport),
        ] as [(UInt32, TLSSessions.Scope)])
    func scope(version: UInt32, expected: TLSSessions.Scope) {
        let version = Libcurl.Version(number: version, description: "", hasHTTP2: true)
        #expect(TLSSessions.Scope(version) == expected)
    }

    @Test("The loops of a transport share sessions, or each has its own")
    func loops() throws {
        let scope = TLSSessions.Scope(try Libcurl.version.get())
        let loops = LibcurlTransport(configuration: .init(eventLoops: 3)).loops
        #expect(loops.count == 3)
        let sessions = Set(loops.compactMap(\.sessions).map(ObjectIdentifier.init))
        let expected = [TLSSessions.Scope.none: 0, .loop: 3, .transport: 1]
        #expect(sessions.count == expected[scope])
    }

    @Test("Transports with equal settings have sessions of their own")
    func transports() {
        let transports = [LibcurlTransport(), LibcurlTransport()]
        let sessions = transports.map { Set($0.loops.compactMap(\.sessions).map(ObjectIdentifier.init)) }
        #expect(sessions[0].isDisjoint(with: sessions[1]))
    }
}
