/// What a request does with its body.
public enum RequestKind: Hashable, Sendable {
    case data
    case upload
    case download
    case stream
}

/// What all requests have in common: an actor with a life of its own.
///
/// A request is made without I/O. It starts at the first awaited outcome or at ``resume()``, runs once however many
/// wait for it, and ends exactly once.
public protocol Request: Actor {
    nonisolated var id: RequestID { get }
    nonisolated var kind: RequestKind { get }

    var state: RequestState { get async }
    /// Attempts after the first.
    var retryCount: Int { get async }

    /// Starts the request, or lets a suspended one go on. Does nothing once it is over.
    func resume() async

    /// Holds the request back until ``resume()``: before its start it is not sent, later no more of it is read and no
    /// outcome is delivered. What the transport cannot pause arrives meanwhile and is kept.
    func suspend() async

    /// Ends the request with `.cancelled`, at once and for all who wait. Does nothing once it is over.
    func cancel() async
}

/// What a request needs of whoever made it.
package protocol RequestHost: AnyObject, Sendable {
    nonisolated var mailbox: Mailbox { get }

    /// Takes the request among the running ones, or says why not.
    func begin(_ request: any Request) async -> AsyncNetError?

    /// The request is over; it is no longer listed.
    func end(_ id: RequestID) async

    /// The request's transfer is over too; called once for each `begin` that was not refused.
    nonisolated func drained()

    /// Makes the whole transfer.
    @concurrent nonisolated func perform(_ request: DataRequest) async -> TransferOutcome
}
