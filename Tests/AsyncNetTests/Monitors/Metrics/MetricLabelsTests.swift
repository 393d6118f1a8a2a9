import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("Labels of metrics")
struct MetricLabelsTests {
    private func labels(_ method: HTTPMethod, _ url: String, _ template: String? = nil) throws -> [String: String] {
        let head = HTTPRequestHead(method: method, url: try #require(URL(string: url)))
        return Endpoint(head, template, methods: MetricsMonitor.standardMethods).labels
    }

    @Test(
        "A request's labels are its method, and the scheme, address and port of its origin",
        arguments: [
            ("https://Example.COM/a/b?c=d", "example.com", "443", "https"), ("http://a", "a", "80", "http"),
            ("HTTP://a:8080", "a", "8080", "http"), ("http://user:secret@a/", "a", "80", "http"),
            ("http://[::1]:81/", "::1", "81", "http"),
            ("http://" + String(repeating: "a", count: 256) + "/", "_OTHER", "80", "http"),
        ])
    func endpoints(_ url: String, _ address: String, _ port: String, _ scheme: String) throws {
        #expect(
            try labels(.get, url) == [
                "http.request.method": "GET", "server.address": address, "server.port": port, "url.scheme": scheme,
            ])
    }

    @Test(
        "A method that is not a standard one, such as get in lowercase, is labelled _OTHER",
        arguments: [
            (HTTPMethod.get, "GET"), (.query, "QUERY"), (.patch, "PATCH"), ("get", "_OTHER"), ("PROPFIND", "_OTHER"),
        ])
    func methods(_ method: HTTPMethod, _ label: String) throws {
        #expect(try labels(method, "http://a")["http.request.method"] == label)
    }

    @Test(
        "The URL template is a label with its secrets redacted",
        arguments: [
            ("users/{name}", "/users/{name}"), ("a{?page,token}", "/a{?page,token}"),
            ("http://u:p@a/{b}", "/{b}"), ("a?api_key=abc{&b}", "/a?api_key=REDACTED"),
        ])
    func templates(_ template: String, _ label: String) throws {
        let text = try #require(try labels(.get, "http://a", template)["url.template"])
        #expect(text.hasPrefix(label))
        #expect(!text.contains("abc") && !text.contains("u:p"))
    }

    @Test("An outcome's error.type is the code of its error, or else a status of 400 or more; a cancel has none")
    func errorsOfOutcomes() {
        #expect(SemanticConventions.errorType(ofOutcomeWith: 200, nil) == nil)
        #expect(SemanticConventions.errorType(ofOutcomeWith: 404, nil) == "404")
        #expect(SemanticConventions.errorType(ofOutcomeWith: 404, AsyncNetError(.unacceptableStatus)) == "404")
        #expect(
            SemanticConventions.errorType(ofOutcomeWith: 503, AsyncNetError(.deadlineExceeded)) == "deadlineExceeded")
        #expect(SemanticConventions.errorType(ofOutcomeWith: 503, AsyncNetError(.cancelled)) == nil)
    }
}
