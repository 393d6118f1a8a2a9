import Foundation

/// Sends an attempt's request, and passes the response to the run's sink.
///
/// Validators of the head run here before the body is read, since the body may break off or never end. Validators of
/// the whole response run in ``Attempts``.
extension Attempt {
    /// Sends the request over the stations, and returns when the sink has received the response's body.
    func exchange(_ first: TransportRequest, over stations: some Station) async throws -> Response {
        var attempt = self
        if run.context.separatesAttempts { attempt.task = AttemptTask() }
        defer {
            attempt.task?.end(run.environment.timers)
            run.watch.stop()
        }
        var request = first
        do {
            while true {
                let response = try await stations.response(to: request, in: attempt).decoded
                do {
                    let data = try await attempt.deliver(response)
                    attempt.endHop(response.head)
                    return data.map(response.with) ?? response
                } catch is UnusableResponse {
                    attempt.endHop(response.head)
                    if isStoredOnly { throw ReplacedCredential() }
                    request = try await run.prepare(response.request)
                    attempt.isRedirected = request.head.url != first.head.url
                }
            }
        } catch {
            await attempt.failHop(error)
            throw error
        }
    }

    /// Delivers the response. A stored response is delivered even if the attempt has timed out, since it may stand in
    /// place of that timeout.
    @inline(never)
    private func deliver(_ response: Response) async throws -> Data? {
        if response.isStored { run.watch.stop() }
        guard task != nil, !response.isStored, !response.message.body.isOver else {
            return try await receive(response)
        }
        return try await interruptibly { try await receive(response) }
    }

    private var validators: [Validator] { run.policies.validators }

    /// Validates the response's head, and has the sink receive the body; returns a body that was kept in memory.
    private func receive(_ response: Response) async throws -> Data? {
        run.watch.receivedFinal(response.head)
        // The circuit breaker cannot wait for the end of the body, which may never come.
        if response.head.statusCode >= 500 || run.isProbing { judgeHop(response.head) }
        if run.sink.delivery == .asItArrives {
            try await accept(response)
        } else if let refusal = refusal(of: response.head, to: response.request.head) {
            return try await receive(response, refused: refusal)
        }
        return try await receiveBody(of: response)
    }

    private func receiveBody(of response: Response) async throws -> Data? {
        // The range of the caller's own request. The sink of a download checks the ranges that the sink has added.
        if response.head.statusCode == 206, let first = run.first.withLock({ $0 }) {
            try response.head.checkRange(askedBy: first.request.head)
        }
        // The response to a HEAD request has no body, whatever its `Content-Range`.
        let expected = response.request.head.method == .head ? nil : response.head.rangeLength
        var body = ResponseBody(response.message.body, of: response.head, observer: run, expected: expected)
        try await run.sink.receive(&body)
        run.watch.receivedAll(body.count, after: body.offset)
        return body.collected
    }

    /// Validates the head of a download or stream, and lets retriers decide about its status. Retriers decide about a
    /// validator's error after the attempt.
    ///
    /// - Throws: ``Repetition`` if a retrier wants another attempt.
    private func accept(_ response: Response) async throws {
        guard run.sink.validates(response.head) else { return }
        if !validators.isEmpty { try await check(response) }
        var decisions = RetryDecisions(self)
        guard !run.policies.list.retriers.isEmpty, let error = decisions.refusal(response.head) else { return }
        // A retrier may wait for another request of this session, such as a token refresh, which needs a permit too.
        judgeHop(response.head)
        run.releasePermit()
        switch await decisions.next(afterRefusal: error) {
        case .end: return
        case .fail(let error): throw Repetition(next: .fail(error))
        case .again(let delay):
            await drain(response.message, to: response.request.head.method)
            endHop(response.head)
            throw Repetition(next: .again(after: delay))
        }
    }

