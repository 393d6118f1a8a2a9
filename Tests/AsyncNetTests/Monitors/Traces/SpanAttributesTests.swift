import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("Attributes of spans", .timeLimit(.minutes(5)))
struct SpanAttributesTests {
    private func attributes(
        _ url: String, _ method: HTTPMethod = .get, template: String? = nil, resends: Int = 0,
        headers: HTTPHeaders = [:], names: [String] = []
    ) throws -> [String: TraceSpan.Attribute] {
        let head = HTTPRequestHead(method: method, url: try #require(URL(string: url)), headers: headers)
        return SpanAttributes.ofRequest(head, template: template, resends: resends, headers: names, .standard)
    }

    @Test(
        "A span's name has the method and the template if there is one, and no path",
        arguments: [
            ("GET", nil, "GET"), ("GET", "users/{id}", "GET /users/{id}"), ("BREW", nil, "HTTP"),
            ("get", "http://a/users/{id}", "HTTP /users/{id}"), ("PATCH", nil, "PATCH"), ("CONNECT", nil, "CONNECT"),
        ])
    func names(_ method: String, _ template: String?, _ name: String) {
        #expect(SpanAttributes.name(HTTPMethod(rawValue: method), template: template) == name)
    }

    @Test(
        "An unknown method is _OTHER, with the original method as an attribute",
        arguments: [
            ("GET", "GET", nil), ("BREW", "_OTHER", "BREW"), ("gEt", "_OTHER", "gEt"), ("QUERY", "QUERY", nil),
        ])
    func methods(_ method: String, _ known: String, _ original: String?) throws {
        let attributes = try attributes("http://a/", HTTPMethod(rawValue: method))
        #expect(attributes["http.request.method"] == .string(known))
        #expect(attributes["http.request.method_original"] == original.map(TraceSpan.Attribute.string))
    }

    @Test(
        "url.full is redacted, and server.address and server.port come from the URL",
        arguments: [
            ("http://a.example/x?y=1#z", "http://a.example/x?y=1#REDACTED", "a.example", 80),
            ("HTTPS://A.example:8443/", "HTTPS://A.example:8443/", "a.example", 8443),
            ("https://u:p@a/?sig=planted&b=2", "https://REDACTED:REDACTED@a/?sig=REDACTED&b=2", "a", 443),
            ("http://[::1]:81/", "http://[::1]:81/", "::1", 81),
        ])
    func urls(_ url: String, _ full: String, _ address: String, _ port: Int) throws {
        let attributes = try attributes(url)
        #expect(attributes["url.full"] == .string(full))
        #expect(attributes["server.address"] == .string(address))
        #expect(attributes["server.port"] == .int(port))
        #expect(attributes["url.scheme"] == (url.lowercased().hasPrefix("https") ? "https" : "http"))
        #expect(attributes.count == 5)
    }

    @Test("url.template and http.request.resend_count are set if known")
    func optional() throws {
        let attributes = try attributes("http://a/x", template: "{id}", resends: 2)
        #expect(attributes["url.template"] == "/{id}" && attributes["http.request.resend_count"] == 2)
    }

    @Test("Only the named headers are attributes, and secret ones are redacted")
    func headers() throws {
        let headers: HTTPHeaders = ["X-One: 1", "x-one: 2", "Authorization: Bearer planted", "Other: 3"]
        let sent = try attributes("http://a/", headers: headers, names: ["x-one", "Authorization", "Missing"])
        #expect(sent["http.request.header.x-one"] == .strings(["1", "2"]))
        #expect(sent["http.request.header.authorization"] == .strings(["REDACTED"]))
        #expect(sent.count == 7)
        let head = HTTPResponseHead(
            statusCode: 201, url: try #require(URL(string: "http://a/")),
            headers: ["Set-Cookie: a=planted", "ETag: \"1\""], httpVersion: "HTTP/2")
        let received = SpanAttributes.ofResponse(head, headers: ["Set-Cookie", "ETag"], .standard)
        #expect(
            received == [
                "http.response.status_code": 201, "network.protocol.version": "2",
                "http.response.header.etag": .strings(["\"1\""]),
                "http.response.header.set-cookie": .strings(["REDACTED"]),
            ])
    }

    @Test(
        "network.protocol.version is a number",
        arguments: [("HTTP/1.1", "1.1"), ("HTTP/1.0", "1.0"), ("HTTP/2", "2"), ("HTTP/2.0", "2"), ("HTTP/3", "3")])
    func versions(_ text: String, _ version: String) {
        let attributes = SpanAttributes.ofConnection(version: text, address: "::1", port: 80)
        #expect(
            attributes == [
                "network.protocol.version": .string(version), "network.peer.address": "::1", "network.peer.port": 80,
            ])
        #expect(SpanAttributes.ofConnection(version: nil, address: nil, port: nil).isEmpty)
    }

    /// A hop's error and status, and the error type and description that its span must have.
    struct End: Sendable {
        let code: AsyncNetError.Code?
        let status: Int?
        let type: String?
        let description: String?

        init(_ code: AsyncNetError.Code?, _ status: Int?, _ type: String?, _ description: String? = nil) {
            (self.code, self.status, self.type, self.description) = (code, status, type, description)
        }
    }

    @Test(
        "A span's status is an error for failures and statuses from 400 on, not for cancels and validators' errors",
        arguments: [
            End(nil, 200, nil), End(nil, 304, nil), End(nil, 399, nil), End(nil, 400, "400"), End(nil, 503, "503"),
            End(.cancelled, nil, nil), End(.cancelled, 200, nil), End(.cancelled, 404, "404"),
            End(.timedOut, nil, "timedOut", "m"), End(.connectionLost, 200, "connectionLost", "m"),
            End(.connectionLost, 500, "connectionLost", "m"), End(.unacceptableStatus, 404, "404"),
            End(.unacceptableStatus, 200, nil), End(.unacceptableContentType, 200, nil),
            End(.validationFailed, 200, nil), End(.tooManyRedirects, 302, "tooManyRedirects", "m"),
        ])
    func errors(_ end: End) throws {
        let (recorder, head) = (SpanRecorder(), HTTPRequestHead(url: try "http://a/".asURL()))
        let made = TraceSpan(requestID: RequestID(), name: "GET", context: TraceContext())
        let hop = HopSpan(made, TracePropagation(), recorder)
        hop.ended(
            HopSummary(
                request: head, response: end.status.map { HTTPResponseHead(statusCode: $0, url: head.url) },
                ending: end.code.map { .init(AsyncNetError($0, "m")) } ?? .delivered))
        let span = try #require(recorder.spans.first)
        #expect(span.attributes["error.type"] == end.type.map { .string($0) })
        #expect(span.status == (end.type == nil ? .unset : .error(end.description)))
    }
}
