import Testing

@testable import AsyncNet

@Suite("Proxy URLs and routes")
struct ProxyServerTests {
    @Test(
        "A proxy URL is parsed to kind, host, port and credentials, with curl's default ports",
        arguments: [
            ("http://p:3128", .http, "p", 3128, nil, nil), ("p:3128", .http, "p", 3128, nil, nil),
            ("HTTPS://P.Example/", .https, "p.example", 443, nil, nil), ("http://p", .http, "p", 1080, nil, nil),
            ("socks5h://p", .socks5h, "p", 1080, nil, nil), ("socks://p:1", .socks4, "p", 1, nil, nil),
            ("socks4a://ada@[::1]:9", .socks4a, "::1", 9, "ada", ""),
            ("http://[fe80::1%25lo]:8", .http, "fe80::1%lo", 8, nil, nil),
            ("socks5://a%40b:c%3Ad@p:1/x?y#z", .socks5, "p", 1, "a@b", "c:d"),
            ("http://ada:p@ss@p:1", .http, "p", 1, "ada", "p@ss"), ("http://:pass@p:1", .http, "p", 1, "", "pass"),
            ("http://@p:1", .http, "p", 1, nil, nil),
        ] as [(String, ProxyServer.Kind, String, UInt16, String?, String?)])
    func parts(
        _ url: String, _ kind: ProxyServer.Kind, _ host: String, _ port: UInt16, _ user: String?, _ password: String?
    ) throws {
        let proxy = try ProxyServer(url)
        #expect(proxy.kind == kind)
        #expect(proxy.endpoint == ServerEndpoint(isTLS: kind == .https, host: host, port: port))
        #expect(proxy.credentials?.user == user)
        #expect(proxy.credentials?.password == password)
    }

    @Test("The settings' credentials are used if the proxy URL has none")
    func credentials() throws {
        let own = ProxyServer.Credentials(user: "a", password: "b")
        #expect(try ProxyServer("http://p:1", own).credentials == own)
        #expect(try ProxyServer("http://c:d@p:1", own).credentials?.user == "c")
    }

    @Test(
        "An invalid proxy URL is .invalidConfiguration, and its password is not in the error",
        arguments: [
            "ftp://u:hunter2@p", "socks9://u:hunter2@p:1", "http://u:hunter2@c d", "http://u:hunter2@p:99999",
            "http://u:hunter2@p:x", "http://u:hunter2@[::1", "http://u:hunter2@", "http://u:hun/ter2@p:1", "",
            "http://u:hunter2%00@p:1", "socks5://u:hunter2%0A@p:1", "http://hunter2%3A:x@p:1",
            "socks5h://u:hunter2\(String(repeating: "x", count: 256))@p:1",
            "socks4://hunter2\(String(repeating: "x", count: 256))@p:1",
        ])
    func invalid(_ url: String) {
        let error = #expect(throws: AsyncNetError.self) { try ProxyServer(url) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.description.contains("hun") == false)
    }

    private static let plain = ServerEndpoint(isTLS: false, host: "a.test", port: 80)
    private static let secure = ServerEndpoint(isTLS: true, host: "a.test", port: 443)

    @Test("An HTTP proxy forwards http requests unless they are tunnelled, and no others")
    func ways() throws {
        func isForwarded(_ url: String, _ endpoint: ServerEndpoint, tunnels: Bool = false, any: Bool = false) throws
            -> Bool
        {
            var configuration = ProxyConfiguration.url(url)
            if tunnels { configuration = configuration.tunnelling() }
            let route = try ProxyRoutes(configuration, unixSocket: nil).route(to: endpoint, isTunnelled: any)
            #expect(route.proxy != nil)
            return route.isForwarded
        }
        #expect(try isForwarded("http://p:1", Self.plain))
        #expect(try isForwarded("https://p:1", Self.plain))
        #expect(try !isForwarded("http://p:1", Self.secure))
        #expect(try !isForwarded("http://p:1", Self.plain, tunnels: true))
        #expect(try !isForwarded("http://p:1", Self.plain, any: true))
        #expect(try !isForwarded("socks5://p:1", Self.plain))
    }

    @Test("The route is direct without a proxy, for a bypassed host, and over a unix socket")
    func direct() throws {
        let proxy = ProxyConfiguration.http("p", port: 1)
        for (configuration, unixSocket) in [
            (.none, nil), (proxy.bypassing(["a.test"]), nil), (proxy.bypassing(["*:80"]), nil), (proxy, "/s"),
        ] as [(ProxyConfiguration, String?)] {
            let routes = try ProxyRoutes(configuration, unixSocket: unixSocket)
            #expect(try routes.route(to: Self.plain, isTunnelled: false) == ConnectionRoute(endpoint: Self.plain))
        }
        let other = try ProxyRoutes(proxy.bypassing(["*:80"]), unixSocket: nil)
        #expect(try other.route(to: Self.secure, isTunnelled: false).proxy != nil)
    }

    @Test("A host of 256 bytes leads to .malformedURL through a SOCKS5 proxy, not through an HTTP proxy")
    func longNames() throws {
        let endpoint = ServerEndpoint(isTLS: false, host: String(repeating: "a", count: 256), port: 80)
        for (url, code) in [("socks5h://p:1", AsyncNetError.Code.malformedURL), ("http://p:1", nil)] {
            let routes = try ProxyRoutes(.url(url), unixSocket: nil)
            #expect(AsyncNetError.code { _ = try routes.route(to: endpoint, isTunnelled: true) } == code)
        }
    }

    @Test("Proxy variables of the environment are read in curl's order, and HTTP_PROXY is ignored")
    func environment() {
        func url(_ isTLS: Bool, _ variables: [String: String]) -> String? {
            ProxyConfiguration.environmentURL(isTLS: isTLS) { variables[$0] }
        }
        #expect(url(false, ["http_proxy": "a", "all_proxy": "b"]) == "a")
        #expect(url(false, ["HTTP_PROXY": "a", "ALL_PROXY": "b"]) == "b")
        #expect(url(false, ["https_proxy": "a"]) == nil)
        #expect(url(true, ["https_proxy": "a", "HTTPS_PROXY": "b"]) == "a")
        #expect(url(true, ["HTTPS_PROXY": "b", "all_proxy": "c"]) == "b")
        #expect(url(true, ["https_proxy": "", "all_proxy": "c", "ALL_PROXY": "d"]) == "c")
        #expect(url(true, ["http_proxy": "a"]) == nil)
    }

    @Test("An empty no_proxy of the environment does not hide NO_PROXY", arguments: ["", nil])
    func bypass(_ lowercase: String?) {
        let variables = ["no_proxy": lowercase, "NO_PROXY": "a.example"]
        #expect(ProxyConfiguration.environmentBypass { variables[$0] ?? nil } == "a.example")
        #expect(ProxyConfiguration.environmentBypass { $0 == "no_proxy" ? "b" : "c" } == "b")
    }
}