    /// Validates the head. If the head is refused, the error keeps the bytes of the body that a brief reading gets.
    private func check(_ response: Response) async throws {
        var pending = RawResponse(requestHead: response.request.head, head: response.head, data: Data())
        pending.isBodyPending = true
        run.watch.pause()
        do throws(AsyncNetError) {
            try await validators.check(pending)
            if explainsErrors, let refusal = run.sink.refusal(ofType: response.head) { throw refusal }
        } catch {
            let reading = await readBriefly(response.message, isWaitingForFirst: false)
            run.record.received(reading.data)
            run.send(.validated(error))
            throw await explained(error, reading, response)
        }
        run.send(.validated(nil))
    }

    /// The first refusal of a response by a validator of status or type; for responses whose body is kept in memory.
    func refusal(of head: HTTPResponseHead, to request: HTTPRequestHead) -> HeadRefusal? {
        validators.isEmpty ? nil : HeadRefusal(of: head, to: request, by: validators)
    }

    /// A closure for the transport, which delivers a head at once instead of with the body if the closure returns true;
    /// `nil` if no validator checks heads.
    func refusesHeads(of request: HTTPRequestHead) -> (@Sendable (HTTPResponseHead) -> Bool)? {
        guard validators.contains(where: { $0.subject != .wholeResponse }) else { return nil }
        return { [validators] head in HeadRefusal(of: head, to: request, by: validators) != nil }
    }

    /// Whether a validator decodes bodies of refused responses.
    private var explainsErrors: Bool { validators.contains { $0.cause != nil } }

    /// The error of a refusal, with its cause if a validator decodes one and the body is whole.
    private func explained(_ error: AsyncNetError, _ reading: BriefReading, _ response: Response) async -> AsyncNetError
    {
        guard reading.isWhole, explainsErrors else { return error }
        let refused = RawResponse(requestHead: response.request.head, head: response.head, data: reading.data)
        return await validators.explained(error, refused)
    }

    /// Throws the refusal, with the first bytes of the body; returns a body that the validators are still to see.
    private func receive(_ response: Response, refused refusal: HeadRefusal) async throws -> Data? {
        if refusal.isAfterOthers {
            do { return try await receiveBody(of: response) } catch {
                guard !Task.isCancelled else { throw error }
                run.send(.validated(refusal.error))
                throw refusal.error
            }
        }
        let reading = await readBriefly(response.message, isWaitingForFirst: refusal.dependsOnBody)
        if !refusal.dependsOnBody || !reading.data.isEmpty { run.send(.validated(refusal.error)) }
        run.record.received(reading.data)
        if reading.isWhole { run.watch.receivedAll(Int64(reading.data.count)) }
        guard refusal.dependsOnBody, reading.data.isEmpty else {
            throw await explained(refusal.error, reading, response)
        }
        // An empty body is accepted with any type; the validator decides about it after the attempt.
        if let error = reading.error { throw error }
        return reading.data
    }
}

/// Thrown when a retrier has refused a response by its head: ends the exchange without delivering the body.
struct Repetition: Error {
    let next: Next
}

extension HeadRefusal {
    init?(of head: HTTPResponseHead, to request: HTTPRequestHead, by validators: [Validator]) {
        var response = RawResponse(requestHead: request, head: head, data: Data())
        response.isBodyPending = true
        self.init(of: response, by: validators)
    }
}

extension RequestRun: BodyObserver {
    func willRead() { watch.read() }
    func willRest() { watch.pause() }
    func willDeliver(_ chunk: Data) { watch.tap(chunk) }

    func didRead(_ bytes: ReceivedBytes, of head: HTTPResponseHead) throws {
        watch.pause()
        watch.received(bytes, of: head)
        if let limit = policies.maximumBodySize, bytes.count + bytes.offset > limit {
            throw AsyncNetError(bodyLargerThan: limit)
        }
    }

    /// Reports the response to the circuit breaker before the permit is given back: the next request with the permit
    /// must not pass a circuit that this response opens.
    func didEnd(_ head: HTTPResponseHead) {
        takePass()?.record(OriginVerdict(statusCode: head.statusCode))
        watch.endHop(.delivered)
        releasePermit()
    }
    func didCollect(_ data: Data) { record.received(data) }

    func settle(_ step: @Sendable () throws -> Void) async throws {
        if let owner = context.owner { try await owner.settle(step) } else { try step() }
    }

    var isSuspended: Bool { hold.isHeld }
}
