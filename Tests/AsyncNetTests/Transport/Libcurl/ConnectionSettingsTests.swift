import Testing

@testable import AsyncNet

@Suite("Settings of connections without HTTP, beside libcurl")
struct ConnectionSettingsTests {
    @Test("They are those of the transport over libcurl, whose HTTP version does not matter")
    func settings() throws {
        let given = LibcurlTransport.Configuration(
            tls: .init(minimumVersion: .tls13), tlsForHosts: ["a.example": .refused],
            proxy: .http("p.example", port: 7), unixSocket: "/s", httpVersion: .http2, connectTimeout: .seconds(3),
            addresses: ["b:1": ["127.0.0.1"]], localInterface: "lo", ipVersion: .v4, eventLoops: 2, tcpKeepAlive: nil)
        let made = SocketTransport.Configuration(given)
        #expect(made.tls.key == given.tls.key)
        #expect(made.tlsForHosts.mapValues(\.key) == given.tlsForHosts.mapValues(\.key))
        #expect(made.proxy.host == "p.example")
        #expect(made.unixSocket == "/s")
        #expect(made.connectTimeout == .seconds(3))
        #expect(made.addresses == ["b:1": ["127.0.0.1"]])
        #expect(made.localInterface == "lo")
        #expect(made.ipVersion == .v4)
        #expect(made.eventLoops == 2)
        #expect(made.tcpKeepAlive == nil)
        try made.validate()
    }
}
