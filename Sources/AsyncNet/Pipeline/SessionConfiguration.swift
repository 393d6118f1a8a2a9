import Foundation

/// Settings for all requests of a session.
public struct SessionConfiguration: Sendable {
    /// The URL that relative URLs are resolved against (RFC 3986 §5).
    public var baseURL: (any URLConvertible)?
    /// Sent with every request, in addition to ``defaultHeaders``, unless the request has headers of the same name.
    public var headers: HTTPHeaders
    /// Sent with every request, unless ``headers`` or the request have headers of the same name: `Accept-Language` and
    /// `User-Agent` by default.
    public var defaultHeaders: HTTPHeaders
    /// Decodes the values of ``SerializableRequest/serializing(_:decoder:preprocessor:emptyBodies:)``, of streams and
    /// pages, unless the call has a decoder of its own; ``StandardJSONDecoder`` by default.
    public var decoder: any DataDecoder
    /// Encodes `parameters:` of all methods but GET, HEAD and DELETE, unless the call has an encoder of its own; a JSON
    /// body by default.
    public var encoder: any ParameterEncoder
    /// Encodes forms and queries: `parameters:` of GET, HEAD and DELETE, and of `.urlEncodedForm` and `.query`, unless
    /// that encoder was made with settings of its own.
    public var formEncoder: URLEncodedFormEncoder
    /// Adapters and retriers for every request, called in this order, before the request's own.
    public var interceptors: [any RequestPolicy]
    /// Which responses requests without a validation of their own accept; every response by default.
    public var validation: Validation
    /// Receive every step of every request; none by default. See ``EventMonitor``.
    public var monitors: [any EventMonitor]
    /// How long the server may be silent, at any point of a transfer, before the attempt ends with `.timedOut`; 60
    /// seconds by default. Time in which the request is suspended or waits for a free connection does not count.
    public var timeout: Duration
    /// How long a request may take in all, from its start to its outcome, before it ends with `.deadlineExceeded`; no
    /// limit by default. Retries, every wait and suspensions count.
    public var deadline: Duration?
    /// Whether redirects are followed; all are by default.
    public var redirects: RedirectHandler
    /// Stores the cookies of responses, redirects included, and sends them with later requests (RFC 6265); none by
    /// default. A cookie in a request's own `Cookie` header replaces the jar's cookie of the same name.
    public var cookieJar: CookieJar?
    /// Stores responses and uses them for later requests (RFC 9111); none by default.
    public var cache: HTTPCache?
    /// How many transfers may run at a time; no limit by default. Further requests wait, in the order of their
    /// priority.
    public var concurrencyLimit: ConcurrencyLimit
    /// How many requests are sent in a period of time; no limit by default. Further requests wait, or fail at once if
    /// their deadline would pass during the wait.
    public var rateLimit: RateLimit?
    /// Refuses requests to an origin that keeps failing; none by default.
    public var circuitBreaker: CircuitBreaker?
    /// How much load retries and hedging may add to an origin: a fifth of its requests by default, and always 10 a
    /// second; `nil` is no limit.
    public var retryBudget: RetryBudget?
    /// Whether one transfer is made for GET or HEAD requests that are equal, headers included, and run at the same
    /// time; each receives its response. The transfer is cancelled when all of these requests are. Off by default.
    public var coalescesRequests: Bool
    /// How many redirects an attempt follows, 20 by default; with 0 a 3xx response is delivered.
    public var maximumRedirects: Int
    /// How many bytes a response's body may have after decoding of its `Content-Encoding`; a longer body ends the
    /// request with `.bodyTooLarge` before it is in memory. No limit by default.
    public var maximumBodySize: Int64?
    /// Which addresses requests, WebSockets and raw connections may lead to; every address by default.
    public var addresses: AddressPolicy
    /// Whether a request starts when its first serializer is made, as in Alamofire, not when its outcome is first
    /// awaited. A request without a serializer, such as a stream or a download to a file, starts at the first await in
    /// any case.
    public var startsRequestsImmediately: Bool
    /// The clock of the session's waits and times: timeouts, delays before retries, limits, pings, metrics, the age of
    /// cached responses. A test can give its own. A transport's own timeouts use real time, and cookies the time of
    /// day.
    public var clock: any Clock<Duration>

    /// Makes a configuration with the given values, and the defaults otherwise.
    public init(
        baseURL: (any URLConvertible)? = nil, headers: HTTPHeaders = [:], defaultHeaders: HTTPHeaders = .default,
        decoder: any DataDecoder = StandardJSONDecoder(), encoder: any ParameterEncoder = .json,
        formEncoder: URLEncodedFormEncoder = URLEncodedFormEncoder(), interceptors: [any RequestPolicy] = [],
        validation: Validation = .none, monitors: [any EventMonitor] = [],
        timeout: Duration = .seconds(60), deadline: Duration? = nil, redirects: RedirectHandler = .follow,
        cookieJar: CookieJar? = nil, cache: HTTPCache? = nil,
        concurrencyLimit: ConcurrencyLimit = .unlimited, rateLimit: RateLimit? = nil,
        circuitBreaker: CircuitBreaker? = nil,
        retryBudget: RetryBudget? = RetryBudget(), coalescesRequests: Bool = false, maximumRedirects: Int = 20,
        maximumBodySize: Int64? = nil, addresses: AddressPolicy = .any,
        startsRequestsImmediately: Bool = false, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.baseURL = baseURL
        self.headers = headers
        self.defaultHeaders = defaultHeaders
        self.decoder = decoder
        self.encoder = encoder
        self.formEncoder = formEncoder
        self.interceptors = interceptors
        self.validation = validation
        self.monitors = monitors
        self.timeout = timeout
        self.deadline = deadline
        self.redirects = redirects
        self.cookieJar = cookieJar
        self.cache = cache
        self.concurrencyLimit = concurrencyLimit
        self.rateLimit = rateLimit
        self.circuitBreaker = circuitBreaker
        self.retryBudget = retryBudget
        self.coalescesRequests = coalescesRequests
        self.maximumRedirects = maximumRedirects
        self.maximumBodySize = maximumBodySize
        self.addresses = addresses
        self.startsRequestsImmediately = startsRequestsImmediately
        self.clock = clock
    }
}

extension HTTPHeaders {
    /// The headers that a session adds to every request: ``HTTPHeader/defaultAcceptLanguage`` and
    /// ``HTTPHeader/defaultUserAgent``.
    ///
    /// `Accept-Encoding` is not among them: the transport adds it, with the codings that it can decode, unless a
    /// request has an `Accept-Encoding` of its own. A request with `Range` has `identity`.
    public static let `default`: HTTPHeaders = [.defaultAcceptLanguage, .defaultUserAgent]
}

extension HTTPHeader {
    /// The user's first six preferred languages, in order of preference (RFC 9110 §12.5.4).
    public static let defaultAcceptLanguage = acceptLanguage(qualityList(Locale.preferredLanguages.prefix(6)))

    /// The program with its version, if known, the system and the library: `app/1.2 (Linux 6.1.0) AsyncNet/1.0` (RFC
    /// 9110 §10.1.5).
    public static let defaultUserAgent: HTTPHeader = {
        let program = token(ProcessInfo.processInfo.processName) ?? "Unknown"
        let version =
            (Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String).flatMap(token).map { "/\($0)" } ?? ""
        let system = ProcessInfo.processInfo.operatingSystemVersion
        let number = "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"
        return userAgent("\(program)\(version) (\(Platform.name) \(number)) AsyncNet/\(Platform.libraryVersion)")
    }()

    /// The first value without a quality, each further value with a `q` that is 0.1 lower.
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
