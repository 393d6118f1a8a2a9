import Foundation

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

/// Told of how the reading of a body goes.
protocol BodyObserver: AnyObject, Sendable {
    /// The reader waits for the server.
    func willRead()
    /// The reader does not wait for the server until `willRead`.
    func willRest()
    /// Bytes have come; may refuse more.
    func didRead(_ bytes: ReceivedBytes, of head: HTTPResponseHead) throws
    /// The body has ended.
    func didEnd()
    /// A body that is kept in memory, or what has come of it.
    func didCollect(_ data: Data)
    var isSuspended: Bool { get }
    func waitWhileSuspended() async
    /// Sends the request that led to this body once more, changed, in a run of its own under the same policies. Returns
    /// once the sink has all of that response's body.
    func fetch(into sink: any ResponseSink, _ change: (inout TransportRequest) -> Void) async throws
}
