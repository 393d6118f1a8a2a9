import AsyncNet
import Foundation
import Testing

@testable import AsyncNetTestSupport

/// Tables of what is equal.
@Suite("Matching of requests and recorded requests", .timeLimit(.minutes(5)))
struct RequestMatchingTests {
    typealias Request = RecordedExchange.Request

    private func matches(_ matchers: [RequestMatcher], _ request: Request, _ recorded: Request) -> Bool {
        let plan = ReplayPlan(Recording([.text(recorded)]), RequestComparison(matchers, .standard))
        let source = ReplaySource(plan, reusesLast: false)
        if case .exchange = source.take(request) { return true } else { return false }
    }

    @Test(
        "Each matcher compares one part of the request",
        arguments: [
            ([.method], "GET /a", "GET /b?x", true), ([.method], "GET /a", "HEAD /a", false),
            ([.method], "get /a", "GET /a", false),
            ([.origin], "GET https://a/", "POST https://A:443/b", true),
            ([.origin], "GET http://a/", "GET https://a/", false),
            ([.origin], "GET http://a/", "GET http://a:80/", true),
            ([.origin], "GET http://a/", "GET http://a:81/", false),
            ([.origin], "GET http://a/", "GET http://b/", false),
            ([.origin], "GET http://u:p@a/", "GET http://a/", true),
            ([.host], "GET http://a:81/", "GET https://A/", true), ([.host], "GET http://a/", "GET http://b/", false),
            ([.path], "GET http://a", "GET http://b/", true), ([.path], "GET /a", "GET /a/", false),
            ([.path], "GET /%7Ea%2fb%C3%A9", "GET /~a%2Fb%c3%a9", true), ([.path], "GET /a%2Fb", "GET /a/b", false),
            ([.path], "GET /A", "GET /a", false), ([.path], "GET /a?x=1", "GET /a?x=2", true),
            ([.query], "GET /a?x=1&y=2", "GET /b?y=2&x=1", true), ([.query], "GET /a?x=1&x=2", "GET /a?x=2&x=1", false),
            ([.query], "GET /a?x=1&y=3&x=2", "GET /a?y=3&x=1&x=2", true), ([.query], "GET /a?", "GET /a", true),
            ([.query], "GET /a?x", "GET /a?x=", true), ([.query], "GET /a?x=1", "GET /a", false),
            ([.query], "GET /a?x=a%20b", "GET /a?x=a+b", true), ([.query], "GET /a?x=%2B", "GET /a?x=+", false),
            ([.query], "GET /a?%78=1", "GET /a?x=%31", true), ([.query], "GET /a?x=%ff", "GET /a?x=%FF", true),
            ([.query], "GET /a?x=%ff", "GET /a?x=%FE", false), ([.query], "GET /a?x=1", "GET /a?X=1", false),
            ([], "GET /a", "POST http://b/c?d", true),
        ] as [([RequestMatcher], String, String, Bool)])
    func parts(_ matchers: [RequestMatcher], _ request: String, _ recorded: String, _ expected: Bool) {
        #expect(matches(matchers, Request(request), Request(recorded)) == expected)
        #expect(matches(matchers, Request(recorded), Request(request)) == expected)
    }

    private static let json = "application/json"
    private static let form = "application/x-www-form-urlencoded"

