import Foundation

/// From a response that no redirect or challenge follows to the run's sink.
///
/// Validators run here and in ``Attempts``, nowhere else while the request runs: those that look at the head do so as
/// soon as it has come, since the body may break off or never end; the others need the whole body.
extension Attempt {
    /// Has the response validated, and its body received.
    ///
    /// - Returns: `nil` if the request is to be prepared and sent again in the same attempt.
    @inline(never)
    func deliver(_ response: TransportResponse, to request: TransportRequest) async throws -> Next? {
        let head = response.head
        run.watch.receivedFinal(head)
        if request.delivery == .whole, let refusal = refusal(of: head, to: request.head) {
            return try await receive(response, refused: refusal, request)
        }
        guard request.delivery == .asItArrives else { return try await receive(response, request) }
        let next = try await accept(head, of: request)
        if case .again = next { await drain(response, to: request.head.method) }
        guard case .done = next else { return next }
        return try await receive(response, request)
    }

    private func receive(_ response: TransportResponse, _ request: TransportRequest) async throws -> Next? {
        // The response to a HEAD request has no body.
        let expected = request.head.method == .head ? nil : response.head.rangeLength
        var body = ResponseBody(response.body, of: response.head, observer: run, expected: expected)
        guard try await run.sink.receive(&body) == .done else { return nil }
        run.watch.receivedAll(body.count, after: body.offset)
        return .done
    }

    /// Validators and retriers decide about the head of a body that is delivered as it arrives. Retriers learn of a
    /// validator's error once the attempt is over.
    private func accept(_ head: HTTPResponseHead, of request: TransportRequest) async throws -> Next {
        let validators = await run.takeValidators()
        guard run.sink.validates(head) else { return .done }
        var response = RawResponse(requestHead: request.head, head: head, data: Data())
        response.isBodyPending = true
        try await validators.check(response)
        guard !run.policies.list.retriers.isEmpty, let error = run.refusal(head) else { return .done }
        // A retrier may wait for another request, such as a refresh over this session, which may need the permit.
        run.releasePermit()
        return await run.next(after: error, attempt: number) ?? .done
    }

    // MARK: Responses that are refused by their head

    /// The first refusal of a body in memory by status or type.
    func refusal(of head: HTTPResponseHead, to request: HTTPRequestHead) -> HeadRefusal? {
        validators.isEmpty ? nil : HeadRefusal(of: head, to: request, by: validators)
    }

    /// For the transport, which would wait with the head of a success for its body; `nil` if no validator can refuse a
    /// response by its head.
    func refusesHeads(of request: HTTPRequestHead) -> (@Sendable (HTTPResponseHead) -> Bool)? {
        guard validators.contains(where: { $0.subject != .wholeResponse }) else { return nil }
        return { [validators] head in HeadRefusal(of: head, to: request, by: validators) != nil }
    }

    /// Keeps as much of the body as comes soon.
    private func receive(_ response: TransportResponse, refused refusal: HeadRefusal, _ request: TransportRequest)
        async throws -> Next?
    {
        if refusal.isAfterOthers {
            do { return try await receive(response, request) } catch {
                throw Task.isCancelled ? error : refusal.error
            }
        }
        let reading = await readBriefly(response, isWaitingForFirst: refusal.dependsOnBody)
        run.record.received(reading.data)
        if reading.isWhole { run.watch.receivedAll(Int64(reading.data.count)) }
        guard refusal.dependsOnBody, reading.data.isEmpty else { throw refusal.error }
        // An empty body has every type, which its validator finds at the end.
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

    func didRead(_ bytes: ReceivedBytes, of head: HTTPResponseHead) throws {
        watch.pause()
        watch.received(bytes, of: head)
        if let limit = policies.bodyLimit, bytes.count + bytes.offset > limit {
            throw AsyncNetError(bodyLargerThan: limit)
        }
    }

    func didEnd() { releasePermit() }
    func didCollect(_ data: Data) { record.received(data) }
    var isSuspended: Bool { hold.isHeld }
}

/// Keeps the body in memory, in the run's record.
struct MemorySink: ResponseSink {
    func prepare(_ request: TransportRequest) async throws -> TransportRequest {
        var request = request
        request.delivery = .whole
        return request
    }

    func receive(_ body: inout ResponseBody) async throws -> SinkVerdict {
        try await body.collect()
        return .done
    }
}

/// The body of a response while a sink reads it: counted, not read while the request is suspended, and not timed out
/// while its reader is busy. Read by one task at a time.
struct ResponseBody {
    private var body: TransportBody.AsyncIterator
    let head: HTTPResponseHead
    let observer: any BodyObserver
    private(set) var received = ReceivedBytes(count: 0)

    /// The bytes that have come.
    var count: Int64 { received.count }
    /// The bytes of the whole that were there before; they are counted in progress.
    var offset: Int64 {
        get { received.offset }
        set { received.offset = newValue }
    }
    /// The bytes of the whole, if these are not the body's and those that were there before.
    var total: Int64? {
        get { received.total }
        set { received.total = newValue }
    }

    /// - Parameter expected: The bytes that the body has by its `Content-Range`: more or fewer are an error.
    init(_ body: TransportBody, of head: HTTPResponseHead, observer: any BodyObserver, expected: Int64? = nil) {
        self.body = body.makeAsyncIterator()
        (self.head, self.observer) = (head, observer)
        received.expected = expected
    }

    /// The reader does not wait for the server until the next read.
    func rest() { observer.willRest() }

    /// Counts bytes that have come by another way.
    mutating func add(_ count: Int64) { received.count += count }

    /// The next bytes, never none; `nil` at the end.
    mutating func next() async throws -> Data? {
        observer.willRead()
        guard let chunk = try await body.next() else {
            // What is still to be done with the body does not wait for the server.
            rest()
            observer.didEnd()
            try received.checkEnd()
            return nil
        }
        try received.add(chunk.count)
        try observer.didRead(received, of: head)
        if observer.isSuspended { await observer.waitWhileSuspended() }
        return chunk
    }

    /// Reads the body into memory. The bytes of a body that breaks off are kept too.
    mutating func collect() async throws {
        var data = Data()
        defer { observer.didCollect(data) }
        while let chunk = try await next() {
            // A single chunk, as small bodies are, is not copied.
            if data.isEmpty { data = chunk } else { data.append(chunk) }
        }
    }

    /// Puts each chunk somewhere, in order, to the end: on this task, or where a transport cannot pause and this task
    /// keeps up with it, on the transport's thread, which saves a change of threads for each chunk.
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
