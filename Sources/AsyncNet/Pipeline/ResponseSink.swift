import Foundation

/// Takes the body of a run's final response.
protocol ResponseSink: Sendable {
    /// The request as it is to be sent, such as with a `Range`; called before each attempt, after the adapters.
    func prepare(_ request: TransportRequest) async throws -> TransportRequest

    /// Whether validators and retriers decide about this response first; `false` if only the sink can interpret it.
    func validates(_ head: HTTPResponseHead) -> Bool

    /// Why the sink will refuse this response, if its validators accept it; `nil` if it depends on more than the type.
    func refusal(ofType head: HTTPResponseHead) -> AsyncNetError?

    /// Reads the body to its end, on no actor, and returns when all of it is processed; throws ``UnusableResponse``
    /// if the request is to be prepared and sent again in the same attempt.
    func receive(_ body: inout ResponseBody) async throws

    /// Another attempt that the sink wants after an attempt with this error, or with none. After an error the retriers
    /// decide first, and its delay is the shortest that they can choose.
    func reconnection(after error: AsyncNetError?, head: HTTPResponseHead?) -> EventConnection.Reconnection?

    /// How many attempts have failed since a body began that another response can continue; `nil` if none did. Policies
    /// count the attempts from there.
    var failedAttempts: Int? { get }

    /// Called once, when the request is over, also if no response arrived. It must return at once.
    func requestEnded(_ error: AsyncNetError?)

    /// Whether the body may go on for ever, so that the time of an attempt is limited up to the response's head only.
    var isOpenEnded: Bool { get }

    /// Whether retriers may send the request again after this error, or after a response without an error: `false` once
    /// a reader has bytes of the body that another response could not continue.
    func canBeSentAgain(after error: AsyncNetError?) -> Bool
}

/// Thrown by a sink that cannot use a response, and needs the response to another request.
struct UnusableResponse: Error {}

extension ResponseSink {
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
    func prepare(_ request: TransportRequest) async throws -> TransportRequest {
        guard request.delivery != .whole else { return request }
        var whole = request
        whole.delivery = .whole
        return whole
    }

    func receive(_ body: inout ResponseBody) async throws { try await body.collect() }
}
