import Foundation
import Synchronization

/// The stations that a request passes between its start and its outcome.
enum Pipeline {
    /// The stations in order: each station calls the next station, and the last station calls the transport.
    ///
    /// To add a station, write its type in a file of its own, and add it to this list.
    static var stations: some Station {
        Deadline( // ends the request when its time is over
            Attempts( // adapters before each attempt, retriers after it
                Sharing( // one transfer for equal requests; several for a request that is hedged
                    Caching( // stored responses that need no server, see also CachedHop
                        Admission( // circuit breaker, rate, permit
                            AttemptLimits( // silence, and the time that one attempt may take
                                Hops())))))) // cookies, credentials, cache, redirects; each hop over the transport
    }
}

/// A step on the way of a request: delivers the response itself, or calls the next station for it.
protocol Station: Sendable {
    /// Returns once the response has been delivered to the sink of the attempt's run.
    func send(_ request: TransportRequest, in attempt: Attempt) async throws -> Next
}

/// What happens after a response has been delivered or refused.
enum Next: Sendable {
    /// The request has its response.
    case done
    /// Another attempt begins after this delay.
    case again(after: Duration)
    /// The request ends with this error; no retrier decides about it. Indirect, as each station's frame has room for it.
    indirect case fail(AsyncNetError)
}

/// One attempt of a run: what all stations know of it.
struct Attempt: Sendable {
    let run: RequestRun
    /// Counted from 1, and 0 before the first attempt. An attempt that fails before it is sent is counted too.
    var number = 0
    /// The credential for a 401 of its origin.
    var credential: OriginCredential?
    /// Whether the request has an expired credential, and so must not be sent: a stored response is to answer it.
    var isStoredOnly = false
}

/// A credential, and the only origin that it is sent to. An object, as each suspended station has an ``Attempt`` with
/// it.
final class OriginCredential: Sendable {
    let credential: Credential
    let origin: String

    init(credential: Credential, origin: String) { (self.credential, self.origin) = (credential, origin) }
}

/// One passage of a request through the stations, with the state that the stations share.
///
/// A run without an owner serves another run: it makes a transfer that several requests share, one of several transfers
/// of a hedged request, or a segment of a download.
final class RequestRun: Sendable {
    let id: RequestID
    let environment: Environment
    let policies: RunPolicies
    /// What the stations ask of the policies for every request, so that they do not copy them.
    let hasAdapters: Bool
    let hasRetriers: Bool
    let timeout: Duration?
    /// What has happened so far: written by stations and the transport, and read for errors, by policies, and by stations that
    /// need what a later station has received, such as the response for validators.
    let record: TransferRecord
    let observers: RequestObservers?
    /// Whether the request is suspended; the transport reads this between chunks without entering an actor.
    let hold: TransferHold
    let sink: any ResponseSink
    let watch: TransferWatch
    /// The run's part in the request's trace; `nil` without ``TracePropagation``.
    let trace: (any RequestTrace)?
    /// What the run's task works for; `nil` for a run that serves another.
    let purpose: Purpose?
    /// How many attempts have begun since the session finishes.
    private let lateAttempts = Atomic(0)
    let owner: (any RunOwner)?
    /// The request's own credential.
    private let credential: Credential?
    /// The transport of the test that made the request.
    let scoped: ScopedTransport?
    /// A transport for this request alone, whose transfers are neither shared nor hedged.
    let carrier: (any Transport)?
    /// Whether an attempt runs in a task of its own, so that it can be cancelled without ending the request.
    let separatesAttempts: Bool
    private let permit = Locked<RequestQueue.Permit?>(nil)
    /// Tells the circuit of the attempt's origin what the response is.
    private let judge = Locked<(@Sendable () -> Void)?>(nil)
    /// The request and credential before the first attempt.
    private let first = Locked<(request: TransportRequest, credential: OriginCredential?)?>(nil)

    init(
        _ id: RequestID, _ environment: Environment, _ policies: RunPolicies, _ sink: any ResponseSink,
        record: TransferRecord = TransferRecord(), observers: RequestObservers? = nil,
        hold: TransferHold = TransferHold(), owner: (any RunOwner)? = nil, credential: Credential? = nil,
        scoped: ScopedTransport? = nil, carrier: (any Transport)? = nil, separatesAttempts: Bool = true,
        events: (any EventTarget)? = nil, role: RunRole = .own, trace: (any RequestTrace)? = nil,
        purpose: Purpose? = nil
    ) {
        self.purpose = purpose
        self.trace = trace ?? policies.list.tracing?.makeTrace(id, environment.timers.time)
        (self.credential, self.scoped, self.carrier) = (credential, scoped, carrier)
        hasAdapters = !policies.list.adapters.isEmpty
        (hasRetriers, timeout) = (!policies.list.retriers.isEmpty, policies.timeout)
        (self.id, self.environment, self.policies, self.sink) = (id, environment, policies, sink)
        (self.record, self.observers, self.hold, self.owner) = (record, observers, hold, owner)
        watch = TransferWatch(record, observers, hold, policies.redirects, events ?? observers, role)
        // With a cache, an attempt that times out may end with a stored response.
        self.separatesAttempts =
            separatesAttempts || policies.attemptTimeout != nil || !policies.list.retriers.isEmpty
            || environment.cache != nil
    }

