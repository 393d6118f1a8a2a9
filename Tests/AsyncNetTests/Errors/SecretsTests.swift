import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Secrets are planted wherever a program gives one, and looked for in everything that a public value or error shows of
/// itself.
@Suite("Secrets", .timeLimit(.minutes(5)))
struct SecretsTests {
    /// Counts what was planted, each different.
    private final class Plants: Sendable {
        static let mark = "hunter"
        private let count = Locked(0)
        var total: Int { count.withLock { $0 } }
        var next: String {
            count.withLock {
                $0 += 1
                return "\(Self.mark)\($0)x"
            }
        }
    }

    /// All that is shown of a value: what `print`, `debugPrint` and `dump` do, and what an error says to Foundation.
    private static func shown(_ value: Any) -> [String: String] {
        var dumped = ""
        dump(value, to: &dumped)
        var debugged = ""
        debugPrint(value, to: &debugged)
        var texts = [
            "print": "\(value)", "describing": String(describing: value), "reflecting": String(reflecting: value),
            "dump": dumped, "debugPrint": debugged,
        ]
        if let error = value as? any Error { texts.merge(shown(error)) { $1 } }
        return texts
    }

    private static func shown(_ error: any Error) -> [String: String] {
        let bridged = error as NSError
        var texts = [
            "localized": error.localizedDescription, "NSError": "\(bridged)",
            "reason": "\(bridged.localizedFailureReason ?? "") \(bridged.localizedRecoverySuggestion ?? "")",
        ]
        for (key, value) in bridged.userInfo {
            texts["userInfo \(key)"] = "\(value) \(String(reflecting: value))"
            if let url = value as? URL { texts["userInfo URL \(key)"] = url.absoluteString }
            if let below = value as? any Error {
                texts.merge(shown(below).map { ("\(key).\($0.key)", $0.value) }) { $1 }
            }
        }
        if let below = (error as? AsyncNetError)?.underlyingError {
            texts.merge(shown(below).map { ("underlying.\($0.key)", $0.value) }) { $1 }
        }
        return texts
    }

    private func check(_ value: Any, _ what: String = "", location: SourceLocation = #_sourceLocation) {
        for (way, text) in Self.shown(value) where text.contains(Plants.mark) {
            Issue.record("\(type(of: value)) \(what) by \(way): \(text.prefix(1000))", sourceLocation: location)
        }
    }

    private let plants = Plants()
    /// `NSURLErrorFailingURLStringErrorKey`, which is deprecated and still in use.
    private static let urlTextKey = "NSErrorFailingURLStringKey"
    private var url: String {
        "http://\(plants.next):\(plants.next)@127.0.0.1:1/path?token=\(plants.next)#\(plants.next)"
    }
    private var headers: HTTPHeaders {
        [
            .authorization(bearerToken: plants.next), .init(name: "Cookie", value: "a=\(plants.next)"),
            .init(name: "Proxy-Authorization", value: "Basic \(plants.next)"),
            .init(name: "X-Api-Key", value: plants.next),
            .init(name: "Referer", value: "http://u:\(plants.next)@a/?\(plants.next)"),
            .init(name: "Set-Cookie", value: "a=\(plants.next)"),
            .init(name: "Location", value: "/x?\(plants.next)"),
            .init(name: "Link", value: "</a?\(plants.next)>; rel=next"),
        ]
    }

    private struct Token: RefreshableCredential { var value: String }
    private struct OAuth: Authenticator {
        func apply(_ credential: Token, to request: inout URLRequest) {
            request.setValue("Bearer \(credential.value)", forHTTPHeaderField: "Authorization")
        }
        func refresh(_ credential: Token) async throws -> Token { credential }
    }

    private struct Signing: RequestAdapter {
        let key: String
        func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest { request }
    }

    private var proxies: [ProxyConfiguration] {
        [
            .http("p", port: 1, username: plants.next, password: plants.next),
            .socks5("p", port: 1, username: plants.next, password: plants.next),
            .url("http://\(plants.next):\(plants.next)@p:1"), .environment, .none, .url("ftp://\(plants.next)@p"),
            .url("http://p:1", headers: ["Proxy-Authorization": plants.next]),
        ]
    }

    private var identities: [TLSConfiguration.ClientIdentity] {
        [
            .init(certificate: "c", key: plants.next, password: plants.next),
            .init(certificate: Data("c".utf8), key: Data(plants.next.utf8), password: plants.next),
            .init(
                certificateFile: URL(filePath: "/c"), keyFile: URL(filePath: "/\(plants.next)"), password: plants.next),
            .init(pkcs12: Data(plants.next.utf8), password: plants.next),
            .init(pkcs12File: URL(filePath: "/\(plants.next)"), password: plants.next),
        ]
    }

