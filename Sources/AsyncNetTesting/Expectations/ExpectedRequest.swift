public import AsyncNet
public import AsyncNetTestSupport
public import Testing

/// A request that a test expects a ``StubTransport`` or ``MockServer`` to have received.
///
///     stub.verify {
///         ExpectedRequest(.post, "/users") { try $0.json.name == "Ada" }
///         ExpectedRequest(.get, "/users/:id", times: 2)
///     }
public struct ExpectedRequest: Sendable {
    let method: HTTPMethod?
    let pattern: RoutePattern
    let count: ExpectedCount
    let sourceLocation: SourceLocation
    private let condition: (@Sendable (RecordedRequest) throws -> Bool)?

    /// Creates an expectation.
    ///
    /// - Parameters:
    ///   - method: The request's method; `nil` for any. Unlike a route for GET, GET expects no HEAD.
    ///   - path: The path's pattern, as in ``Routes``: `/users/:id`, `/files/*`.
    ///   - times: How many such requests are expected.
    ///   - sourceLocation: Where a wrong number of requests is reported.
    ///   - condition: What else the request must fulfil. A request for which the closure throws does not match.
    public init(
        _ method: HTTPMethod?, _ path: String, times: ExpectedCount = .once,
        sourceLocation: SourceLocation = #_sourceLocation,
        where condition: (@Sendable (RecordedRequest) throws -> Bool)? = nil
    ) {
        (self.method, pattern, count) = (method, RoutePattern(path), times)
        (self.sourceLocation, self.condition) = (sourceLocation, condition)
    }

    func matches(_ request: RecordedRequest) -> Bool {
        guard method == nil || method == request.method, pattern.match(request.path) != nil else { return false }
        guard let condition else { return true }
        return (try? condition(request)) == true
    }

    var title: String {
        "\(method?.rawValue ?? "any method") \(pattern)\(condition == nil ? "" : " that fulfils the condition")"
    }
}

/// Makes a list of the expected requests of a closure, in which `if`, `switch` and `for` may stand.
@resultBuilder
public enum ExpectedRequestsBuilder {
    /// One request.
    public static func buildExpression(_ request: ExpectedRequest) -> [ExpectedRequest] { [request] }
    /// A list made elsewhere.
    public static func buildExpression(_ requests: [ExpectedRequest]) -> [ExpectedRequest] { requests }
    /// The requests in their order.
    public static func buildBlock(_ requests: [ExpectedRequest]...) -> [ExpectedRequest] { requests.flatMap(\.self) }
    /// The requests of an `if` without `else`.
    public static func buildOptional(_ requests: [ExpectedRequest]?) -> [ExpectedRequest] { requests ?? [] }
    /// The requests of the first branch.
    public static func buildEither(first requests: [ExpectedRequest]) -> [ExpectedRequest] { requests }
    /// The requests of the second branch.
    public static func buildEither(second requests: [ExpectedRequest]) -> [ExpectedRequest] { requests }
    /// The requests of a loop.
    public static func buildArray(_ requests: [[ExpectedRequest]]) -> [ExpectedRequest] { requests.flatMap(\.self) }
}

/// Whether requests must arrive in the order of the list; see ``MockRouter/verify(order:others:sourceLocation:_:)``.
public enum ExpectedOrder: Hashable, Sendable {
    /// The requests may arrive in any order.
    case any
    /// The requests arrive in the order of the list; others may arrive in between.
    case asListed
}

/// What happens to requests that are not in the list of expected requests.
public enum UnlistedRequests: Hashable, Sendable {
    /// Each request that is not in the list fails the test.
    case fail
    /// Requests that are not in the list are ignored.
    case allow
}
