#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// Sends the requests for a service to one of its endpoints, and to another one if that fails.
///
///     let session = Session(
///         baseURL: "https://orders.internal/v1/",
///         configuration: .init(
///             interceptors: [
///                 Endpoints(of: "https://orders.internal", [
///                     "https://10.0.0.1:8443": 3, "https://10.0.0.2:8443": 1, "https://orders.example.net": 0,
///                 ])
///             ],
///             circuitBreaker: CircuitBreaker(consecutiveFailures: 3, openDuration: .seconds(10))))
///
/// Endpoints share the requests by their weights; an endpoint of weight 0 is tried after those with a weight. If
/// an attempt fails in a way that a default ``RetryPolicy`` repeats (the session need not have one), another attempt goes
/// to the next endpoint at once, until there were as many attempts as endpoints; it is charged to the ``SessionConfiguration/retryBudget``. With a
/// ``SessionConfiguration/circuitBreaker``, an endpoint whose circuit is open is left out until a probe succeeds. If
/// all circuits are open, the request ends with `.circuitOpen`.
///
/// Only scheme, host and port are replaced. `Host`, TLS, cookies, stored responses, limits and credentials that are
/// sent in response to a challenge are those of the endpoint; a header such as `Authorization` is sent to each
/// endpoint. Requests to other origins, and redirects to the service, are not changed.
///
/// Put this policy before a ``RetryPolicy``, which waits and may then try the endpoints again. For many servers behind
/// one name ``Resolver/rotating`` is enough.
public struct Endpoints: RequestInterceptor, NonBlocking {
    private struct Plan: Sendable {
        let service: String
        let urls: [String]
        let origins: [String]
        let order: EndpointOrder
    }

    private let plan: Result<Plan, AsyncNetError>

    /// Makes the policy for a service: its endpoints get the requests with the scheme, host and port of this URL.
    ///
    /// Each endpoint is a URL with its weight. Requests end with `.invalidConfiguration` if a URL has a path, query or
    /// userinfo, a weight is below zero, or there is no endpoint.
    public init(of service: String, _ endpoints: KeyValuePairs<String, Int>) {
        plan = Result { () throws(AsyncNetError) in
            guard !endpoints.isEmpty, endpoints.allSatisfy({ $0.value >= 0 }) else {
                throw AsyncNetError(
                    .invalidConfiguration, "Endpoints need at least one endpoint, and weights that are not negative")
            }
            var urls: [URL] = []
            for (text, _) in endpoints { urls.append(try Self.url(text)) }
            return Plan(
                service: try Self.url(service).origin,
                urls: urls.map { String($0.absoluteString.dropLast($0.target.count)) }, origins: urls.map(\.origin),
                order: EndpointOrder(weights: endpoints.map(\.value)))
        }
    }

    private static func url(_ text: String) throws(AsyncNetError) -> URL {
        guard let url = try? text.asURL(), url.scheme?.hasPrefix("http") == true, url.host != nil, url.user == nil,
            ["", "/"].contains(url.path), url.query == nil
        else {
            throw AsyncNetError(
                .invalidConfiguration,
                "Endpoints need URLs with scheme, host and port only, such as https://10.0.0.1:8443")
        }
        return url
    }

    public func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest { request }

    public func adapt(_ request: TransportRequest, context: RequestContext) async throws -> TransportRequest {
        let plan = try plan.get()
        let url = request.head.url
        guard url.origin == plan.service else { return request }
        var adapted = request
        adapted.head.url = try (plan.urls[Self.choice(plan, context.attempt, context)] + url.target).asURL()
        return adapted
    }

    public func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
        guard let plan = try? plan.get(), let origin = context.request?.head.url.origin, plan.origins.contains(origin),
            context.attempt < plan.origins.count,
            plan.origins[Self.choice(plan, context.attempt + 1, context)] != origin
        else { return .doNotRetry }
        // The `Retry-After` of one endpoint does not delay an attempt at another endpoint.
        let policy = RetryPolicy(limit: .max, backoff: Backoff(scale: .zero), maximumRetryAfter: nil)
        let mayRepeat = await policy.retry(after: error, context: context).delay != nil
        guard error.code != .circuitOpen else { return .elsewhere.uncharged }
        return mayRepeat ? .elsewhere : .doNotRetry
    }

    private static func choice(_ plan: Plan, _ attempt: Int, _ context: RequestContext) -> Int {
        plan.order.endpoint(of: attempt, seed: context.id.seed) {
            context.breakers?.isOpen(origin: plan.origins[$0], after: .zero) != true
        }
    }
}

/// Decides which endpoint an attempt is sent to; the attempts of a request have the same order.
struct EndpointOrder: Sendable {
    let weights: [Int]

    /// The endpoints in the order in which a request tries them: in random order, each place drawn by the weights of
    /// the remaining endpoints (Efraimidis and Spirakis, 2006), then the endpoints of weight 0 in their own order.
    func order(seed: UInt64) -> [Int] {
        var state = seed
        let places = weights.enumerated().map { index, weight -> (place: Double, index: Int) in
            guard weight > 0 else { return (.infinity, index) }
            return (-log(Self.unit(&state)) / Double(weight), index)
        }
        return places.sorted { ($0.place, $0.index) < ($1.place, $1.index) }.map(\.index)
    }

    /// - Parameter attempt: From 1.
    /// - Returns: The endpoint whose turn it is among the usable ones, or among all if none is usable.
    func endpoint(of attempt: Int, seed: UInt64, isUsable: (Int) -> Bool) -> Int {
        let order = order(seed: seed)
        let usable = order.filter(isUsable)
        let turns = usable.isEmpty ? order : usable
        return turns[max(0, attempt - 1) % turns.count]
    }

    /// The next number above 0 and at most 1 (SplitMix64).
    private static func unit(_ state: inout UInt64) -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return (Double(bits >> 11) + 1) / Double(1 << 53)
    }
}

extension URL {
    fileprivate var target: Substring {
        let text = absoluteString
        guard let start = text.range(of: "://")?.upperBound else { return "" }
        return text[start...].drop { !"/?#".contains($0) }
    }
}
