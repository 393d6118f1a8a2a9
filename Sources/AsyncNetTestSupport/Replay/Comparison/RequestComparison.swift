import AsyncNet

/// What of requests is compared, in the form that files have.
struct RequestComparison: Sendable {
    typealias Request = RecordedExchange.Request

    private let format: RecordingFormat
    private(set) var comparesMethod = false
    private(set) var comparesOrigin = false
    private(set) var comparesHost = false
    private(set) var comparesPath = false
    private(set) var comparesQuery = false
    private(set) var comparesBody = false
    private(set) var headers: [String] = ["Range"]
    private(set) var closures: [@Sendable (Request, Request) -> Bool] = []

    init(_ matchers: [RequestMatcher], _ format: RecordingFormat) {
        self.format = format
        for matcher in matchers {
            switch matcher.kind {
            case .method: comparesMethod = true
            case .origin: comparesOrigin = true
            case .host: comparesHost = true
            case .path: comparesPath = true
            case .query: comparesQuery = true
            case .body: comparesBody = true
            case .headers(let names): headers += names
            case .custom(let closure): closures.append(closure)
            }
        }
    }

    /// Whether the bytes of bodies decide.
    var needsBody: Bool { comparesBody || !closures.isEmpty }

    /// A server on loopback has another origin than that which was recorded.
    var withoutOrigin: RequestComparison {
        var copy = self
        (copy.comparesOrigin, copy.comparesHost) = (false, false)
        return copy
    }

    func closuresAccept(_ request: Request, _ recorded: Request) -> Bool {
        closures.allSatisfy { $0(request, recorded) }
    }

    /// The request in the form that a recording file stores: secrets are redacted, and values that differ in each run
    /// are removed. All headers are kept, since matchers may name any of them.
    func written(_ request: Request) -> Request {
        var format = format
        format.requestHeaders = Set(request.headers.map(\.name))
        return format.written(request)
    }
}
