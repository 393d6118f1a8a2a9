import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("TLS settings and headers for proxies", .timeLimit(.minutes(5)))
struct ProxySettingsTests {
    private func send(_ url: String, _ proxy: ProxyConfiguration, headers: HTTPHeaders = [:]) async -> AsyncNetError? {
        await Session(transport: .sockets(proxy: proxy)).request(url, headers: headers).serializing(String.self)
            .response.error
    }

    @Test("An HTTPS proxy is verified by the proxy's TLS settings, not by the transport's")
    func trust() async throws {
        let proxy = try TestProxy(.https)
        let url = "https://127.0.0.1:\(proxy.port)"
        let anchors = TLSConfiguration(trust: .anchors([TestProxy.certificate]))
        #expect(await send("http://a.test/", .url(url, tls: anchors)) == nil)
        let trusting = Session(transport: .sockets(tls: anchors, proxy: .url(url)))
        let error = await trusting.request("http://a.test/").serializing(String.self).response.error
        #expect(error?.code == .certificateNotTrusted)
        #expect(error?.message.hasPrefix("The TLS connection to the proxy failed: ") == true)
        let named = TLSConfiguration(trust: .anchors([TestProxy.certificate]), serverName: "other.example")
        #expect(await send("http://a.test/", .url(url, tls: named))?.code == .certificateHostMismatch)
    }

    @Test("The transport's description says so if it does not verify the proxy's certificate")
    func unverified() async throws {
        let transport = SocketTransport(.init(proxy: .url("https://p", tls: .init(trust: .disabled))))
        #expect(transport.transportDescription.contains("NOT VERIFYING THE PROXY"))
    }

    @Test("The proxy's headers are sent with CONNECT, and not to the server")
    func tunnel() async throws {
        let proxy = try await MockServer.start()
        await proxy.enqueue(.status(403))
        var settings = ProxyConfiguration.http("127.0.0.1", port: proxy.port, username: "ada", password: "pw")
        settings.headers = ["X-Team": "blue", "Proxy-Authorization": "Bearer token"]
        #expect(await send("https://a.test/", settings)?.code == .proxyFailed)
        let headers = try #require(proxy.requests.first).headers
        #expect(headers.values(for: "X-Team") == ["blue"])
        #expect(headers.values(for: "Proxy-Authorization") == ["Bearer token"])
        await proxy.stop()
        let tunnel = try TestProxy(.http)
        try await withServer(.text("a")) { (server: MockServer) async throws in
            var settings = tunnel.configuration().tunnelling()
            settings.headers = ["X-Team": "blue"]
            #expect(await send("http://127.0.0.1:\(server.port)/", settings) == nil)
            #expect(server.requests.map { $0.headers["X-Team"] } == [nil])
        }
    }

    @Test("The proxy's headers are added to each forwarded request, unless the request has its own")
    func forwarded() async throws {
        let proxy = try await MockServer.start()
        proxy.on(nil, "*", replies: .text("a"), .text("a"))
        let settings = ProxyConfiguration.url(
            "http://ada:pw@127.0.0.1:\(proxy.port)", headers: ["X-Team": "blue", "Proxy-Authorization": "Bearer token"])
        #expect(await send("http://a.test/", settings) == nil)
        #expect(
            await send("http://a.test/", settings, headers: ["x-team": "red", "Proxy-Authorization": "Own"]) == nil)
        #expect(proxy.requests.map { $0.headers.values(for: "X-Team") } == [["blue"], ["red"]])
        #expect(proxy.requests.map { $0.headers.values(for: "Proxy-Authorization") } == [["Bearer token"], ["Own"]])
        await proxy.stop()
    }

    @Test("After a 407 the request is not sent again if the proxy's headers have Proxy-Authorization")
    func challenged() async throws {
        let proxy = try await MockServer.start()
        await proxy.enqueue(.status(407, headers: ["Proxy-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#]))
        let settings = ProxyConfiguration.url(
            "http://ada:pw@127.0.0.1:\(proxy.port)", headers: ["Proxy-Authorization": "Bearer token"])
        #expect(await send("https://a.test/", settings)?.statusCode == 407)
        #expect(await proxy.requestCount == 1)
        await proxy.stop()
    }

    @Test(
        "Invalid headers or TLS settings of a proxy are .invalidConfiguration",
        arguments: [
            .url("http://p", headers: ["Host": "a"]), .url("http://p", headers: ["content-length": "1"]),
            .url("http://p", headers: ["a b": "1"]), .url("http://p", headers: ["a": "1\r\nb: 2"]),
            .url("socks5h://p", headers: ["a": "1"]), .url("https://p", tls: .refused),
            .url("https://p", tls: .init(pins: ["x"])),
        ] as [ProxyConfiguration])
    func invalid(_ proxy: ProxyConfiguration) async {
        #expect(await send("http://a.test/", proxy)?.code == .invalidConfiguration)
    }

    @Test(
        "libcurl refuses headers and TLS settings of a proxy with .unsupportedByTransport",
        arguments: [.url("http://p", headers: ["a": "1"]), .url("https://p", tls: .init(minimumVersion: .tls13))]
            as [ProxyConfiguration])
    func libcurl(_ proxy: ProxyConfiguration) async {
        let error = await Session(transport: .libcurl(proxy: proxy)).request("http://a.test/").serializing(Data.self)
            .response.error
        #expect(error?.code == .unsupportedByTransport)
    }
}
