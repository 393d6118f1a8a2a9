import AsyncNet
import Foundation
import Testing

@testable import AsyncNetTestSupport

/// Tables of what a difference says.
@Suite("Differences between requests", .timeLimit(.minutes(5)))
struct RequestDifferenceTests {
    typealias Request = RecordedExchange.Request

    private func lines(_ request: Request, _ recorded: Request, _ more: [RequestMatcher] = []) -> [String] {
        let comparison = RequestComparison(RequestMatcher.standard + more, .standard)
        let sent = ComparedRequest(comparison.written(request), comparison)
        return RequestDifference(sent: sent, recorded: ComparedRequest(comparison.written(recorded), comparison))
            .fields.map(\.text)
    }

    @Test(
        "Each differing part of method and URL has a line",
        arguments: [
            ("GET /a", "GET /a", []), ("PUT /a", "POST /a", ["method: PUT ≠ POST"]),
            ("GET http://a/", "GET https://b/", ["origin: http://a:80 ≠ https://b:443"]),
            ("GET /users/1", "GET /users/2", ["path: /users/1 ≠ /users/2"]),
            ("GET /a?page=2", "GET /a?page=1", ["query page: 2 ≠ 1"]),
            ("GET /a?page=2", "GET /a", ["query page: 2 ≠ (missing)"]),
            ("GET /a", "GET /a?page=1&size=5", ["query page: (missing) ≠ 1", "query size: (missing) ≠ 5"]),
            ("GET /a?t=1&t=2", "GET /a?t=1&t=3&t=4", ["query t[1]: 2 ≠ 3", "query t[2]: (missing) ≠ 4"]),
            ("GET /a?q=a%20b", "GET /a?q=", ["query q: a b ≠ "]),
            ("GET /a?token=x", "GET /a", ["query token: REDACTED ≠ (missing)"]),
            ("GET /a/abc", "GET /a/REDACTED", ["path: (hidden) ≠ /a/REDACTED"]),
            ("GET /a?n=abc", "GET /a?n=REDACTED", ["query n: (hidden) ≠ REDACTED"]),
            ("GET /a", "GET /a?n=REDACTED", ["query n: (missing) ≠ REDACTED"]),
            ("GET /b?x=1", "POST /a", ["method: GET ≠ POST", "path: /b ≠ /a", "query x: 1 ≠ (missing)"]),
        ] as [(String, String, [String])])
    func urls(_ request: String, _ recorded: String, _ expected: [String]) {
        #expect(lines(Request(request), Request(recorded)) == expected)
    }

