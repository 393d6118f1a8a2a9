import Foundation

/// What happens to a request between its start and its outcome: the list, in order.
///
///     assemble   URL, headers, body, from what the caller gave
///     adapt      the session's adapters, then the request's
///     redirect   follow 3xx responses, each hop a transfer of its own
///     transfer   over the transport, watched for silence
///     validate   the request's validators, first refusal wins
///
/// One pipeline value lives for one request; it runs in the task that the request owns, on no actor. What suspends is
/// kept apart from what does not, and that from being inlined: an async function's locals live for as long as it waits.
struct Pipeline {
    private let session: Session
    private let request: DataRequest
    private let redirects: RedirectPolicy
    private let watch: TransferWatch
    /// How many bytes of body are taken.
    private var limit: Int64?

    init(session: Session, request: DataRequest) {
        self.session = session
        self.request = request
        redirects = RedirectPolicy(limit: session.configuration.maximumRedirects)
        watch = TransferWatch(request, redirects: redirects)
    }

    mutating func run() async -> TransferOutcome {
        request.record.begin(session.timers.time)
        do {
            try assemble()
            try await adapt(await request.interceptors)
            await setLimit()
            try await prepare()
            try await transfer()
        } catch {
            return request.record.outcome(AsyncNetError(wrapping: error, as: .transportFailed))
        }
        return validated(request.record.outcome(nil), by: await request.takeValidators())
    }

    @inline(never)
    private func assemble() throws {
        do {
            request.record.willSend(try request.blueprint.make())
        } catch {
            throw AsyncNetError(wrapping: error, as: .encodingFailed)
        }
    }

    private func adapt(_ own: [any RequestPolicy]) async throws {
        let adapters = (session.configuration.interceptors + own).compactMap { $0 as? any RequestAdapter }
        guard !adapters.isEmpty, var adapted = request.record.request else { return }
        let context = RequestContext(id: request.id, attempt: 1)
        for adapter in adapters {
            try Task.checkCancellation()
            do { adapted = try await adapter.adapt(adapted, context: context) } catch {
                if error is CancellationError, !Task.isCancelled { throw AsyncNetError(.adaptationFailed, underlyingError: error) }
                throw AsyncNetError(wrapping: error, as: .adaptationFailed)
            }
        }
        try RequestAssembly.check(adapted)
        request.record.willSend(try RequestAssembly.settled(adapted))
    }

    @inline(never)
    private func prepare() async throws {
        guard let sink = request.sink, let adapted = request.record.request else { return }
        let prepared = try await sink.prepare(adapted)
        try RequestAssembly.check(prepared)
        request.record.willSend(prepared)
    }

    @inline(never)
    private mutating func setLimit() async {
        switch await request.bodyLimit {
        case .session: limit = session.configuration.maximumBodySize
        case .own(let own): limit = own
        }
    }

    // MARK: Transfer

    private func transfer() async throws {
        await request.holdBackIfSuspended()
        guard await request.beginAttempt(onProceed: watch.restart) else { throw AsyncNetError(.cancelled) }
        watchForSilence()
        defer { watch.stop() }
        while true {
            try Task.checkCancellation()
            switch try await send() {
            case .answer(let body):
                guard let sink = request.sink else { return try await collect(body) }
                if try await deliver(body, to: sink) == .done { return }
                try await prepare()
            case .redirect(let body): await drain(body)
            }
        }
    }

    /// What a response means, with the body that is left to read.
    private enum Step {
        case answer(TransportBody)
        case redirect(TransportBody)
    }

    @inline(never)
    private func watchForSilence() {
        let timeout = request.record.request?.timeout ?? session.configuration.timeout
        watch.start(session.timers, timeout: timeout) { [session, request] in
            let error = AsyncNetError(.timedOut, "The request timed out: nothing was sent or received for \(timeout)")
            session.mailbox.post { await request.fail(error) }
        }
    }

    @inline(never)
    private func send() async throws -> Step {
        try judge(try await session.transport.send(try outgoing()))
    }

    /// Only the copy that is sent knows the watch, which knows the request: what is kept must not.
    @inline(never)
    private func outgoing() throws(AsyncNetError) -> TransportRequest {
        guard var request = request.record.request else { throw AsyncNetError(.invalidRequest) }
        request.onEvent = watch.receive
        request.hold = self.request.hold
        request.delivery = self.request.sink == nil ? .whole : .asItArrives
        request.maximumBodySize = limit
        return request
    }

    /// After a redirect to follow, the record's request is the next one.
    @inline(never)
    private func judge(_ response: TransportResponse) throws -> Step {
        watch.touch()
        let record = request.record
        guard let sent = record.request,
            let next = try redirects.next(after: response.head, to: sent, followed: record.followedRedirects)
        else {
            watch.received(response.head)
            return .answer(response.body)
        }
        request.eventLog.send(.redirected(response.head, to: next.head))
        record.redirected(to: next)
        return .redirect(response.body)
    }

    /// The body to a sink, once the validators have accepted what the head says of it.
    @inline(never)
    private func deliver(_ body: TransportBody, to sink: any ResponseSink) async throws -> SinkVerdict {
        guard let head = request.record.head, let sent = request.record.request else { throw AsyncNetError(.badServerResponse) }
        var response = RawResponse(requestHead: sent.head, head: head, data: Data())
        response.isBodyPending = true
        if !sink.isOwnMatter(head) {
            for validator in await request.validators { try validator(response) }
        }
        let watched = WatchedBody(body, willRead: watch.read) { [request, watch, limit] count, offset in
            watch.pause()
            watch.received(count, of: head, after: offset)
            try Self.check(count + offset, limit)
            if request.isHeldBack { await request.holdBackIfSuspended() }
        }
        let verdict = try await sink.receive(watched, of: head)
        guard verdict == .done else { return .again }
        // They have had their say.
        _ = await request.takeValidators()
        watch.receivedAll(watched.count, after: watched.offset)
        return .done
    }

    private static func check(_ count: Int64, _ limit: Int64?) throws(AsyncNetError) {
        if let limit, count > limit { throw AsyncNetError(bodyLargerThan: limit) }
    }

    /// The whole body; what came of one that breaks off is kept too. One chunk, as small bodies are, is not copied.
    @inline(never)
    private func collect(_ body: TransportBody) async throws {
        var data = Data()
        defer { request.record.received(data) }
        for try await chunk in body {
            watch.touch()
            try Self.check(Int64(data.count + chunk.count), limit)
            if data.isEmpty { data = chunk } else { data.append(chunk) }
            if let head = request.record.head { watch.received(Int64(data.count), of: head) }
            if request.isHeldBack {
                await request.holdBackIfSuspended()
                watch.touch()
            }
        }
        watch.receivedAll(Int64(data.count))
    }

    /// A redirect's body is of no interest; reading a short one keeps the connection usable.
    @inline(never)
    private func drain(_ body: TransportBody) async {
        var rest = 64 * 1024
        do {
            for try await chunk in body {
                watch.touch()
                rest -= chunk.count
                if rest < 0 { return }
            }
        } catch {
            // The redirect's head is all that counts; a body that breaks off changes nothing. A cancel is seen before the next hop.
        }
    }

    // MARK: Validation

    @inline(never)
    private func validated(_ outcome: TransferOutcome, by validators: [Validator]) -> TransferOutcome {
        guard !validators.isEmpty, let response = outcome.rawResponse else { return outcome }
        do throws(AsyncNetError) {
            for validator in validators { try validator(response) }
            return outcome
        } catch {
            return outcome.failing(with: error)
        }
    }
}
