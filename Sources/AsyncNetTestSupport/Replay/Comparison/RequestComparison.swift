import AsyncNet

/// Which parts of requests are compared, after both are brought into the form of files.
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

    /// Whether the comparison needs the bodies of requests.
    var needsBody: Bool { comparesBody || !closures.isEmpty }

    /// This comparison for a server on loopback, whose origin and host are not the recorded ones.
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
