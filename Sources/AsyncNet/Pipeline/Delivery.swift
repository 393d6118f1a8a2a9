import Foundation

/// Sends an attempt's request, and passes the response to the run's sink.
///
/// Validators run here and in ``Attempts``: validators of the head before the body is read, since the body may break
/// off or never end; those of the whole response after it.
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
                    run.endHop(response.head)
                    return data.map(response.with) ?? response
                } catch is UnusableResponse {
                    run.endHop(response.head)
                    if isStoredOnly { throw ReplacedCredential() }
                    request = try await run.prepare(response.request)
                    attempt.isRedirected = request.head.url != first.head.url
                }
            }
        } catch {
            await run.failHop(error)
            throw error
        }
    }

    /// A stored response is delivered even if the attempt's time is over: it may stand for that error.
    private func deliver(_ response: Response) async throws -> Data? {
        if response.isStored { run.watch.stop() }
        guard task != nil, !response.isStored, !response.message.body.isOver else {
            return try await receive(response)
        }
        return try await interruptibly { try await receive(response) }
    }

    // MARK: Body

    private var validators: [Validator] { run.policies.validators }

    /// Validates the response's head, and has the sink receive the body.
    ///
    /// - Returns: The body, if it was kept in memory.
    private func receive(_ response: Response) async throws -> Data? {
        run.watch.receivedFinal(response.head)
        if response.request.delivery == .asItArrives {
            try await accept(response)
        } else if let refusal = refusal(of: response.head, to: response.request.head) {
            return try await receive(response, refused: refusal)
        }
        return try await receiveBody(of: response)
    }

    private func receiveBody(of response: Response) async throws -> Data? {
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
        guard !run.policies.list.retriers.isEmpty, let error = run.refusal(response.head) else { return }
        // A retrier may wait for another request of this session, such as a token refresh, which needs a permit too.
        run.releasePermit()
        run.judgeHop(response.head)
        switch await run.next(after: error, attempt: number, otherwise: error) {
        case .end: return
        case .fail(let error): throw Repetition(next: .fail(error))
        case .again(let delay):
            await drain(response.message, to: response.request.head.method)
            run.endHop(response.head)
            throw Repetition(next: .again(after: delay))
        }
    }

    /// Validates the head. Of a refused body the bytes that arrive within the limits of a brief reading are kept for the
    /// error.
    private func check(_ response: Response) async throws {
        var pending = RawResponse(requestHead: response.request.head, head: response.head, data: Data())
        pending.isBodyPending = true
        do throws(AsyncNetError) { try await validators.check(pending) } catch {
            let reading = await readBriefly(response.message, isWaitingForFirst: false)
            run.record.received(reading.data)
            run.send(.validated(error))
            throw await explained(error, reading, response)
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
    private func explained(_ error: AsyncNetError, _ reading: BriefReading, _ response: Response) async -> AsyncNetError
    {
        guard reading.isWhole, validators.contains(where: { $0.cause != nil }) else { return error }
        let refused = RawResponse(requestHead: response.request.head, head: response.head, data: reading.data)
        return await validators.explained(error, refused)
    }

    /// Throws the refusal, after keeping the bytes of the body that arrive within the limits of a brief reading.
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

/// A retrier has decided about the head of a response: its body is not delivered.
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

    func didEnd() {
        watch.endHop(.delivered)
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

    func receive(_ body: inout ResponseBody) async throws { try await body.collect() }
}

/// The body of a response while a sink reads it: counts its bytes, waits while the request is suspended, and stops the
/// timeout while the sink processes a chunk. Read by one task at a time.
struct ResponseBody {
    private var body: TransportBody.AsyncIterator
    let head: HTTPResponseHead
    let observer: any BodyObserver
    private(set) var received = ReceivedBytes(count: 0)
    /// The body, once `collect()` has read it.
    private(set) var collected: Data?

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
            try received.checkEnd()
            observer.didEnd()
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
            collected = whole
            if observer.isSuspended { await observer.waitWhileSuspended() }
            return
        }
        var data = Data()
        defer { observer.didCollect(data) }
        while let chunk = try await next() {
            // The only chunk of a small body is not copied.
            if data.isEmpty { data = chunk } else { data.append(chunk) }
        }
        collected = data
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
        try received.checkEnd()
        observer.didEnd()
    }

    /// Calls `put` with each chunk, in order, to the end of the body.
    mutating func forEach(_ put: (Data) throws -> Void) async throws {
        while let chunk = try await next() { try put(chunk) }
    }
}
