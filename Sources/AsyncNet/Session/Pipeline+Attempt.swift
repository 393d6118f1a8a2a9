import Foundation

/// One attempt: adapted, sent wherever redirects lead, received, validated.
extension Pipeline {
    mutating func attempt() async -> AttemptResult {
        attemptNumber += 1
        do {
            try await adapt()
            try await prepare()
            switch try await sharedOrOwnTransfer() {
            case .doNotRetry: break
            case .retry(let delay): return .again(after: delay)
            case .fail(let error): return .refused(request.record.outcome(error))
            }
        } catch {
            return .ended(request.record.outcome(AsyncNetError(wrapping: error, as: .transportFailed)), validators: 0)
        }
        let validators = request.sink == nil ? await request.validators : []
        let outcome = request.record.outcome(nil)
        return .ended(
            validators.isEmpty ? outcome : await outcome.validated(by: validators), validators: validators.count)
    }

    private mutating func adapt() async throws {
        guard !policies.adapters.isEmpty, var adapted = request.record.request else { return }
        let context = context()
        for adapter in policies.adapters {
            try Task.checkCancellation()
            do { adapted = try await adapt(adapted, by: adapter, context) } catch {
                if error is CancellationError, !Task.isCancelled {
                    throw AsyncNetError(.adaptationFailed, underlyingError: error)
                }
                throw AsyncNetError(wrapping: error, as: .adaptationFailed)
            }
        }
        takeCredential(of: &adapted)
        try RequestAssembly.check(adapted)
        request.record.willSend(try RequestAssembly.settled(adapted))
    }

    private func adapt(_ request: TransportRequest, by adapter: any RequestAdapter, _ context: RequestContext)
        async throws -> TransportRequest
    {
        guard adapter.blocks else { return try await adapter.adapt(request, context: context) }
        return try await UserCode.run { try await adapter.adapt(request, context: context) }
    }

    /// An adapter's URL may say who it is from, as the caller's may.
    @inline(never)
    private mutating func takeCredential(of adapted: inout TransportRequest) {
        guard let credential = Credential.take(from: &adapted.head.url),
            policies.credentialOrigin != adapted.head.url.origin
        else { return }
        (policies.credential, policies.credentialOrigin) = (credential, adapted.head.url.origin)
    }

    @inline(never)
    private func prepare() async throws {
        guard let sink = request.sink, let adapted = request.record.request else { return }
        let prepared = try await sink.prepare(adapted)
        try RequestAssembly.check(prepared)
        request.record.willSend(prepared)
    }

    // MARK: Transfer

    /// - Returns: What a retrier has decided before the body was delivered; `.doNotRetry` if it was.
    private mutating func sharedOrOwnTransfer() async throws -> RetryDecision.Choice {
        await request.holdBackIfSuspended()
        guard let validators = await request.beginAttempt(onProceed: watch.restart) else {
            throw AsyncNetError(.cancelled)
        }
        self.validators = validators
        if let shared = flightKey { return try await share(shared) }
        if let hedging = hedging { return try await hedge(hedging) }
        guard !session.limits.isUnlimited else { return try await transfer() }
        return try await limitedTransfer()
    }

    /// Who waited for a place with a credential that is another one by now, or is about to be, lets others have the
    /// place, and queues again with that.
    @inline(never)
    private mutating func limitedTransfer() async throws -> RetryDecision.Choice {
        while true {
            do { return try await limited { [self] in try await transfer() } } catch is ReplacedCredential {
                restart(with: original)
                try await adapt()
                try await prepare()
            }
        }
    }

    private func transfer() async throws -> RetryDecision.Choice {
        // Only where an attempt can be followed by another must its end not be the request's.
        guard !policies.retriers.isEmpty || policies.attemptTimeout != nil || request.kind == .stream else {
            watchForSilence(of: nil)
            defer { watch.stop() }
            return try await exchange()
        }
        let attempt = AttemptTask()
        watchForSilence(of: attempt)
        defer { watch.stop() }
        guard let timer = limitDuration(of: attempt) else {
            return try await attempt.run { [self] in try await exchange() }
        }
        defer { session.timers.cancel(timer) }
        return try await attempt.run { [self] in try await exchange() }
    }

    @inline(never)
    private func limitDuration(of attempt: AttemptTask) -> TimerQueue.Timer? {
        guard let limit = policies.attemptTimeout else { return nil }
        return session.timers.schedule(at: session.timers.time.now + min(max(limit, .zero), .longestWait)) {
            attempt.fail(AsyncNetError(.timedOut, "The attempt did not end within \(limit)"))
            return nil
        }
    }

    @inline(never)
    private func watchForSilence(of attempt: AttemptTask?) {
        let timeout =
            request.sink?.timeout ?? policies.timeout ?? request.record.request?.timeout
            ?? session.configuration.timeout
        watch.start(session.timers, timeout: timeout) { [session, request] in
            let error = AsyncNetError(.timedOut, "The request timed out: nothing was sent or received for \(timeout)")
            if let attempt { return attempt.fail(error) }
            session.mailbox.post { await request.fail(error) }
        }
    }

