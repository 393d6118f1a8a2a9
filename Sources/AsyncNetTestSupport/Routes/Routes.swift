public import AsyncNet

/// Responses by method and path, for a ``StubTransport`` and a ``MockServer`` alike.
///
///     var routes = Routes()
///     routes.on(.get, "/users/:id") { request in .json(["id": JSON(request.parameters["id"] ?? "")]) }
///     routes.on(.post, "/users", times: .once) { request in .json(try request.json, status: 201) }
///     routes.on(.get, "/flaky", replies: .status(503), .text("fine"))
///     let stub = StubTransport(routes: routes)
///     let server = try await MockServer.start(routes: routes)
///
/// A path is compared without the request's query, segment by segment: `:name` matches any segment, whose decoded text
/// is put into ``RecordedRequest/parameters``; `*` at the end matches any rest. `/users` does not match `/users/`.
/// If several routes match, the route added last is used, so that a test can replace a common route. A route without
/// requests that is replaced by one of the same method and path is no longer expected by ``MockRouter/verify()``. A
/// route for GET responds to HEAD too.
///
/// A request without a route gets a 404, or a 405 with `Allow` if its path has routes for other methods (RFC 9110
/// §15.5.6), and is reported by ``MockRouter/verify()``.
public struct Routes: Sendable {
    /// Makes the response to a request. An error becomes a 500 of a server, and the error of a stub's transfer.
    ///
    /// A server cancels the task of a handler when the client disconnects or the server stops. It does not await that
    /// task, which may outlive the server.
    public typealias Handler = @Sendable (RecordedRequest) async throws -> MockResponse

    struct Route: Sendable {
        let method: HTTPMethod?
        let pattern: RoutePattern
        let expected: ExpectedCount
        let response: Response

        var description: String { "\(method?.rawValue ?? "any method") \(pattern)" }

        /// Whether the other route, added later, receives all requests of this route.
        func isReplaced(by other: Route) -> Bool { method == other.method && pattern.isEqual(to: other.pattern) }
    }

    package enum Response: Sendable {
        case handler(Handler)
        case replies([MockResponse])
    }

    private(set) var all: [Route] = []

    /// Creates an empty list.
    public init() {}

    /// Responds to requests with the result of a closure, which may wait.
    ///
    /// - Parameters:
    ///   - method: The requests' method; `nil` for any.
    ///   - path: The path's pattern, percent-encoded as requests are.
    ///   - times: How many requests ``MockRouter/verify()`` expects; all get responses.
    ///   - handler: Makes the response; may be called concurrently.
    public mutating func on(
        _ method: HTTPMethod?, _ path: String, times: ExpectedCount = .any, _ handler: @escaping Handler
    ) {
        add(method, path, times, .handler(handler))
    }

    /// Responds to requests with these responses in order; all later requests get the last of them.
    ///
    /// - Parameters:
    ///   - method: The requests' method; `nil` for any.
    ///   - path: The path's pattern, percent-encoded as requests are.
    ///   - times: How many requests ``MockRouter/verify()`` expects; all get responses.
    ///   - replies: The responses; without any, each request gets an empty 200.
    public mutating func on(
        _ method: HTTPMethod?, _ path: String, times: ExpectedCount = .any, replies: MockResponse...
    ) {
        add(method, path, times, .replies(replies))
    }

    package mutating func add(_ method: HTTPMethod?, _ path: String, _ times: ExpectedCount, _ response: Response) {
        all.append(Route(method: method, pattern: RoutePattern(path), expected: times, response: response))
    }

    mutating func append(_ route: Route) { all.append(route) }

    mutating func remove(at index: Int) { all.remove(at: index) }

    /// The route of a request, or why there is none.
    enum Match {
        case route(Int, parameters: [String: String])
        /// Only routes of these other methods match the path.
        case otherMethods([HTTPMethod])
        case none
    }

    func match(_ method: HTTPMethod, _ path: String) -> Match {
        var others: [HTTPMethod] = []
        for (index, route) in all.enumerated().reversed() {
            guard let parameters = route.pattern.match(path) else { continue }
            guard let only = route.method, only != method, method != .head || only != .get else {
                return .route(index, parameters: parameters)
            }
            if !others.contains(only) { others.insert(only, at: 0) }
        }
        return others.isEmpty ? .none : .otherMethods(others)
    }
}
