import Foundation

/// What a session's requests have in common.
public struct SessionConfiguration: Sendable {
    /// What relative URLs are resolved against (RFC 3986 §5).
    public var baseURL: (any URLConvertible)?
    /// Sent with every request, unless the request has headers of the same name.
    public var headers: HTTPHeaders
    /// Asked about every request, in this order, before the request's own.
    public var interceptors: [any RequestPolicy]
    /// How long the server may be silent, at any point of a transfer, before it ends with `.timedOut`; 60 seconds by
    /// default. Time spent suspended or waiting for a free connection does not count as silence of the server's.
    public var timeout: Duration
    /// How long a request may take in all, from its start to its outcome, before it ends with `.deadlineExceeded`; no
    /// limit by default. Retries and every wait count, a suspension too.
    public var deadline: Duration?
    /// What becomes of redirects; they are followed by default.
    public var redirects: RedirectHandler
    /// Keeps what servers set and sends it back to them, redirects included (RFC 6265); none by default. A cookie of
    /// this name in a request's own `Cookie` header is sent in its place.
    public var cookieJar: CookieJar?
    /// How many requests may be under way at a time; no limit by default. Others wait, those of higher priority less.
    public var concurrencyLimit: ConcurrencyLimit
    /// How many requests are sent in a time; no limit by default. Others wait their turn, unless their deadline is
    /// before that.
    public var rateLimit: RateLimit?
    /// Leaves hosts alone that fail all the time; none by default.
    public var circuitBreaker: CircuitBreaker?
    /// How much load retries and hedging may add to a host: a fifth by default, and always 10 a second; `nil` is any
    /// amount.
    public var retryBudget: RetryBudget?
    /// Sends one request for several GETs and HEADs that are the same, headers included, at the same time, and gives
    /// each its answer. It is cancelled only when none of them waits any more. Off by default.
    public var coalescesRequests: Bool
    /// How many redirects are followed, 20 by default; 0 makes a 3xx response the answer.
    public var maximumRedirects: Int
    /// How many bytes a response's body may have once its Content-Encoding is decoded; more end the request with
    /// `.bodyTooLarge` before they are in memory. No limit by default.
    public var maximumBodySize: Int64?
    /// Starts requests as soon as they are made, as Alamofire does, instead of at the first awaited outcome.
    public var startsRequestsImmediately: Bool
    /// Tells the time for timeouts and metrics; a test's own clock makes both exact.
    public var clock: any Clock<Duration>

    /// A configuration that changes what is given, and has the defaults otherwise.
    public init(
        baseURL: (any URLConvertible)? = nil, headers: HTTPHeaders = .default, interceptors: [any RequestPolicy] = [],
        timeout: Duration = .seconds(60), deadline: Duration? = nil, redirects: RedirectHandler = .follow,
        cookieJar: CookieJar? = nil,
        concurrencyLimit: ConcurrencyLimit = .unlimited, rateLimit: RateLimit? = nil,
        circuitBreaker: CircuitBreaker? = nil,
        retryBudget: RetryBudget? = RetryBudget(), coalescesRequests: Bool = false, maximumRedirects: Int = 20,
        maximumBodySize: Int64? = nil,
        startsRequestsImmediately: Bool = false, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.baseURL = baseURL
        self.headers = headers
        self.interceptors = interceptors
        self.timeout = timeout
        self.deadline = deadline
        self.redirects = redirects
        self.cookieJar = cookieJar
        self.concurrencyLimit = concurrencyLimit
        self.rateLimit = rateLimit
        self.circuitBreaker = circuitBreaker
        self.retryBudget = retryBudget
        self.coalescesRequests = coalescesRequests
        self.maximumRedirects = maximumRedirects
        self.maximumBodySize = maximumBodySize
        self.startsRequestsImmediately = startsRequestsImmediately
        self.clock = clock
    }
}

extension HTTPHeaders {
    /// What every request says of itself: ``HTTPHeader/defaultAcceptLanguage`` and ``HTTPHeader/defaultUserAgent``.
    ///
    /// `Accept-Encoding` is not among them, since only the transport knows what it can decode: it says so itself,
    /// unless a request has one of its own.
    public static let `default`: HTTPHeaders = [.defaultAcceptLanguage, .defaultUserAgent]
}

extension HTTPHeader {
    /// The first six languages of whoever runs the program, in order of preference (RFC 9110 §12.5.4).
    public static let defaultAcceptLanguage = acceptLanguage(qualityList(Locale.preferredLanguages.prefix(6)))

    /// Program with its version, where it has one, system and library: `app/1.2 (Linux 6.1.0) AsyncNet/1.0` (RFC 9110
    /// §10.1.5).
    public static let defaultUserAgent: HTTPHeader = {
        let program = token(ProcessInfo.processInfo.processName) ?? "Unknown"
        let version =
            (Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String).flatMap(token).map { "/\($0)" } ?? ""
        let system = ProcessInfo.processInfo.operatingSystemVersion
        let number = "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"
        return userAgent("\(program)\(version) (\(Platform.name) \(number)) AsyncNet/\(Platform.libraryVersion)")
    }()

    /// The first as it is, each further one a tenth less wanted.
    static func qualityList(_ values: some Collection<String>) -> String {
        let tokens = values.compactMap(token)
        guard !tokens.isEmpty else { return "*" }
        return tokens.enumerated().map { $0.offset == 0 ? $0.element : "\($0.element);q=0.\(10 - min($0.offset, 9))" }
            .joined(separator: ", ")
    }

    private static func token(_ text: String) -> String? {
        let allowed = text.filter { HTTPSyntax.isToken(String($0)) }
        return allowed.isEmpty ? nil : allowed
    }
}