    private func configuration(_ base: any URLConvertible) -> SessionConfiguration {
        let interceptor = AuthenticationInterceptor(authenticator: OAuth(), credential: Token(value: plants.next))
        return SessionConfiguration(
            baseURL: base, headers: headers, interceptors: [interceptor, RetryPolicy(limit: 0)], cookieJar: CookieJar())
    }

    @Test("The description of a WebSocket shows its host, and no secrets of URL and headers")
    func webSocket() {
        let socket = Session().webSocket(url.replacing("http:", with: "ws:"), headers: headers)
        check(socket)
        #expect("\(socket)" == "WebSocket to ws://127.0.0.1:1/path?<redacted>")
        #expect("\(Session().webSocket("user:password@host/path"))" == "WebSocket to a URL without a host")
    }

    @Test("Descriptions and dumps of configurations, transports and sessions contain no secrets")
    func configurations() async throws {
        let text = url
        for base in [text, try text.asURL(), try #require(URLComponents(string: text)), "::"] as [any URLConvertible] {
            let configuration = configuration(base)
            let jar = try #require(configuration.cookieJar)
            await jar.store(setCookie: ["a=\(plants.next)"], from: try "http://127.0.0.1/".asURL())
            let session = Session(transport: StubTransport { _ in .status(200) }, configuration: configuration)
            for value in [
                configuration, session, jar, configuration.headers, configuration.interceptors, [configuration],
                Optional(configuration) as Any,
            ] as [Any] { check(value) }
            #expect(
                base is URLComponents || "\(base)".hasPrefix("::") || "\(configuration)".contains("127.0.0.1:1/path"))
        }
        for proxy in proxies {
            for identity in identities {
                let tls = TLSConfiguration(clientIdentity: identity)
                let configuration = LibcurlTransport.Configuration(tls: tls, proxy: proxy)
                let transport = LibcurlTransport(configuration: configuration)
                for value in [
                    proxy, identity, tls, configuration, transport, Session(transport: transport),
                    URLSessionTransport.Configuration(tls: tls),
                ] as [Any] { check(value) }
                check(URLSessionTransport(configuration: .init(tls: tls)))
            }
        }
        #expect(plants.total > 80)
    }

    @Test("Descriptions and dumps of heads, bodies, cookies, credentials and events contain no secrets")
    func values() throws {
        let url = try url.asURL()
        let head = HTTPRequestHead(method: .get, url: url, headers: headers)
        let response = HTTPResponseHead(statusCode: 302, url: url, headers: headers)
        let transportRequest = TransportRequest(
            head: head, body: .multipart { $0.append(plants.next, name: "password") })
        let cookie = Cookie(name: "a", value: plants.next, domain: "a")
        for value in [
            head, response, transportRequest, cookie, PasswordCredential(username: "u", password: plants.next), headers,
            Array(headers), RequestBody.data(Data(plants.next.utf8)),
            RequestContext(
                id: RequestID(), attempt: 1, request: transportRequest, response: response,
                redirected: [transportRequest]),
            RequestEvent.attempt(1, head), RequestEvent.response(response), RequestEvent.informational(response),
            RequestEvent.hopEnded(HopSummary(request: head, response: response, ending: .redirected(to: head))),
            HopSummary(request: head, response: response),
            TransportEvent.receivedHead(response), TransportEvent.informational(response),
            TransportEvent.trailers(headers), TransportResponse(head: response, body: TransportBody(Data())),
            RawResponse(requestHead: head, head: response, data: Data()),
        ] as [Any] { check(value) }
        #expect(plants.total > 50)
    }

    @Test(
        "Descriptions of requests, responses, errors and events of a refused connection contain no secrets",
        arguments: ["stub", "libcurl", "urlSession"])
    func requests(_ name: String) async throws {
        let transports: [String: any Transport] = [
            "stub": StubTransport { _ in .fault(.refuse) }, "libcurl": LibcurlTransport(),
            "urlSession": URLSessionTransport(),
        ]
        let transport = try #require(transports[name])
        let session = try Self.session(transport, configuration(url))
        let request = session.request(
            url, method: .post, parameters: ["password": plants.next], encoder: .json, headers: headers)
        let events = Task { [events = request.events] in
            var seen: [RequestEvent] = []
            for await event in events { seen.append(event) }
            return seen
        }
        request.authenticate(username: plants.next, password: plants.next)
        let response = await request.serializing(Data.self).response
        let error = try #require(response.error)
        #expect(error.code == .cannotConnect)
        let options = RequestOptions(
            interceptors: configuration(url).interceptors + [Signing(key: plants.next)],
            credential: PasswordCredential(username: "u", password: plants.next))
        for value in [
            options, [options], request.engine, request.serializing(Data.self), try #require(session as Any?),
            request, response, response.metrics, error, error as any Error, error as NSError, await events.value,
            session,
        ] as [Any] { check(value) }
        #expect(error.request?.url?.absoluteString.contains(Plants.mark) == true)
        for text in [await request.curlDescription()] {
            #expect(!text.replacing("password", with: "").contains("Authorization: Bearer \(Plants.mark)"))
        }
        let download = session.download(url, to: .temporary)
        let stream = session.stream(url)
        check(try #require(await download.result.failure))
        check(download)
        check(download.engine)
        await #expect { for try await _ in stream.chunks {} } throws: { error in
            check(error)
            return true
        }
        for value in [stream, stream.engine, stream.chunks] as [Any] { check(value) }
        #expect(plants.total > 30)
    }

    private static func session(_ transport: any Transport, _ configuration: SessionConfiguration) throws -> Session {
        Session(transport: transport, configuration: configuration)
    }

    @Test(
        "Errors of refused URLs contain no secrets",
        arguments: [
            "ftp://u:hunter@a/?hunter", "http://hunter hunter@a/", "http://u:hunter@[::1/",
            "http://u:hunter@a:99999/?hunter", "hunter", "http://u:hunter@/", "javascript:hunter",
        ])
    func refused(_ url: String) async throws {
        for transport in [StubTransport { _ in .status(200) }, LibcurlTransport(), URLSessionTransport()]
            as [any Transport]
        {
            let error = try #require(
                await Self.session(transport, SessionConfiguration()).request(url).serializing(Data.self).result.failure
            )
            if !url.hasPrefix("hunter") { check(error, url) }
        }
    }

    @Test(
        "Errors of unusable proxies contain no secrets",
        arguments: [
            "http://u:hunter@@p", "http://u:hunter@[::1", "http://u:hunter@127.0.0.1:1", "http://u:hun ter@hunter p",
            "socks5h://u:hunter@127.0.0.1:1", "hunter:hunter@127.0.0.1:1",
        ])
    func proxyErrors(_ proxy: String) async throws {
        for kind in TransportUnderTest.withProxies {
            let session = Session(transport: kind.make(proxy: .url(proxy)))
            let error = try #require(
                await session.request("http://a.invalid/?hunter").serializing(Data.self).result.failure)
            check(error)
            check(session)
        }
    }

    @Test("URLSession's errors keep the URL without its secrets, at any depth of underlying errors")
    func urlErrors() throws {
        let url = try url.asURL()
        let innermost = NSError(
            domain: "c", code: 3,
            userInfo: [
                Self.urlTextKey: url.absoluteString,
                NSLocalizedDescriptionKey: "'\(url.absoluteString)' <\(url.absoluteString)>, twice",
            ])
        let inner = NSError(
            domain: "b", code: 2,
            userInfo: [
                NSUnderlyingErrorKey: innermost, "list": [innermost, url, "x \(url.absoluteString)"] as [Any],
                "other": URLRequest(url: url),
            ])
        let info: [String: Any] = [
            NSURLErrorFailingURLErrorKey: url, Self.urlTextKey: url.absoluteString, NSUnderlyingErrorKey: inner,
            "number": 7, NSLocalizedDescriptionKey: "plain",
        ]
        for original in [
            URLError(.cannotConnectToHost, userInfo: info),
            NSError(domain: NSURLErrorDomain, code: -1004, userInfo: info),
        ] as [any Error] {
            let error = URLErrorClassification.error(for: original)
            check(error)
            let below = try #require(error.underlyingError)
            check(below)
            #expect(error.code == .cannotConnect)
            #expect((below as? URLError)?.code == .cannotConnectToHost || !(original is URLError))
            let kept = (below as NSError).userInfo
            #expect((kept[NSURLErrorFailingURLErrorKey] as? URL)?.absoluteString == "http://127.0.0.1:1/path")
            #expect(kept[Self.urlTextKey] as? String == "http://127.0.0.1:1/path")
            #expect(kept["number"] as? Int == 7 && (below as NSError).code == -1004)
            let deepest = (kept[NSUnderlyingErrorKey] as? NSError)?.userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(
                deepest?.localizedDescription == "'http://127.0.0.1:1/path' <http://127.0.0.1:1/path>, twice"
                    && deepest?.domain == "c")
        }
    }

    @Test(
        "Userinfo, query and fragment are removed from the URLs in a text of URLSession's errors",
        arguments: [
            ("", ""), ("no URL", "no URL"), ("://", "://"), ("see http://u:p@h/a?q#f now", "see http://h/a now"),
            ("'https://h?q','x://a@b'", "'https://h','x://b'"), ("é://u@h", "é://h"),
            ("a=http://h/?x http://h/?y", "a=http://h/ http://h/"), ("http://u:p@", "http://"),
        ])
    func texts(_ text: String, _ shown: String) {
        #expect(URLErrorRedaction.text(text) == shown)
    }
}
