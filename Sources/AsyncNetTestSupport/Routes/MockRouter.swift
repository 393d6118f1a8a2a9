public import AsyncNet

/// A ``StubTransport`` or a ``MockServer``, which responds by routes and verifies what it received.
///
///     stub.on(.get, "/users/:id", times: 2) { request in .json(User.ada) }
///     stub.on(.delete, "/users/:id", times: .never) { _ in .status(204) }
///     ...
///     try stub.verify()
public protocol MockRouter: AnyObject, Sendable {
    /// The requests received, in order.
    var requests: [RecordedRequest] { get }

    /// Adds routes, which are used before those added earlier.
    func add(_ routes: Routes)

    /// Checks that each route has received as many requests as it expects, and that each request had a route or another
    /// response.
    ///
    /// - Throws: ``UnmetExpectations``, which lists every difference.
    func verify() throws
}

extension MockRouter {
    /// Responds to requests with the result of a closure; see ``Routes/on(_:_:times:_:)``.
    public func on(
        _ method: HTTPMethod?, _ path: String, times: ExpectedCount = .any, _ handler: @escaping Routes.Handler
    ) {
        var routes = Routes()
        routes.add(method, path, times, .handler(handler))
        add(routes)
    }

    /// Responds to requests with these responses in order; see ``Routes/on(_:_:times:replies:)``.
    public func on(_ method: HTTPMethod?, _ path: String, times: ExpectedCount = .any, replies: MockResponse...) {
        var routes = Routes()
        routes.add(method, path, times, .replies(replies))
        add(routes)
    }
}

/// The differences between the requests that a test expected and those that a ``MockRouter`` received.
public struct UnmetExpectations: Error, Hashable, Sendable, CustomStringConvertible {
    /// A text for each difference, such as `GET /users/:id: expected once, received 2 times`. It has no query, which
    /// may contain secrets, except of recordings, where these are redacted.
    public let differences: [String]

    /// All differences, a line for each.
    public var description: String {
        let title = differences.count == 1 ? "1 expectation is" : "\(differences.count) expectations are"
        return (["\(title) not met:"] + differences.map { "- \($0)" }).joined(separator: "\n")
    }
}
