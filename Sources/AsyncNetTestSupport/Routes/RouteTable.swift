import AsyncNet

/// The routes of a stub or a server, with the number of requests that each received.
final class RouteTable: Sendable {
    private struct State {
        var routes: Routes
        var counts: [Int]
        var unexpected: [String] = []
    }

    /// What the routes have for one request.
    enum Found {
        case handler(Routes.Handler, [String: String])
        case reply(MockResponse, [String: String])
        case otherMethods([HTTPMethod])
        case none

        /// Whether the response is sent before the request's body is read.
        var isEarly: Bool { if case .reply(let reply, _) = self { reply.fault == .earlyResponse } else { false } }
    }

    private let state: Locked<State>

    init(_ routes: Routes) {
        state = Locked(State(routes: Routes(), counts: []))
        add(routes)
    }

    /// Adds routes. An older route of the same method and path that has received no request is removed, since it cannot
    /// receive any, and `verify` must not expect one.
    func add(_ routes: Routes) {
        state.withLock { state in
            for route in routes.all {
                for index in state.routes.all.indices.reversed()
                where state.counts[index] == 0 && state.routes.all[index].isReplaced(by: route) {
                    state.routes.remove(at: index)
                    state.counts.remove(at: index)
                }
                state.routes.append(route)
                state.counts.append(0)
            }
        }
    }

    /// Whether a route is for this request.
    func hasRoute(for method: HTTPMethod, _ path: String) -> Bool {
        if case .route = state.withLock({ $0.routes.match(method, path) }) { true } else { false }
    }

    /// Counts the request for its route if the response is an early one, else returns `nil`.
    func takeEarly(_ method: HTTPMethod, _ path: String) -> Found? {
        state.withLock { state in
            let (found, index) = Self.next(state, method, path)
            guard found.isEarly, let index else { return nil }
            state.counts[index] += 1
            return found
        }
    }

    /// Counts the request for its route.
    func take(_ method: HTTPMethod, _ path: String) -> Found {
        state.withLock { state in
            let (found, index) = Self.next(state, method, path)
            if let index { state.counts[index] += 1 }
            return found
        }
    }

    /// The response to the next request, and the index of its route.
    private static func next(_ state: State, _ method: HTTPMethod, _ path: String) -> (Found, Int?) {
        switch state.routes.match(method, path) {
        case .none: return (.none, nil)
        case .otherMethods(let methods): return (.otherMethods(methods), nil)
        case .route(let index, let parameters):
            switch state.routes.all[index].response {
            case .handler(let handler): return (.handler(handler, parameters), index)
            case .replies(let replies):
                let position = min(state.counts[index], replies.count - 1)
                return (.reply(position < 0 ? MockResponse() : replies[position], parameters), index)
            }
        }
    }

    /// Records a request without a route, an enqueued response or a closure.
    ///
    /// - Returns: The response to it.
    func refuse(_ request: RecordedRequest, _ methods: [HTTPMethod]) -> MockResponse {
        state.withLock { $0.unexpected.append(request.unroutedText) }
        let allowed = methods.map(\.rawValue).joined(separator: ", ")
        guard !allowed.isEmpty else {
            return .status(404, body: "No reply was enqueued and no route matches \(request.path)\n")
        }
        return .status(
            405, headers: ["Allow": allowed],
            body: "\(request.path) has no route for \(request.method.rawValue), only for \(allowed)\n")
    }

    /// Adds a text to what `verify` reports.
    func report(_ text: String) { state.withLock { $0.unexpected.append(text) } }

    /// What `verify` reports: routes in their order, then unexpected requests in theirs.
    var differences: [String] {
        state.withLock { state in
            let routes = zip(state.routes.all, state.counts).filter { !$0.expected.contains($1) }
            return routes.map { "\($0.description): expected \($0.expected), received \(ExpectedCount.times($1))" }
                + state.unexpected
        }
    }

    func verify(_ others: [String] = []) throws {
        let all = differences + others
        if !all.isEmpty { throw UnmetExpectations(differences: all) }
    }
}

extension RecordedRequest {
    /// What `verify` reports for a request without a route.
    package var unroutedText: String { "\(method.rawValue) \(path): received, but no route matches" }
}
