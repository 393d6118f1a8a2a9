/// When requests to a failing origin are refused for a while, since they would probably fail.
///
/// Too many failures open the circuit: requests to that origin fail at once with ``AsyncNetError/Code/circuitOpen``.
/// After ``openDuration`` a few requests are admitted as probes. If they succeed, the circuit is closed; if one of the
/// probes fails, the circuit opens again.
///
/// Each attempt and each hop is counted, not the request as a whole: a request with two retries to a server that is
/// down counts as three failures. Failures are those of the network and the server: hosts that are not found or not
/// reached, broken connections, timeouts, invalid TLS or HTTP, and responses with a status of 500 or above. Cancelled
/// requests, status 429, a proxy's refusal with a status from 400 to 499, and local errors are ignored.
public struct CircuitBreaker: Hashable, Sendable {
    /// The number of consecutive failures, however far apart, that opens the circuit; `nil` to use the rate only. Below
    /// 1 counts as 1.
    public var consecutiveFailures: Int?

    /// The failure rate in the latest ``window``, from 0 to 1, that opens the circuit; `nil` to use consecutive
    /// failures only. NaN counts as 1.
    public var failureRate: Double?

    /// The number of requests in the window below which the rate is not used.
    public var minimumRequests: Int

    /// The time over which the rate is measured.
    public var window: Duration

    /// How long a circuit stays open before probes are admitted.
    public var openDuration: Duration

    /// How many probes are admitted, all of which have to succeed to close the circuit. Below 1 counts as 1.
    public var probes: Int

    /// Creates rules: by default 5 failures in a row open a circuit for 30 s, and one successful probe closes it.
    public init(
        consecutiveFailures: Int? = 5, failureRate: Double? = nil, minimumRequests: Int = 20,
        window: Duration = .seconds(30),
        openDuration: Duration = .seconds(30), probes: Int = 1
    ) {
        self.consecutiveFailures = consecutiveFailures
        self.failureRate = failureRate
        self.minimumRequests = minimumRequests
        self.window = window
        self.openDuration = openDuration
        self.probes = probes
    }
}

/// What the end of a request means for its origin's circuit.
enum OriginVerdict: Hashable, Sendable {
    case success
    case failure
    /// The request was cancelled, failed locally, or got status 429: none of these is a fault of the origin.
    case ignored

    init(statusCode: Int) {
        self = statusCode == 429 ? .ignored : statusCode >= 500 ? .failure : .success
    }

    init(_ code: AsyncNetError.Code) {
        self = Self.originFailures.contains(code) ? .failure : .ignored
    }

    /// Includes `.deadlineExceeded`: otherwise a program whose deadlines are shorter than its timeouts would never open
    /// the circuit of an origin that does not respond.
    private static let originFailures: Set<AsyncNetError.Code> = [
        .hostNotFound, .cannotConnect, .emptyReply, .connectionLost, .bodyEndedEarly, .timedOut, .deadlineExceeded,
        .badServerResponse, .badContentEncoding, .tlsHandshakeFailed, .certificateNotTrusted, .certificateExpired,
        .certificateHostMismatch, .certificatePinMismatch, .certificateRevoked, .proxyNotFound, .proxyFailed,
        .transportFailed,
    ]
}
