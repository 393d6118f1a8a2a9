import Foundation

/// Passes a response that neither a redirect nor a challenge follows to the run's sink.
///
/// Validators run here and in ``Attempts``: validators of the head before the body is read, since the body may break
/// off or never end; those of the whole response after it.
extension Attempt {
    private var validators: [Validator] { run.policies.validators }

    /// Validates the response's head, and has the sink receive the body.
    ///
    /// - Returns: `nil` if the sink wants the request prepared and sent again in the same attempt.
    func deliver(_ response: TransportResponse, to request: TransportRequest) async throws -> Next? {
        let head = response.head
        run.watch.receivedFinal(head)
        guard request.delivery == .asItArrives else {
            guard let refusal = refusal(of: head, to: request.head) else { return try await receive(response, request) }
            return try await receive(response, refused: refusal, request)
        }
        let next = try await accept(response, of: request)
        if case .again = next { await drain(response, to: request.head.method) }
        guard case .done = next else { return next }
        return try await receive(response, request)
    }

    private func receive(_ response: TransportResponse, _ request: TransportRequest) async throws -> Next? {
        // The response to a HEAD request has no body, whatever its `Content-Range`.
        let expected = request.head.method == .head ? nil : response.head.rangeLength
        var body = ResponseBody(response.body, of: response.head, observer: run, expected: expected)
        guard try await run.sink.receive(&body) == .done else { return nil }
        run.watch.receivedAll(body.count, after: body.offset)
        return .done
    }

    /// Validates the head of a download or stream, and lets retriers decide about its status. A validator's error is
    /// thrown; retriers decide about that after the attempt.
    private func accept(_ response: TransportResponse, of request: TransportRequest) async throws -> Next {
        let head = response.head
        guard run.sink.validates(head) else { return .done }
        if !validators.isEmpty { try await check(response, request) }
        guard !run.policies.list.retriers.isEmpty, let error = run.refusal(head) else { return .done }
        // A retrier may wait for another request of this session, such as a token refresh, which needs a permit too.
        run.releasePermit()
        run.judgeResponse()
        return await run.next(after: error, attempt: number, otherwise: error) ?? .done
    }

    /// Validates the head. Of a refused body the bytes that arrive within the limits of a brief reading are kept for the
    /// error.
    private func check(_ response: TransportResponse, _ request: TransportRequest) async throws {
        var pending = RawResponse(requestHead: request.head, head: response.head, data: Data())
        pending.isBodyPending = true
        do throws(AsyncNetError) { try await validators.check(pending) } catch {
            let reading = await readBriefly(response, isWaitingForFirst: false)
            run.record.received(reading.data)
            let refused = RawResponse(requestHead: request.head, head: response.head, data: reading.data)
            run.send(.validated(error))
            throw await explained(error, reading, refused)
        }
        run.send(.validated(nil))
    }

    // MARK: Responses that are refused by their head

    /// The first validator's refusal of this response, whose body is to be kept in memory, by its status or type.
    func refusal(of head: HTTPResponseHead, to request: HTTPRequestHead) -> HeadRefusal? {
        validators.isEmpty ? nil : HeadRefusal(of: head, to: request, by: validators)
    }

    /// Given to the transport, which delivers a refused head at once instead of with the body; `nil` if no validator
    /// checks heads.
    func refusesHeads(of request: HTTPRequestHead) -> (@Sendable (HTTPResponseHead) -> Bool)? {
        guard validators.contains(where: { $0.subject != .wholeResponse }) else { return nil }
        return { [validators] head in HeadRefusal(of: head, to: request, by: validators) != nil }
    }

    /// The error of a refusal, with its cause if a validator decodes one and the body is whole.
    private func explained(
        _ error: AsyncNetError, _ reading: BriefReading, _ response: RawResponse
    ) async -> AsyncNetError {
        guard reading.isWhole, validators.contains(where: { $0.cause != nil }) else { return error }
        return await validators.explained(error, response)
    }

