import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

/// What a transport makes of the `Alt-Svc` fields that it receives, and which configurations use HTTP/3.
@Suite("Offers of HTTP/3")
struct HTTP3OffersTests {
    private static let with = Libcurl.Version(number: 0x081700, description: "new", hasHTTP2: true, hasHTTP3: true)
    private static let without = Libcurl.Version(number: 0x075801, description: "old", hasHTTP2: true)
    private let url: URL

    init() throws { url = try "https://a.example/x".asURL() }

    private func head(
        _ headers: HTTPHeaders, status: Int = 200, over version: String = "HTTP/2"
    ) -> HTTPResponseHead {
        HTTPResponseHead(statusCode: status, url: url, headers: headers, httpVersion: version)
    }

    private func offers(_ configuration: LibcurlTransport.Configuration = .init()) throws -> HTTP3Offers {
        try #require(HTTP3Offers(configuration, Self.with))
    }

    @Test("Offers are used only with .automatic, without proxy or unix socket, and if libcurl has HTTP/3")
    func usable() {
        typealias Configuration = LibcurlTransport.Configuration
        #expect(HTTP3Offers(Configuration(), Self.with) != nil)
        #expect(HTTP3Offers(Configuration(), Self.without) == nil)
        #expect(HTTP3Offers(Configuration(httpVersion: .http1), Self.with) == nil)
        #expect(HTTP3Offers(Configuration(httpVersion: .http3), Self.with) == nil)
        #expect(HTTP3Offers(Configuration(proxy: .http("p", port: 1)), Self.with) == nil)
        #expect(HTTP3Offers(Configuration(unixSocket: "/s"), Self.with) == nil)
    }

    @Test("Alt-Svc is used for the next request, and forgotten after a 421")
    func received() throws {
        let offers = try offers()
        #expect(offers.use(for: url, mayTry: true) == nil)
        offers.receive(head(["Alt-Svc": #"h3=":443""#]), from: url)
        let use = try #require(offers.use(for: url, mayTry: true))
        #expect(use.route == .race && use.isTrial && use.otherPort == nil)
        offers.responded(use, head([:], over: "HTTP/3"))
        #expect(offers.use(for: url, mayTry: false)?.isTrial == false)
        offers.responded(use, head([:], status: 421, over: "HTTP/3"))
        #expect(offers.use(for: url, mayTry: true) == nil)
    }

    @Test("Alt-Svc is ignored in a 421 response, and in a response whose Age has reached ma")
    func unusableResponses() throws {
        let offers = try offers()
        offers.receive(head(["Alt-Svc": #"h3=":443""#], status: 421), from: url)
        offers.receive(head(["Alt-Svc": #"h3=":443"; ma=60"#, "Age": "60"]), from: url)
        #expect(offers.use(for: url, mayTry: true) == nil)
    }

    @Test("An offer is tried again after a race without a response, not after a race that HTTP/2 has won")
    func races() throws {
        let offers = try offers()
        offers.receive(head(["Alt-Svc": #"h3=":443""#]), from: url)
        let first = try #require(offers.use(for: url, mayTry: true))
        #expect(offers.use(for: url, mayTry: true) == nil)
        offers.ended(first)
        let second = try #require(offers.use(for: url, mayTry: true))
        offers.responded(second, head([:]))
        #expect(offers.use(for: url, mayTry: true) == nil)
        offers.ended(second)
        #expect(offers.use(for: url, mayTry: true) == nil)
    }

    @Test(
        "Alt-Used has no default port, and an IPv6 address in brackets",
        arguments: [
            ("a.example", 443, "a.example"), ("a.example", 8443, "a.example:8443"), ("::1", 443, "[::1]"),
            ("::1", 9, "[::1]:9"),
        ])
    func alternatives(_ host: String, _ port: Int, _ expected: String) {
        let origin = AlternativeServices.Origin(host: host, port: 443)
        let use = HTTP3Use(origin: origin, route: .http3(port: port, isTrial: false), responses: 0)
        #expect(use.alternative == expected)
        #expect(HTTP3Use(origin: origin, route: .race, responses: 0).alternative == nil)
    }

    @Test("An offer of HTTP/3 for the origin's own IPv6 address is used")
    func addressHost() throws {
        let offers = try offers()
        let url = try "https://[::1]:9/".asURL()
        offers.receive(head(["Alt-Svc": #"h3="[::1]:9""#]), from: url)
        #expect(offers.use(for: url, mayTry: true)?.route == .race)
    }

    @Test("With configured addresses only offers on the origin's own port are used")
    func addresses() throws {
        let offers = try offers(.init(addresses: ["a.example:443": ["127.0.0.1"]]))
        offers.receive(head(["Alt-Svc": #"h3=":8443""#]), from: url)
        #expect(offers.use(for: url, mayTry: true) == nil)
        offers.receive(head(["Alt-Svc": #"h3=":443""#]), from: url)
        #expect(offers.use(for: url, mayTry: true)?.route == .race)
    }

    @Test(
        "HTTP/3 is refused if libcurl lacks it; through a proxy or unix socket only .http3 is, not .http3Preferred",
        arguments: [LibcurlTransport.HTTPVersion.http3, .http3Preferred])
    func refusals(_ version: LibcurlTransport.HTTPVersion) throws {
        typealias Configuration = LibcurlTransport.Configuration
        try Configuration(httpVersion: version).validate(Self.with)
        let error = #expect(throws: AsyncNetError.self) {
            try Configuration(httpVersion: version).validate(Self.without)
        }
        #expect(error?.code == .unsupportedByTransport)
        #expect(error?.message.contains("without HTTP/3") == true)
        for configuration in [
            Configuration(proxy: .http("p", port: 1), httpVersion: version),
            Configuration(unixSocket: "/s", httpVersion: version),
        ] {
            let refusal = try Self.refusal(configuration)
            #expect((refusal == .unsupportedByTransport) == (version == .http3))
        }
    }

    private static func refusal(_ configuration: LibcurlTransport.Configuration) throws -> AsyncNetError.Code? {
        do { try configuration.validate(with) } catch { return error.code }
        return nil
    }

    @Test(
        "A libcurl error over QUIC has the code of its cause",
        arguments: [
            (
                55, "Failed to connect to h:1 after 2 ms: Failed sending data to the peer", 0,
                AsyncNetError.Code.cannotConnect
            ),
            (96, "Failed to connect to h:1 after 2 ms: QUIC connection error", 0, .cannotConnect),
            (55, "Send failure: Broken pipe", 0, .connectionLost), (3, "Bad URL", 0, .malformedURL),
            (3, "HTTP/3 is not supported over a SOCKS proxy", 0, .unsupportedByTransport),
            (
                60, "Failed to connect to h:1 after 20 ms: SSL peer certificate or SSH remote key was not OK", 1,
                .certificateHostMismatch
            ),
            (
                60, "Failed to connect to h:1 after 20 ms: SSL peer certificate or SSH remote key was not OK", 10,
                .certificateExpired
            ),
            (
                60, "Failed to connect to h:1 after 20 ms: SSL peer certificate or SSH remote key was not OK", 18,
                .certificateNotTrusted
            ),
        ])
    func errors(_ result: Int32, _ text: String, _ verifyResult: Int, _ code: AsyncNetError.Code) {
        let circumstances = LibcurlErrors.Circumstances(text: text, verifyResult: verifyResult)
        #expect(LibcurlErrors.code(for: result, circumstances) == code)
    }
}
