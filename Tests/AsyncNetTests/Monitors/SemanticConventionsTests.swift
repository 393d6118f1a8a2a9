import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

/// The values that spans, metrics and logs have in common.
@Suite("Semantic conventions")
struct SemanticConventionsTests {
    @Test(
        "The url.template of a URL template is its path and query",
        arguments: [
            ("users/{id}", "/users/{id}"), ("/users/{id}", "/users/{id}"), ("", "/"), ("{id}", "/{id}"),
            ("http://a.example/users/{id}?a={b}", "/users/{id}?a={b}"), ("https://a.example", "/"),
            ("https://{host}:81/users", "/users"), ("{scheme}://{host}/users", "/users"), ("//a/users", "/users"),
            ("http://a{/path*}", "{/path*}"), ("http://a{?page}", "/{?page}"), ("http://a?b", "/?b"),
            ("users{?page}{#part}", "/users{?page}"), ("users#part{id}", "/users"), ("users{", "/users{"),
            ("go/http://a/{id}", "/go/http://a/{id}"), ("http://", "/"), ("{+base}/users", "/{+base}/users"),
        ])
    func templates(_ text: String, _ path: String) {
        #expect(SemanticConventions.template(text) == path)
        #expect(SemanticConventions.path(ofTemplate: path) == path)
    }

    @Test("The url.template of a URL template contains no secrets")
    func secrets() {
        #expect(SemanticConventions.template("http://u:p@a/{b}?sig=c&d=e") == "/{b}?sig=REDACTED&d=e")
        let rule = RedactionRule(queryNames: ["d"])
        #expect(SemanticConventions.template("a?d=e", redaction: rule) == "/a?d=REDACTED")
    }

    @Test(
        "The network.protocol.version is the number of the HTTP version",
        arguments: [
            ("HTTP/1.1", "1.1"), ("HTTP/1.0", "1.0"), ("HTTP/2", "2"), ("HTTP/2.0", "2"), ("HTTP/3", "3"), ("h3", "h3"),
        ])
    func versions(_ text: String, _ version: String) {
        #expect(SemanticConventions.version(text) == version)
    }

    @Test("Spans and metrics have the same attributes for the same request")
    func sameValues() throws {
        let urls = [
            "https://Example.COM/a", "http://[::1]:81/", "HTTP://a", "http://\(String(repeating: "a", count: 300))/",
        ]
        for url in urls {
            for method in [HTTPMethod.get, .query, .patch, "BREW"] {
                let head = HTTPRequestHead(method: method, url: try #require(URL(string: url)))
                let labels = Endpoint(head, "users/{id}", methods: MetricsMonitor.standardMethods).labels
                let attributes = SpanAttributes.ofRequest(
                    head, template: "users/{id}", resends: 0, headers: [], .standard)
                for (name, label) in labels { #expect(attributes[name]?.description == label) }
            }
        }
    }

    @Test(
        "A hop's error.type is its error's code, or else a status of 400 or more; a cancel or refusal sets none",
        arguments: [
            (.delivered, 200, nil), (.delivered, 399, nil), (.delivered, 404, "404"),
            (.failed(AsyncNetError(.timedOut)), nil, "timedOut"),
            (.failed(AsyncNetError(.connectionLost)), 503, "connectionLost"), (.cancelled, nil, nil),
            (.cancelled, 404, "404"), (.refused(AsyncNetError(.unacceptableContentType)), 200, nil),
            (.refused(AsyncNetError(.unacceptableStatus)), 404, "404"), (.replaced, 503, "503"),
        ] as [(HopSummary.Ending, Int?, String?)])
    func errors(_ ending: HopSummary.Ending, _ status: Int?, _ type: String?) throws {
        let url = try "http://a".asURL()
        let summary = HopSummary(
            request: HTTPRequestHead(url: url),
            response: status.map { HTTPResponseHead(statusCode: $0, url: url) }, ending: ending)
        #expect(SemanticConventions.errorType(of: summary) == type)
    }
}
