import Foundation

/// The request that a run belongs to, as the stations see it.
protocol RunOwner: Actor {
    /// Counts an attempt, which is about to be sent with this head.
    ///
    /// - Returns: The validators so far; `nil` if the request is over.
    func beginAttempt(_ head: HTTPRequestHead) -> [Validator]?

    /// All validators so far, to be run on a response now. Those that are added later run when the outcome is awaited.
    func takeValidators() -> [Validator]

    /// Waits for as long as the request is suspended.
    func waitWhileSuspended() async

    /// Ends the request.
    func fail(_ error: AsyncNetError) async

    /// The error that ended the request, if it is over.
    var failure: AsyncNetError? { get }
}

/// One passage through the stations: what they know of the request beyond what is sent.
///
/// A run without an owner belongs to another run: it makes a transfer that requests share, one of several transfers of
/// a request that is hedged, or a segment of a download.
final class RequestRun: Sendable {
    let id: RequestID
    let environment: Environment
    let policies: RunPolicies
    /// Only written by the stations, but for errors and for what policies learn about the run.
    let record: TransferRecord
    let observers: RequestObservers?
    /// Read by the transport between chunks, without entering an actor.
    let hold: TransferHold
    let sink: any ResponseSink
    let watch: TransferWatch
    let owner: (any RunOwner)?
    /// Whether an attempt runs in a task of its own, so that it can be cancelled without ending the request.
    let separatesAttempts: Bool
    private let permit = Locked<RequestQueue.Permit?>(nil)
    /// What the run began with.
    private let first = Locked<(request: TransportRequest, credential: OriginCredential?)?>(nil)

    init(
        _ id: RequestID, _ environment: Environment, _ policies: RunPolicies, _ sink: any ResponseSink,
        record: TransferRecord = TransferRecord(), observers: RequestObservers? = nil,
        hold: TransferHold = TransferHold(), owner: (any RunOwner)? = nil, separatesAttempts: Bool = true
    ) {
        (self.id, self.environment, self.policies, self.sink) = (id, environment, policies, sink)
        (self.record, self.observers, self.hold, self.owner) = (record, observers, hold, owner)
        watch = TransferWatch(record, observers, hold, policies.redirects)
        self.separatesAttempts =
            separatesAttempts || policies.attemptTimeout != nil || !policies.list.retriers.isEmpty
    }

    /// Makes the request, and sends it through all stations.
    @concurrent
    func outcome(of blueprint: RequestBlueprint, _ credential: Credential?) async -> TransferOutcome {
        record.begin(environment.timers.time)
        let first: (request: TransportRequest, credential: OriginCredential?)
        do {
            let made = blueprint.mayBlock ? try await blueprint.makeApart() : try blueprint.make()
            first = assembled(made, credential)
        } catch {
            return record.outcome(AsyncNetError(wrapping: error, as: .encodingFailed))
        }
        self.first.withLock { $0 = first }
        return await outcome(of: Pipeline.stations, first.request, first.credential)
    }

    /// Sends a request through some stations.
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

    /// Userinfo in a URL becomes a credential, so that it is neither sent unasked nor shown in an error.
    @inline(never)
    private func assembled(_ made: TransportRequest, _ own: Credential?) -> (TransportRequest, OriginCredential?) {
        var request = made
        let userinfo = Credential.take(from: &request.head.url)
        record.willSend(request)
        return (request, (own ?? userinfo).map { OriginCredential(credential: $0, origin: request.head.url.origin) })
    }

    func fetch(into sink: any ResponseSink, _ change: (inout TransportRequest) -> Void) async throws {
        guard let first = first.withLock({ $0 }) else { throw AsyncNetError(.invalidRequest) }
        var request = first.request
        change(&request)
        let part = RequestRun(id, environment, policies.ofPart, sink)
        part.record.begin(environment.timers.time)
        part.record.willSend(request)
        if let error = await part.outcome(of: Pipeline.stations, request, first.credential).error { throw error }
    }

    // MARK: The owner

    func beginAttempt(_ number: Int, _ head: HTTPRequestHead) async -> [Validator]? {
        if let owner { return await owner.beginAttempt(head) }
        record.beginAttempt(number)
        return []
    }

    func takeValidators() async -> [Validator] { await owner?.takeValidators() ?? [] }

    func waitWhileSuspended() async { if hold.isHeld { await owner?.waitWhileSuspended() } }

    /// Ends the request from where nothing can be awaited.
    func fail(_ error: AsyncNetError) {
        environment.mailbox.post { [owner] in await owner?.fail(error) }
    }

    // MARK: Time

    var remainingTime: Duration? { policies.end.map { $0 - environment.timers.time.now } }

    /// Whether the wait ended by itself.
    func pause(_ delay: Duration) async -> Bool {
        let time = environment.timers.time
        if delay > .zero, (try? await time.sleep(until: time.now + min(delay, .longestWait))) == nil { return false }
        return !Task.isCancelled
    }

    // MARK: The permit

    func hold(_ permit: RequestQueue.Permit?) { self.permit.withLock { $0 = permit } }

    /// Gives the permit back, which only the first call does.
    func releasePermit() {
        let permit = permit.withLock { $0.take() }
        permit?.release()
    }
}

/// What a request's observers see.
struct RequestObservers: Sendable {
    let downloads = Broadcast<TransferProgress>(keepsLatest: true)
    let uploads = Broadcast<TransferProgress>(keepsLatest: true)
    let events = Broadcast<RequestEvent>(keepsLatest: false)

    func finish(_ error: AsyncNetError?) {
        events.send(.finished(error))
        events.finish()
        downloads.finish()
        uploads.finish()
    }
}
