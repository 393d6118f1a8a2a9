import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Redirects of requests", .timeLimit(.minutes(5)))
struct RedirectingTests {
    /// `/from/STATUS` redirects to the target; other paths respond with the request's method and body.
    private func stub(to target: String = "/to") -> StubTransport {
        StubTransport { request in
            if request.path.hasPrefix("/from/"), let status = Int(request.path.dropFirst(6)) {
                return .redirect(to: target, status: status)
            }
            if request.path == "/circle" { return .redirect(to: "/circle") }
            return .text("\(request.method.rawValue) \(String(decoding: request.body, as: UTF8.self))")
        }
    }

    @Test(
        "A redirect of each status changes method and body as in RFC 9110 §15.4", arguments: [301, 302, 303, 307, 308],
        ["GET", "HEAD", "POST", "PUT", "DELETE", "QUERY"])
    func methods(_ status: Int, _ method: String) async throws {
        let stub = stub()
        let hasBody = ["POST", "PUT", "QUERY"].contains(method)
        let session = Session(transport: stub)
        let request = session.upload(
            hasBody ? .data(Data("body".utf8)) : .none, to: "http://a/from/\(status)",
            method: HTTPMethod(rawValue: method))
        let response = await request.serializing(Data.self).response
        let becomesGET = status == 303 && method != "HEAD" || (status < 303 && method == "POST")
        #expect(stub.requests.last?.method.rawValue == (becomesGET ? "GET" : method))
        #expect(stub.requests.last?.body == Data((hasBody && !becomesGET ? "body" : "").utf8))
        #expect(response.metrics.redirects.map(\.absoluteString) == ["http://a/to"])
    }

    @Test(
        "A redirect that session, request or closure does not follow is delivered",
        arguments: ["session", "request", "closure"])
    func notFollowed(_ kind: String) async throws {
        let session = Session(
            transport: stub(), configuration: .init(redirects: kind == "session" ? .doNotFollow : .follow))
        let request = session.request("http://a/from/302")
        if kind == "request" { request.redirects(.doNotFollow) }
        if kind == "closure" { request.redirects(.modify { _, _ in nil }) }
        let response = await request.serializing(Data.self).response
        #expect(response.statusCode == 302)
        #expect(response.head?.value(for: "Location") == "/to")
        #expect(response.metrics.redirects.isEmpty)
    }

    @Test("A redirect to a URL that is not HTTP ends the request with redirectFailed and the redirect's response")
    func refusedTarget() async {
        let response = await Session(transport: stub(to: "mailto:x")).get("http://a/from/302").serializing(Data.self)
            .response
        #expect(response.error?.code == .redirectFailed)
        #expect(response.error?.statusCode == 302)
        #expect(response.head?.value(for: "Location") == "mailto:x")
    }

    @Test("The timeout does not run while a redirect closure runs")
    func slowClosure() async throws {
        let clock = TestClock()
        let session = Session(transport: stub(), configuration: .init(timeout: .seconds(1), clock: clock))
        let request = session.get("http://a/from/302").redirects(
            .modify { next, _ in
                try await clock.sleep(for: .seconds(10))
                return next
            })
        #expect(try await clock.run { try await request.serializing(String.self).value } == "GET ")
    }

    @Test("A request's redirect closure replaces the session's setting, and changes the next request")
    func modified() async throws {
        let stub = stub()
        let session = Session(transport: stub, configuration: .init(redirects: .doNotFollow))
        let request = session.request("http://a/from/307", method: .put)
        request.redirects(
            .modify { next, response in
                var next = next
                next.setValue("\(response.statusCode)", forHTTPHeaderField: "X-From")
                return next
            })
        #expect(try await request.serializing(String.self).value == "PUT ")
        #expect(stub.requests.last?.headers["X-From"] == "307")
        let failing = session.request("http://a/from/302")
        failing.redirects(.modify { _, _ in throw CocoaError(.featureUnsupported) })
        #expect(await failing.serializing(String.self).result.failure?.code == .redirectFailed)
    }

    @Test(
        "Credentials, cookies and confidential headers are not sent to another origin",
        arguments: [("/to", true), ("http://b/to", false), ("http://a:81/to", false), ("https://a/to", false)])
    func origins(_ target: String, _ isSame: Bool) async throws {
        let stub = stub(to: target)
        let session = Session(
            transport: stub,
            configuration: .init(redirects: .follow(allowingInsecure: false, confidentialHeaders: ["X-Token"])))
        let headers: HTTPHeaders = [
            "Authorization": "s", "Cookie": "c=1", "Proxy-Authorization": "p", "X-Token": "t", "X-Other": "o",
        ]
        _ = await session.request("http://a/from/302", headers: headers).serializing(Data.self).result
        let last = try #require(stub.requests.last)
        for name in ["Authorization", "Cookie", "Proxy-Authorization", "X-Token"] {
            #expect(last.headers.contains(name: name) == isSame, "\(name)")
        }
        #expect(last.headers["X-Other"] == "o")
    }

    @Test("After redirects to another origin and back, removed headers are not sent again, nor userinfo of Location")
    func thereAndBack() async throws {
        let stub = StubTransport { request in
            switch request.path {
            case "/1": .redirect(to: "http://u:p@b./2")
            case "/2": .redirect(to: "http://evil@A:80/3")
            default: .status(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
            }
        }
        let headers: HTTPHeaders = [
            "authorization": "s", "COOKIE": "c=1", "host": "a.example", "X-Api-Key": "k", "X-Auth-Token": "t",
            "X-Other": "o",
        ]
        let response = await Session(transport: stub).request("http://a/1", headers: headers).serializing(Data.self)
            .response
        #expect(stub.requests.map(\.path) == ["/1", "/2", "/3"])
        #expect(response.metrics.redirects.map(\.absoluteString) == ["http://b./2", "http://A:80/3"])
        for request in stub.requests.dropFirst() {
            for name in ["Authorization", "Cookie", "Host", "X-API-Key", "X-Auth-Token"] {
                #expect(!request.headers.contains(name: name), "\(name)")
            }
            #expect(request.headers["X-Other"] == "o")
        }
    }

    @Test("A redirect from https to http ends with redirectFailed unless the setting allows it")
    func insecure() async throws {
        let session = Session(transport: stub(to: "http://a/to"))
        #expect(
            await session.request("https://a/from/302").serializing(String.self).result.failure?.code == .redirectFailed
        )
        let allowed = session.request("https://a/from/302")
        allowed.redirects(.follow(allowingInsecure: true))
        #expect(try await allowed.serializing(String.self).value == "GET ")
    }

    @Test("A redirect loop ends with tooManyRedirects, which names the loop; each attempt counts its own redirects")
    func circle() async throws {
        let stub = stub()
        let session = Session(transport: stub, configuration: .init(maximumRedirects: 3))
        let error = await session.request("http://a/circle").serializing(String.self).result.failure
        #expect(error?.code == .tooManyRedirects && error?.message.contains("loop") == true)
        #expect(stub.requests.count == 4)
        let count = Locked(0)
        let failing = StubTransport { request in
            if request.path == "/1" { return .redirect(to: "/2") }
            return count.withLock { count in
                count += 1
                return count < 4 ? .status(503) : .text("done")
            }
        }
        let retrying = Session(
            transport: failing,
            configuration: .init(
                interceptors: [RetryPolicy(limit: 5, backoff: Backoff(scale: .zero))], maximumRedirects: 2))
        #expect(try await retrying.request("http://a/1").serializing(String.self).value == "done")
    }
}