    @Test(
        "Bodies are compared as their media types require",
        arguments: [
            (
                #"{"a":1,"b":[true,null]}"#, json, "{ \"b\": [true, null], \"a\": 1.0 }",
                "application/json; charset=utf-8", true
            ),
            (#"{"a":1}"#, json, #"{"a":2}"#, json, false), ("[1,2]", json, "[2,1]", json, false),
            (#"{"a":1}"#, json, #"{"a":1,"b":null}"#, json, false), (#"{"a":1}"#, json, #"{"a":1}"#, nil, true),
            (#"{"a":1}"#, "application/vnd.api+json", #"{ "a": 1 }"#, json, true), ("{", json, "{", json, true),
            ("{", json, "{ ", json, false), (#""é""#, json, #""\u00e9""#, json, true),
            ("a=1&b=2", form, "b=2&a=1", form, true), ("a=1&a=2", form, "a=2&a=1", form, false),
            ("a=x+y", form, "a=x%20y", form, true), ("a=1", form, "a=1&b=", form, false),
            ("a b", "text/plain", "a b", "text/html", true), ("a b", "text/plain", "a  b", "text/plain", false),
            (#"{"a":1}"#, "text/plain", #"{ "a": 1 }"#, "text/plain", false), ("", nil, "", json, true),
            ("", nil, "{}", json, false),
        ] as [(String, String?, String, String?, Bool)])
    func bodies(_ body: String, _ type: String?, _ recorded: String, _ recordedType: String?, _ expected: Bool) {
        let (one, other) = (Request("POST /", body, type: type), Request("POST /", recorded, type: recordedType))
        #expect(matches([.body], one, other) == expected)
        #expect(matches([.body], other, one) == expected)
        #expect(matches([.method, .path], one, other))
    }

    private func multipart(_ boundary: String, _ parts: String...) -> Request {
        let body = parts.map { "--\(boundary)\r\nContent-Disposition: form-data; \($0)\r\n" }.joined()
        return Request("POST /", "\(body)--\(boundary)--\r\n", type: "multipart/form-data; boundary=\(boundary)")
    }

    @Test("Multipart forms are compared part by part, with any boundary")
    func multipartForms() {
        let (name, tag) = ("name=\"name\"\r\n\r\nAda", "name=\"tag\"\r\n\r\n1")
        let data = "name=\"data\"; filename=\"a.json\"\r\nContent-Type: application/json\r\n\r\n"
        let recorded = multipart("one", name, tag, data + #"{"a":1,"b":2}"#)
        #expect(matches([.body], multipart("other", data + #"{ "b": 2, "a": 1.0 }"#, name, tag), recorded))
        #expect(!matches([.body], multipart("other", name, tag, data + #"{"a":1}"#), recorded))
        #expect(!matches([.body], multipart("other", name, data + #"{"a":1,"b":2}"#), recorded))
        let renamed = data.replacing("a.json", with: "b.json")
        #expect(!matches([.body], multipart("other", name, tag, renamed + #"{"a":1,"b":2}"#), recorded))
    }

    @Test("Binary bodies match if equal, and a truncated recorded body matches any body")
    func bytes() {
        func request(_ bytes: [UInt8], isTruncated: Bool = false) -> Request {
            var request = Request("PUT /", type: "application/octet-stream")
            (request.body, request.isBodyTruncated) = (Data(bytes), isTruncated)
            return request
        }
        #expect(matches([.body], request([0, 1, 255]), request([0, 1, 255])))
        #expect(!matches([.body], request([0, 1, 255]), request([0, 1, 254])))
        #expect(matches([.body], request([0, 1, 255]), request([0], isTruncated: true)))
        #expect(matches([.body], request([5]), request([], isTruncated: true)))
        #expect(!matches([.body, .path], request([5]), Request("PUT /b")))
    }

    @Test("Exchanges with and without a recorded body are used in the order of the recording")
    func unknownBodies() {
        let known = Request("POST /", "[1]", type: "application/json")
        var unknown = known
        (unknown.body, unknown.isBodyTruncated) = (Data(), true)
        let plan = ReplayPlan(
            Recording([.text(unknown), .text(known), .text(unknown)]),
            RequestComparison(RequestMatcher.standard, .standard))
        let source = ReplaySource(plan, reusesLast: false)
        let found = (0..<4).map { _ in if case .exchange(let index) = source.take(known) { index } else { -1 } }
        #expect(found == [0, 1, 2, -1])
    }

    @Test("Only headers that a matcher names are compared, and Range always")
    func headers() {
        func request(_ headers: HTTPHeaders) -> Request { Request("GET /", headers: headers) }
        let one = request(["Accept": "text/html", "X": "1"])
        #expect(matches([.method], one, request([:])))
        #expect(matches([.headers("accept")], one, request(["ACCEPT": "text/html"])))
        #expect(!matches([.headers("Accept")], one, request(["Accept": "text/plain"])))
        #expect(!matches([.headers("Accept")], one, request([:])))
        #expect(!matches([.headers("Accept", "X")], one, request(["Accept": "text/html", "X": "2"])))
        #expect(matches([.headers("Y")], one, request([:])))
        for matchers in [RequestMatcher.standard, [.method], [.path, .query]] {
            #expect(!matches(matchers, request(["Range": "bytes=0-9"]), request(["Range": "bytes=10-19"])))
            #expect(!matches(matchers, request(["Range": "bytes=0-9"]), request([:])))
            #expect(matches(matchers, request(["Range": "bytes=0-9"]), request(["range": "bytes=0-9"])))
        }
    }

    @Test("A custom matcher gets both requests without secrets, after the other matchers")
    func closures() {
        let seen = Locked<[String]>([])
        let matcher = RequestMatcher.custom { request, recorded in
            seen.withLock { $0.append("\(request.url.absoluteString) \(recorded.headers["Authorization"] ?? "")") }
            return request.headers["X"] == recorded.headers["X"]
        }
        let recorded = Request("GET /a", headers: ["X": "1", "Authorization": "Bearer abc"])
        let same = Request("GET /a?token=abc", headers: ["X": "1"])
        #expect(matches([.path, matcher], same, recorded))
        #expect(!matches([.path, matcher], Request("GET /a"), recorded))
        let count = seen.withLock { $0.count }
        #expect(!matches([.path, matcher], Request("GET /b", headers: ["X": "1"]), recorded))
        #expect(seen.withLock { $0.count } == count)
        #expect(seen.withLock { $0[0] } == "https://api.example.com/a?token=REDACTED REDACTED")
    }

    @Test("Requests that differ only in secrets match, whether the recording is redacted or not")
    func secrets() {
        let request = Request(
            "POST /login?api_key=new", #"{"password":"new","name":"Ada"}"#, type: Self.json,
            headers: ["Authorization": "Bearer new"])
        for secret in ["old", "REDACTED"] {
            let recorded = Request(
                "POST /login?api_key=\(secret)", #"{"name":"Ada","password":"\#(secret)"}"#, type: Self.json,
                headers: ["Authorization": "Bearer \(secret)"])
            #expect(matches(RequestMatcher.standard + [.headers("Authorization")], request, recorded))
        }
    }

    @Test("Names added to the RedactionRule are redacted in both requests before matching")
    func rule() {
        let rule = RedactionRule(queryNames: ["member"])
        let plan = ReplayPlan(
            Recording([.text(Request("GET /a?member=REDACTED"))]),
            RequestComparison(RequestMatcher.standard, RecordingFormat(redaction: rule)))
        let source = ReplaySource(plan, reusesLast: false)
        guard case .exchange(0) = source.take(Request("GET /a?member=7")) else {
            Issue.record("The member is a secret")
            return
        }
    }

    @Test("Ephemeral ports of local servers are ignored in matching, unless the format keeps them")
    func localPorts() throws {
        let (recorded, request) = (Request("GET http://127.0.0.1/a"), Request("GET http://127.0.0.1:40123/a"))
        #expect(matches(RequestMatcher.standard, request, recorded))
        #expect(matches(RequestMatcher.standard, request, Request("GET http://127.0.0.1:51234/a")))
        #expect(!matches(RequestMatcher.standard, request, Request("GET http://127.0.0.1:8080/a")))
        var format = RecordingFormat.standard
        format.keepsLocalPorts = true
        let plan = ReplayPlan(Recording([.text(recorded)]), RequestComparison(RequestMatcher.standard, format))
        let source = ReplaySource(plan, reusesLast: false)
        _ = source.take(request)
        #expect(source.unmatched.map(\.differences) == [["origin: http://127.0.0.1:40123 ≠ http://127.0.0.1:80"]])
    }

    @Test("changeRequest of the format is applied to both requests before matching")
    func changes() {
        var format = RecordingFormat.standard
        format.changeRequest = { $0.url = $0.url.deletingLastPathComponent() }
        let plan = ReplayPlan(
            Recording([.text(Request("GET /users/1"))]), RequestComparison(RequestMatcher.standard, format))
        guard case .exchange(0) = ReplaySource(plan, reusesLast: false).take(Request("GET /users/2")) else {
            Issue.record("The last segment does not count")
            return
        }
    }
}
