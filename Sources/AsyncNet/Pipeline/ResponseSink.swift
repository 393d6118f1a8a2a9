/// Takes the body of a run's final response.
protocol ResponseSink: Sendable {
    /// The request as it is to be sent; called before each attempt, after the adapters.
    func prepare(_ request: TransportRequest) async throws -> TransportRequest

    /// Whether validators and retriers decide about this response before the sink receives it; `false` for a response
    /// that only the sink can interpret.
    func validates(_ head: HTTPResponseHead) -> Bool

    /// Reads the body to its end, on no actor, and returns once nothing is left to be done with it.
    func receive(_ body: inout ResponseBody) async throws -> SinkVerdict

    /// After which delay the sink wants another attempt, now that one has ended with this error or none; `nil` leaves
    /// the decision to the retriers.
    func delayBeforeNextAttempt(after error: AsyncNetError?, head: HTTPResponseHead?) -> Duration?

    /// Called once, when the request is over, also if no body ever came. It must return at once.
    func requestEnded(_ error: AsyncNetError?)

    /// Whether retriers may repeat the request: no reader has had a part of the body that could not be continued.
    var canBeSentAgain: Bool { get }
}

enum SinkVerdict: Sendable {
    case done
    /// The response is of no use: the request is to be prepared and sent again, in the same attempt.
    case again
}

extension ResponseSink {
    func prepare(_ request: TransportRequest) async throws -> TransportRequest { request }
    func validates(_ head: HTTPResponseHead) -> Bool { true }
    func delayBeforeNextAttempt(after error: AsyncNetError?, head: HTTPResponseHead?) -> Duration? { nil }
    func requestEnded(_ error: AsyncNetError?) {}
    var canBeSentAgain: Bool { true }
}

/// Keeps the body in memory, in the run's record.
struct MemorySink: ResponseSink {
    func prepare(_ request: TransportRequest) async throws -> TransportRequest {
        var request = request
        request.delivery = .whole
        return request
    }

    func receive(_ body: inout ResponseBody) async throws -> SinkVerdict {
        try await body.collect()
        return .done
    }
}
