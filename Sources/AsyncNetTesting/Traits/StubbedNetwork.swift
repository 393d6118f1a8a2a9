public import AsyncNet
public import AsyncNetTestSupport
public import Testing

/// A trait that lets a stub respond to the requests of a test, or of each test of a suite.
///
///     @Test(.stubbedNetwork { request in .json(["id": 1]) })
///     func decodes() async throws {
///         let user = try await Session().request("https://api.example.com/users/1").serializing(User.self).value
///         ...
///     }
///
/// Each test has a ``StubTransport`` of its own, so tests run in parallel; a parameterized test has
/// one for each argument. It responds to requests that the test's task makes, in every session over the automatic
/// transport: `Session()`, `Session.shared`, a session in a `let` of the suite, in a global, or inside the code under
/// test. Child tasks and `Task {}` belong to the test; for `Task.detached` and callbacks see ``CurrentTransport``.
/// Sessions over another transport, such as `.sockets()`, are left alone.
///
/// Traits nest: the last trait of a test is the innermost, and a suite's traits are outside of its tests' traits. A
/// request without a route in a stub of routes goes to the next outer trait; if there is none, it gets a 404 and fails
/// the test. After the test each route must have received as many requests as it expects, as in
/// ``MockRouter/verify()``; the routes of a suite's trait must receive them in each test. Differences are issues of the
/// test, at the trait's line.
public struct StubbedNetwork: TestTrait, SuiteTrait, TestScoping {
    private let sourceLocation: SourceLocation
    /// Makes the stub of one test; the argument is the transport of the next outer trait.
    private let makeStub: @Sendable (ScopedTransport?) -> StubTransport

    /// Each test of a suite has a stub of its own.
    public var isRecursive: Bool { true }

    fileprivate init(
        _ sourceLocation: SourceLocation, _ makeStub: @escaping @Sendable (ScopedTransport?) -> StubTransport
    ) {
        (self.sourceLocation, self.makeStub) = (sourceLocation, makeStub)
    }

    /// Runs a test with the stub.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let stub = makeStub(.current)
        let scope = NetworkScope(stub: stub, sourceLocation: sourceLocation)
        try await scope.run(stub, function)
        for difference in stub.unmetExpectations {
            scope.record(.init(text: "The test's stubbed network: \(difference)"))
        }
    }
}

extension Trait where Self == StubbedNetwork {
    /// Responds to all requests of the test with the result of a closure, which may be called concurrently.
    ///
    /// An error that the closure throws is the transport's error.
    public static func stubbedNetwork(
        sourceLocation: SourceLocation = #_sourceLocation, _ handler: @escaping Routes.Handler
    ) -> Self {
        StubbedNetwork(sourceLocation) { _ in StubTransport(handler) }
    }

    /// Responds to requests of the test by routes.
    public static func stubbedNetwork(
        _ routes: Routes, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
        StubbedNetwork(sourceLocation) { StubTransport(routes: routes, rest: $0) }
    }

    /// Responds to requests of one route with the result of a closure; see
    /// ``Routes/on(_:_:times:_:)``.
    ///
    ///     @Test(
    ///         .stubbedNetwork(.get, "/users/:id") { request in .json(["id": 1]) },
    ///         .stubbedNetwork(.delete, "/users/:id", times: .never) { _ in .status(204) })
    public static func stubbedNetwork(
        _ method: HTTPMethod?, _ path: String, times: ExpectedCount = .any,
        sourceLocation: SourceLocation = #_sourceLocation, _ handler: @escaping Routes.Handler
    ) -> Self {
        var routes = Routes()
        routes.on(method, path, times: times, handler)
        return stubbedNetwork(routes, sourceLocation: sourceLocation)
    }

    /// Responds to requests of one route with these responses in order; see
    /// ``Routes/on(_:_:times:replies:)``.
    public static func stubbedNetwork(
        _ method: HTTPMethod?, _ path: String, times: ExpectedCount = .any, replies: MockResponse...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
        var routes = Routes()
        routes.add(method, path, times, .replies(replies))
        return stubbedNetwork(routes, sourceLocation: sourceLocation)
    }
}

extension StubTransport {
    /// The stub of the innermost ``StubbedNetwork`` trait of the current test; `nil` without such a trait, and in a
    /// detached task.
    ///
    ///     try #require(StubTransport.current).verify { ExpectedRequest(.get, "/users/1") }
    public static var current: StubTransport? {
        NetworkScope.all.lazy.compactMap(\.stub).first
    }
}