    @Test(
        "Each differing member of a JSON body has a line with its path",
        arguments: [
            (#"{"a":{"city":"Rom"}}"#, #"{"a":{"city":"Bern"}}"#, [#"body.a.city: "Rom" ≠ "Bern""#]),
            (#"{"a":1}"#, #"{"a":1.0}"#, []), ("[1,2]", "[1,3,4]", ["body[1]: 2 ≠ 3", "body[2]: (missing) ≠ 4"]),
            (#"{"b":null,"a":[]}"#, #"{"a":{}}"#, ["body.a: [] ≠ {}", "body.b: null ≠ (missing)"]),
            (
                #"{"x y":1,"":2,"a.b":3}"#, "{}",
                [
                    #"body[""]: 2 ≠ (missing)"#, #"body["a.b"]: 3 ≠ (missing)"#, #"body["x y"]: 1 ≠ (missing)"#,
                ]
            ),
            (#"{"u":[{"n":"A"},{"n":"B"}]}"#, #"{"u":[{"n":"A"},{"n":"C"}]}"#, [#"body.u[1].n: "B" ≠ "C""#]),
            (#""a""#, "1", [#"body: "a" ≠ 1"#]),
            (#"{"password":"x","n":1}"#, #"{"password":"y","n":2}"#, ["body.n: 1 ≠ 2"]),
            (#"{"user":"x"}"#, #"{"user":"REDACTED"}"#, [#"body.user: (hidden) ≠ "REDACTED""#]),
            ("[1]", "", ["body: [1] ≠ (missing)"]),
        ] as [(String, String, [String])])
    func json(_ body: String, _ recorded: String, _ expected: [String]) {
        let type = "application/json"
        #expect(lines(Request("POST /", body, type: type), Request("POST /", recorded, type: type)) == expected)
    }

    @Test("Each differing form field, line of text or byte has a line")
    func otherBodies() {
        let form = "application/x-www-form-urlencoded"
        #expect(
            lines(Request("POST /", "a=1&b=2&c=3", type: form), Request("POST /", "a=1&b=3", type: form))
                == ["body b: 2 ≠ 3", "body c: 3 ≠ (missing)"])
        #expect(
            lines(Request("POST /", "a\nb\nc", type: "text/csv"), Request("POST /", "a\nx\nc", type: "text/csv"))
                == ["body line 2: b ≠ x"])
        #expect(
            lines(Request("POST /", "a", type: "text/plain"), Request("POST /", "b", type: "text/plain"))
                == ["body: a ≠ b"])
        #expect(
            lines(Request("POST /", "a=1", type: form), Request("POST /", "[1]", type: "application/json"))
                == ["body: a form of 1 field(s) ≠ [1]"])
        var (one, other) = (Request("POST /"), Request("POST /"))
        (one.body, other.body) = (Data([0, 1, 2, 3]), Data([0, 1, 9]))
        #expect(lines(one, other) == ["body: 4 bytes ≠ 3 bytes, the first 2 of them equal"])
    }

    @Test("Each differing part of a multipart form has a line with its name")
    func parts() {
        func request(_ name: String, _ fileName: String, _ json: String) -> Request {
            let body = """
                --x\r\nContent-Disposition: form-data; name="name"\r\n\r\n\(name)\r\n\
                --x\r\nContent-Disposition: form-data; name="doc"; filename="\(fileName)"\r\n\
                Content-Type: application/json\r\n\r\n\(json)\r\n--x--\r\n
                """
            return Request("POST /", body, type: "multipart/form-data; boundary=x")
        }
        #expect(
            lines(request("Ada", "a.json", #"{"n":1}"#), request("Bob", "b.json", #"{"n":2}"#)) == [
                "body part doc file name: a.json ≠ b.json", "body part doc.n: 1 ≠ 2", "body part name: Ada ≠ Bob",
            ])
    }

    @Test("Each differing header has a line")
    func headers() {
        let one = Request("GET /", headers: ["Accept": "text/html", "Range": "bytes=0-9"])
        #expect(
            lines(one, Request("GET /"), [.headers("Accept")]) == [
                "header accept: text/html ≠ (missing)", "header range: bytes=0-9 ≠ (missing)",
            ])
    }

    @Test("Long values are truncated, and line breaks are escaped")
    func longValues() {
        let long = String(repeating: "x", count: 500)
        let text = lines(Request("GET /?a=\(long)"), Request("GET /?a=1%0A2"))
        #expect(text == ["query a: \(String(repeating: "x", count: 80))… (500 characters) ≠ 1\\n2"])
    }

    @Test(
        "The nearest exchange is the one with the fewest and smallest differences",
        arguments: [
            ("GET /users/1", ["GET /orders/1/items", "POST /users/1", "GET /users/2"], 3),
            ("GET /users/1?page=2", ["GET /users/2?page=2", "GET /users/1?page=1"], 2),
            ("GET /a", ["GET http://other/a", "GET /b", "GET /b"], 2),
            ("GET /users/1/posts", ["GET /users/posts", "GET /a/b/c"], 1),
            ("DELETE /users/1", ["GET /users/1", "DELETE /orders/1/x"], 1),
        ] as [(String, [String], Int)])
    func nearest(_ request: String, _ recorded: [String], _ expected: Int) {
        let plan = ReplayPlan(
            Recording(recorded.map { .text(Request($0)) }), RequestComparison(RequestMatcher.standard, .standard))
        let source = ReplaySource(plan, reusesLast: false)
        _ = source.take(Request(request))
        #expect(source.unmatched.map(\.nearest) == [expected])
    }

    @Test("An exchange with another body is nearer than one with another path")
    func bodiesWeighLess() {
        let fields = (0..<50).map { "\"\($0)\":\($0)" }.joined(separator: ",")
        let plan = ReplayPlan(
            Recording([
                .text(Request("POST /b", "{}", type: "application/json")), .text(Request("POST /a", "{\(fields)}")),
            ]),
            RequestComparison(RequestMatcher.standard, .standard))
        let source = ReplaySource(plan, reusesLast: false)
        _ = source.take(Request("POST /a", "{}", type: "application/json"))
        #expect(source.unmatched.map(\.nearest) == [2])
    }

    @Test("Of equally near exchanges an unused one is the nearest")
    func unusedIsNearer() {
        let plan = ReplayPlan(
            Recording([.text(Request("GET /a?x=1")), .text(Request("GET /a?x=2"))]),
            RequestComparison(RequestMatcher.standard, .standard))
        let source = ReplaySource(plan, reusesLast: false)
        _ = source.take(Request("GET /a?x=1"))
        _ = source.take(Request("GET /a?x=3"))
        #expect(source.unmatched.map(\.nearest) == [2])
        _ = source.take(Request("GET /a?x=2"))
        _ = source.take(Request("GET /a?x=3"))
        #expect(source.unmatched.map(\.nearest) == [2, 1])
        #expect(
            source.unmatched[1].description.contains("GET https://api.example.com/a?x=1, which has been used already"))
    }
}