    private func exchange() async throws -> RetryDecision.Choice {
        var hop = Hop()
        while true {
            try Task.checkCancellation()
            switch try await step(&hop) {
            case .answer(let body):
                guard let sink = request.sink else {
                    try await receive(body)
                    return .doNotRetry
                }
                switch try await deliver(body, to: sink) {
                case .done: return .doNotRetry
                case .again: try await prepare()
                case .decided(let choice): return choice
                }
                hop = Hop(visited: hop.visited)
            case .drop(let body): if let body { await drain(body) }
            }
        }
    }

    // MARK: The body

    private enum Reception {
        case done
        case again
        /// By a retrier.
        case decided(RetryDecision.Choice)
    }

    /// The body to a sink, once validators and retriers have accepted what the head says of it. Retriers hear of a
    /// validator's error once the attempt is over.
    @inline(never)
    private func deliver(_ body: TransportBody, to sink: any ResponseSink) async throws -> Reception {
        guard let head = request.record.head, let sent = request.record.request else {
            throw AsyncNetError(.badServerResponse)
        }
        if !sink.isOwnMatter(head) {
            try await validate(head, of: sent)
            switch await choice(about: head) {
            case .doNotRetry: break
            case .retry(let delay):
                if isShort(head, answering: sent.head.method) { await drain(body) }
                return .decided(.retry(after: delay))
            case .fail(let error): return .decided(.fail(error))
            }
        }
        let watched = watched(body, of: head)
        guard try await sink.receive(watched, of: head) == .done else { return .again }
        // They have had their say.
        watch.receivedAll(watched.count, after: watched.offset)
        return .done
    }

    private func choice(about head: HTTPResponseHead) async -> RetryDecision.Choice {
        guard !policies.retriers.isEmpty, let error = refusal(head) else { return .doNotRetry }
        // What a retrier waits for, such as a refresh over this session, may need the place.
        place.release()
        return await decision(about: error)
    }

    private func validate(_ head: HTTPResponseHead, of sent: TransportRequest) async throws {
        var response = RawResponse(requestHead: sent.head, head: head, data: Data())
        response.isBodyPending = true
        try await (await request.validators).check(response)
    }

    private func watched(_ body: TransportBody, of head: HTTPResponseHead) -> WatchedBody {
        let hasRead: @Sendable (ReceivedBytes) throws -> Void = { [watch, limit = policies.bodyLimit] bytes in
            watch.pause()
            watch.received(bytes, of: head)
            try Self.check(bytes.count + bytes.offset, limit)
        }
        let isHeldBack: @Sendable () -> Bool = { [request] in request.isHeldBack }
        let watch = BodyWatch(
            willRead: watch.read, willRest: watch.pause, hasRead: hasRead, hasEnded: place.release,
            isHeldBack: isHeldBack
        ) { [request] in
            if request.isHeldBack { await request.holdBackIfSuspended() }
        }
        return WatchedBody(body, watch: watch, expected: head.rangeLength)
    }

    private static func check(_ count: Int64, _ limit: Int64?) throws(AsyncNetError) {
        if let limit, count > limit { throw AsyncNetError(bodyLargerThan: limit) }
    }

    /// The whole body; what came of one that breaks off is kept too.
    @inline(never)
    func collect(_ body: TransportBody) async throws {
        var (data, expected) = (Data(), Int64?.none)
        defer { request.record.received(data) }
        for try await chunk in body {
            try add(chunk, to: &data, &expected)
            if request.isHeldBack {
                await request.holdBackIfSuspended()
                watch.touch()
            }
        }
        try checkEnd(data.count, expected)
        watch.receivedAll(Int64(data.count))
    }

    /// One chunk, as small bodies are, is not copied.
    ///
    /// - Parameter expected: What a 206 response says of its length, once its head was looked at.
    @inline(never)
    private func add(_ chunk: Data, to data: inout Data, _ expected: inout Int64?) throws(AsyncNetError) {
        watch.touch()
        try Self.check(Int64(data.count + chunk.count), policies.bodyLimit)
        let head = request.record.head
        expected = expected ?? head?.rangeLength
        var received = ReceivedBytes(count: Int64(data.count))
        received.expected = expected
        try received.add(chunk.count)
        if data.isEmpty { data = chunk } else { data.append(chunk) }
        if let head { watch.received(received, of: head) }
    }

    @inline(never)
    private func checkEnd(_ count: Int, _ expected: Int64?) throws(AsyncNetError) {
        // The response to a HEAD request has no body.
        guard count > 0 || request.record.request?.head.method != .head else { return }
        var received = ReceivedBytes(count: Int64(count))
        received.expected = count > 0 ? expected : request.record.head?.rangeLength
        try received.checkEnd()
    }
}