    /// Throws the refusal, after keeping the bytes of the body that arrive within the limits of a brief reading.
    private func receive(_ response: TransportResponse, refused refusal: HeadRefusal, _ request: TransportRequest)
        async throws -> Next?
    {
        if refusal.isAfterOthers {
            do { return try await receive(response, request) } catch {
                guard !Task.isCancelled else { throw error }
                run.send(.validated(refusal.error))
                throw refusal.error
            }
        }
        let reading = await readBriefly(response, isWaitingForFirst: refusal.dependsOnBody)
        if !refusal.dependsOnBody || !reading.data.isEmpty { run.send(.validated(refusal.error)) }
        run.record.received(reading.data)
        if reading.isWhole { run.watch.receivedAll(Int64(reading.data.count)) }
        guard refusal.dependsOnBody, reading.data.isEmpty else {
            let refused = RawResponse(requestHead: request.head, head: response.head, data: reading.data)
            throw await explained(refusal.error, reading, refused)
        }
        // An empty body is accepted with any type; the validator decides about it after the attempt.
        if let error = reading.error { throw error }
        return .done
    }
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
        if let limit = policies.bodyLimit, bytes.count + bytes.offset > limit {
            throw AsyncNetError(bodyLargerThan: limit)
        }
    }

    func didEnd() {
        watch.endTransfer()
        releasePermit()
    }
    func didCollect(_ data: Data) { record.received(data) }
    var isSuspended: Bool { hold.isHeld }
}

/// Keeps the body in memory, in the run's record.
struct MemorySink: ResponseSink {
    func prepare(_ request: TransportRequest) async throws -> TransportRequest {
        guard request.delivery != .whole else { return request }
        var whole = request
        whole.delivery = .whole
        return whole
    }

    func receive(_ body: inout ResponseBody) async throws -> SinkVerdict {
        try await body.collect()
        return .done
    }
}

/// The body of a response while a sink reads it: counts its bytes, waits while the request is suspended, and stops the
/// timeout while the sink processes a chunk. Read by one task at a time.
struct ResponseBody {
    private var body: TransportBody.AsyncIterator
    let head: HTTPResponseHead
    let observer: any BodyObserver
    private(set) var received = ReceivedBytes(count: 0)

    /// The bytes received so far.
    var count: Int64 { received.count }
    /// The bytes that the file had before this response; progress counts them too.
    var offset: Int64 {
        get { received.offset }
        set { received.offset = newValue }
    }
    /// The bytes of the whole file, if these are not `offset` and the length of this body.
    var total: Int64? {
        get { received.total }
        set { received.total = newValue }
    }

    /// - Parameter expected: The length of the body by its `Content-Range`; a body of another length is an error.
    init(_ body: TransportBody, of head: HTTPResponseHead, observer: any BodyObserver, expected: Int64? = nil) {
        self.body = body.makeAsyncIterator()
        (self.head, self.observer) = (head, observer)
        received.expected = expected
    }

    /// Stops the timeout until the next read: the sink does not wait for the server.
    func rest() { observer.willRest() }

    /// Counts bytes that other responses brought, such as the other segments of a download.
    mutating func add(_ count: Int64) { received.count += count }

    /// The next chunk, never empty; `nil` at the end of the body.
    mutating func next() async throws -> Data? {
        observer.willRead()
        guard let chunk = try await body.next() else {
            // The sink may still process the body, such as move a file; the server's timeout must not count that time.
            rest()
            observer.didEnd()
            try received.checkEnd()
            return nil
        }
        try received.add(chunk.count)
        try observer.didRead(received, of: head)
        observer.willDeliver(chunk)
        if observer.isSuspended { await observer.waitWhileSuspended() }
        return chunk
    }

    /// Reads the body into memory, and keeps the bytes received if the body breaks off.
    mutating func collect() async throws {
        if let whole = body.takeWhole() {
            try collect(whole)
            if observer.isSuspended { await observer.waitWhileSuspended() }
            return
        }
        var data = Data()
        defer { observer.didCollect(data) }
        while let chunk = try await next() {
            // The only chunk of a small body is not copied.
            if data.isEmpty { data = chunk } else { data.append(chunk) }
        }
    }

    /// The body is here: nobody waits for the server any more.
    private mutating func collect(_ whole: Data) throws {
        defer { observer.didCollect(whole) }
        rest()
        if !whole.isEmpty {
            try received.add(whole.count)
            try observer.didRead(received, of: head)
            observer.willDeliver(whole)
        }
        observer.didEnd()
        try received.checkEnd()
    }

    /// Calls `put` with each chunk, in order, to the end of the body: on this task, or on the transport's thread if the
    /// transport cannot pause and this task has taken all earlier chunks. That saves a thread change for each chunk.
    mutating func forEach(_ put: @escaping @Sendable (Data) throws -> Void) async throws {
        while let chunk = try await next() {
            try put(chunk)
            try await relay(to: put)
        }
    }

    private mutating func relay(to put: @escaping @Sendable (Data) throws -> Void) async throws {
        let relay = BodyRelay(received, head, observer, put)
        observer.willRead()
        guard await body.relay(relay.receive) else { return }
        received = relay.received
        if let failure = relay.failure { throw failure }
        if observer.isSuspended { await observer.waitWhileSuspended() }
    }
}
