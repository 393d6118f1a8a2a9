/// Takes the body of a run's final response.
protocol ResponseSink: Sendable {
    /// How the sink reads the body. ``prepare(_:)`` is called only with `.asItArrives`.
    var delivery: TransportRequest.Delivery { get }

    /// The request with the sink's headers, such as `Range`. Called before each attempt, after the adapters.
    func prepare(_ request: TransportRequest) async throws -> TransportRequest

    /// Whether validators and retriers decide about this response before the sink; `false` if only the sink can
    /// interpret the response.
    func validates(_ head: HTTPResponseHead) -> Bool

    /// The error with which the sink will refuse this response because of its type, if the validators accept it; `nil`
    /// if the type does not decide.
    func refusal(ofType head: HTTPResponseHead) -> AsyncNetError?

    /// Reads the body to its end, on no actor, and returns when all of it is processed; throws ``UnusableResponse``
    /// if the request is to be prepared and sent again in the same attempt.
    func receive(_ body: inout ResponseBody) async throws

    /// Another attempt that the sink wants after an attempt which ended with this error, or without an error. After an
    /// error the retriers decide first; their delay is never shorter than the one returned here.
    func reconnection(after error: AsyncNetError?, head: HTTPResponseHead?) -> EventConnection.Reconnection?

    /// How many attempts have failed since a body began that another response can continue; policies count the attempts
    /// from there. `nil` if no such body has begun.
    var failedAttempts: Int? { get }

    /// Called once, when the request is over, also if no response arrived. The function must return at once.
    func requestEnded(_ error: AsyncNetError?)

    /// Whether the body may go on for ever: an attempt's time limit then ends with the response's head.
    var isOpenEnded: Bool { get }

    /// Whether retriers may send the request again after this error, or after a response without an error: `false` once
    /// a reader has bytes of the body that another response could not continue.
    func canBeSentAgain(after error: AsyncNetError?) -> Bool
}

/// Thrown by a sink that cannot use a response, and needs the response to another request.
struct UnusableResponse: Error {}

extension ResponseSink {
    var delivery: TransportRequest.Delivery { .asItArrives }
    func prepare(_ request: TransportRequest) async throws -> TransportRequest { request }
    func validates(_ head: HTTPResponseHead) -> Bool { true }
    func refusal(ofType head: HTTPResponseHead) -> AsyncNetError? { nil }
    func reconnection(after error: AsyncNetError?, head: HTTPResponseHead?) -> EventConnection.Reconnection? { nil }
    var failedAttempts: Int? { nil }
    var isOpenEnded: Bool { false }
    func requestEnded(_ error: AsyncNetError?) {}
    func canBeSentAgain(after error: AsyncNetError?) -> Bool { true }
}

/// Keeps the body in memory, in the run's record.
struct MemorySink: ResponseSink {
    let delivery = TransportRequest.Delivery.whole

    func receive(_ body: inout ResponseBody) async throws { try await body.collect() }
}
