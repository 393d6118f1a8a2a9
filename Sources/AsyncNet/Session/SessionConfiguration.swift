import Foundation

/// What a session's requests have in common.
public struct SessionConfiguration: Sendable {
    /// What relative URLs are resolved against (RFC 3986 §5).
    public var baseURL: (any URLConvertible)?
    /// Sent with every request, unless the request has headers of the same name.
    public var headers: HTTPHeaders
    /// How long the server may be silent, at any point of a transfer, before it ends with `.timedOut`; 60 seconds by default.
    /// Time spent suspended or waiting for a free connection does not count as silence of the server's.
    public var timeout: Duration
    /// How many redirects are followed, 20 by default; 0 makes a 3xx response the answer.
    public var maximumRedirects: Int
    /// Starts requests as soon as they are made, as Alamofire does, instead of at the first awaited outcome.
    public var startsRequestsImmediately: Bool
    /// Tells the time for timeouts and metrics; a test's own clock makes both exact.
    public var clock: any Clock<Duration>

    public init(
        baseURL: (any URLConvertible)? = nil, headers: HTTPHeaders = .default, timeout: Duration = .seconds(60),
        maximumRedirects: Int = 20, startsRequestsImmediately: Bool = false, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.baseURL = baseURL
        self.headers = headers
        self.timeout = timeout
        self.maximumRedirects = maximumRedirects
        self.startsRequestsImmediately = startsRequestsImmediately
        self.clock = clock
    }
}

extension HTTPHeaders {
    /// What every request says of itself: a User-Agent with program, library and system.
    public static let `default`: HTTPHeaders = [.userAgent(defaultUserAgent)]

    private static var defaultUserAgent: String {
        let name = ProcessInfo.processInfo.processName.filter { HTTPSyntax.isToken(String($0)) }
        let version = ProcessInfo.processInfo.operatingSystemVersion
        let system = "\(Platform.name) \(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        return "\(name.isEmpty ? "Unknown" : name) (\(system)) AsyncNet/\(Platform.libraryVersion)"
    }
}
