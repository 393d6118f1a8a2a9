import AsyncNet
import Foundation
import Testing

@testable import AsyncNetTestSupport
@testable import AsyncNetTesting

/// The differences between expected and received requests, as tables.
@Suite("ExpectationCheck")
struct ExpectationCheckTests {
    private static let login = ExpectedRequest(.post, "/login")
    private static let user = ExpectedRequest(.get, "/users/:id")
    private static let users = ExpectedRequest(.get, "/users/:id", times: .atLeast(2))

    /// Requests written as `GET /a, POST /b`.
    private static func requests(_ text: String) -> [RecordedRequest] {
        text.split(separator: ",").map { one in
            let words = one.split(separator: " ").map(String.init)
            return RecordedRequest(
                method: HTTPMethod(rawValue: words[0]), target: words[1], headers: [:], body: Data(), connection: 0,
                httpVersion: "HTTP/1.1")
        }
    }

    @Test(
        "A wrong number of requests for an expectation is a difference",
        arguments: [
            ([login, user], "POST /login, GET /users/1", []),
            ([login, user], "GET /users/1?a=b, POST /login", []),
            ([login], "", ["POST /login: expected once, received never; no request was received"]),
            (
                [login, user], "POST /login, POST /login",
                [
                    "POST /login: expected once, received 2 times",
                    "GET /users/:id: expected once, received never; received were POST /login, POST /login",
                ]
            ),
            ([users], "GET /users/1, GET /users/2, GET /users/3", []),
            (
                [users], "GET /users/1",
                ["GET /users/:id: expected at least 2 times, received once; received were GET /users/1"]
            ),
            ([ExpectedRequest(.get, "/a", times: .never)], "GET /b", []),
            ([ExpectedRequest(.get, "/a", times: .never)], "GET /a", ["GET /a: expected never, received once"]),
            // An expectation that has enough leaves the request to the next one.
            ([user, ExpectedRequest(.get, "/users/2")], "GET /users/1, GET /users/2", []),
            ([ExpectedRequest(nil, "/a")], "PURGE /a", []),
            (
                [ExpectedRequest(.get, "/a")], "HEAD /a",
                ["GET /a: expected once, received never; received were HEAD /a"]
            ),
        ] as [([ExpectedRequest], String, [String])])
    func counts(_ expected: [ExpectedRequest], _ received: String, _ differences: [String]) {
        let check = ExpectationCheck(expected, Self.requests(received))
        #expect(check.counts.map(\.text) == differences)
    }

    @Test(
        "Requests in another order than listed are a difference if the order is checked",
        arguments: [
            ([login, user], "POST /login, GET /users/1", nil),
            ([login, users], "POST /login, GET /users/1, GET /a, GET /users/2", nil),
            (
                [login, user], "GET /users/1, POST /login",
                "POST /login was received after GET /users/1, but is expected before; "
                    + "received were GET /users/1, POST /login"
            ),
            ([login, user, login], "POST /login, GET /users/1, POST /login", nil),
            ([user, login], "GET /a, POST /login", nil), ([], "GET /a", nil),
        ] as [([ExpectedRequest], String, String?)])
    func order(_ expected: [ExpectedRequest], _ received: String, _ difference: String?) {
        let check = ExpectationCheck(expected, Self.requests(received))
        #expect(check.order.first?.text == difference)
    }

    @Test(
        "Requests that no expectation matches are differences",
        arguments: [
            ([login], "POST /login", [], []),
            ([login], "POST /login, GET /a?secret=1", [], ["GET /a was received, but is not expected"]),
            // Reported already.
            (
                [], "GET /a, GET /a", ["GET /a: received, but no route matches"],
                ["GET /a was received, but is not expected"]
            ),
        ] as [([ExpectedRequest], String, [String], [String])])
    func others(_ expected: [ExpectedRequest], _ received: String, _ unrouted: [String], _ differences: [String]) {
        let check = ExpectationCheck(expected, Self.requests(received))
        #expect(check.others(unrouted: unrouted).map(\.text) == differences)
    }

    @Test("An expectation whose condition is false or throws does not match the request")
    func condition() {
        struct Failure: Error {}
        let received = Self.requests("GET /a, GET /b, GET /c")
        let expected = ExpectedRequest(.get, "/:name") { request in
            if request.path == "/b" { throw Failure() }
            return request.path == "/a"
        }
        let check = ExpectationCheck([expected], received)
        #expect(check.counts.isEmpty)
        #expect(check.others(unrouted: []).count == 2)
        #expect(expected.title == "GET /:name that fulfils the condition")
    }
}