    /// Makes the request, and sends it through all stations.
    @concurrent
    func outcome(of blueprint: RequestBlueprint) async -> TransferOutcome {
        record.begin(environment.timers.time)
        let first: (request: TransportRequest, credential: OriginCredential?)
        do {
            first = assembled(try await blueprint.make(), credential)
        } catch {
            return record.outcome(AsyncNetError(wrapping: error, as: .encodingFailed))
        }
        self.first.withLock { $0 = first }
        return await outcome(of: Pipeline.stations, first.request, first.credential)
    }

    /// Sends a request through the given stations.
    func outcome(of stations: some Station, _ request: TransportRequest, _ credential: OriginCredential?) async
        -> TransferOutcome
    {
        do {
            let next = try await stations.send(request, in: Attempt(run: self, credential: credential))
            if case .fail(let error) = next { return record.outcome(error) }
            return record.outcome(nil)
        } catch {
            return record.outcome(AsyncNetError(wrapping: error, as: .transportFailed))
        }
    }

    /// Userinfo in a URL becomes a credential, so that it is neither sent without a challenge nor shown in an error.
    private func assembled(_ made: TransportRequest, _ own: Credential?) -> (TransportRequest, OriginCredential?) {
        var request = made
        let userinfo = Credential.take(from: &request)
        record.willSend(request)
        return (request, (own ?? userinfo).map { OriginCredential(credential: $0, origin: request.head.url.origin) })
    }

    func fetch(into sink: any ResponseSink, _ change: (inout TransportRequest) -> Void) async throws {
        guard let first = first.withLock({ $0 }) else { throw AsyncNetError(.invalidRequest) }
        var request = first.request
        change(&request)
        let part = RequestRun(
            id, environment, policies.ofPart, sink, scoped: scoped, events: watch.events, role: .segment,
            trace: trace?.branch(.part))
        part.record.begin(environment.timers.time)
        part.record.willSend(request)
        if let error = await part.outcome(of: Pipeline.stations, request, first.credential).error { throw error }
    }

    var transport: any Transport { carrier ?? scoped ?? environment.transport }

    // MARK: The owner

    /// - Returns: `false` if the request is over.
    func beginAttempt(_ number: Int, _ head: HTTPRequestHead) async -> Bool {
        if let owner { return await owner.beginAttempt(head) }
        record.beginAttempt(number)
        return true
    }

    func waitWhileSuspended() async { if hold.isHeld { await owner?.waitWhileSuspended() } }

    /// Ends the request; for callers that cannot await.
    func fail(_ error: AsyncNetError) {
        environment.mailbox.post { [owner] in await owner?.fail(error) }
    }

    // MARK: Events

    /// Sends a step to the observers of the request; costs a few nanoseconds if there are none.
    func send(_ event: @autoclosure () -> RequestEvent) { watch.send(event()) }

    /// Sends a step of the request's attempts.
    func sendOwn(_ event: @autoclosure () -> RequestEvent) { if watch.role != .segment { watch.send(event()) } }

    /// Whether somebody observes the steps.
    var areEventsObserved: Bool { watch.areEventsObserved }

    // MARK: Time

    var remainingTime: Duration? { policies.end.map { $0 - environment.timers.time.now } }

    /// - Returns: Whether the delay ended by itself, not by a cancel.
    func pause(_ delay: Duration) async -> Bool {
        let time = environment.timers.time
        if delay > .zero, (try? await time.sleep(until: time.now + min(delay, .longestWait))) == nil { return false }
        return !Task.isCancelled
    }

    /// Whether another attempt may begin, which counts it: a session that finishes does not wait for requests that try
    /// again without end.
    func mayTryAgain() -> Bool {
        guard environment.transfers.isClosing else { return true }
        return lateAttempts.add(1, ordering: .relaxed).newValue <= Self.mostLateAttempts
    }

    private static let mostLateAttempts = 10

    // MARK: The permit

    func hold(_ permit: RequestQueue.Permit?) { self.permit.withLock { $0 = permit } }

    func judge(by judge: (@Sendable () -> Void)?) { self.judge.withLock { $0 = judge } }

    /// Tells the origin's circuit of a response before retriers decide about it.
    func judgeResponse() { judge.withLock { $0 }?() }

    /// Gives the permit back; further calls do nothing.
    func releasePermit() {
        let permit = permit.withLock { $0.take() }
        permit?.release()
    }
}

/// Ends the request when its deadline is over.
struct Deadline<Rest: Station>: Station {
    private let rest: Rest

    init(_ rest: Rest) { self.rest = rest }

    func send(_ request: TransportRequest, in attempt: Attempt) async throws -> Next {
        guard let timer = start(attempt.run) else { return try await rest.send(request, in: attempt) }
        defer { attempt.run.environment.timers.cancel(timer) }
        return try await rest.send(request, in: attempt)
    }

    private func start(_ run: RequestRun) -> TimerQueue.Timer? {
        guard let deadline = run.policies.deadline, let end = run.policies.end else { return nil }
        return run.environment.timers.schedule(at: end) {
            run.fail(
                AsyncNetError(.deadlineExceeded, "The request did not end within its deadline of \(deadline)"))
            return nil
        }
    }
}
