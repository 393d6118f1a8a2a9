import Foundation

/// Bodies that are of little interest: those of redirects, of challenges, and of responses that validators refuse by
/// their head. They may break off, or never end.
extension Pipeline {
    /// More of such a body is not read.
    private static let briefLength = 64 * 1024
    /// Longer it is not waited for.
    private static let briefTime = Duration.seconds(1)

    /// Whether the rest of a response is known to be read soon.
    func isShort(_ head: HTTPResponseHead, answering method: HTTPMethod) -> Bool {
        head.isBodyless(answering: method) || head.contentLength.map { $0 <= Self.briefLength } == true
    }

    /// Reads a short body to its end, which keeps its connection usable. That of a body that is dropped unread is
    /// closed.
    @inline(never)
    func drain(_ body: TransportBody) async {
        guard !body.isOver else { return }
        // The head is all that counts: a body that breaks off or stalls changes nothing. A cancel is seen before the
        // next hop.
        _ = await readBriefly(body, isWaitingForFirst: false)
        watch.read()
    }

    /// The whole body into memory; of one that is refused by its head, as much as comes soon.
    @inline(never)
    func receive(_ body: TransportBody) async throws {
        guard let refusal = refusal() else { return try await collect(body) }
        if refusal.isAfterOthers {
            do { try await collect(body) } catch {
                if Task.isCancelled { throw error }
                request.record.refused(refusal.error)
            }
            return
        }
        let read = await readBriefly(body, isWaitingForFirst: refusal.dependsOnBody)
        request.record.received(read.data)
        if let error = read.error, refusal.dependsOnBody, read.data.isEmpty { throw error }
        if read.isWhole { watch.receivedAll(Int64(read.data.count)) }
        // An empty body has every type, which its validator finds at the end.
        if !refusal.dependsOnBody || !read.data.isEmpty { request.record.refused(refusal.error) }
    }

    /// By the head of the response that has come.
    @inline(never)
    func refusal() -> HeadRefusal? {
        guard !validators.isEmpty, let sent = request.record.request, let head = request.record.head else { return nil }
        return Self.refusal(of: head, answering: sent.head, by: validators)
    }

    private static func refusal(of head: HTTPResponseHead, answering sent: HTTPRequestHead, by validators: [Validator])
        -> HeadRefusal?
    {
        var response = RawResponse(requestHead: sent, head: head, data: Data())
        response.isBodyPending = true
        return HeadRefusal(of: response, by: validators)
    }

    /// For the transport, which would wait with the head of a success for its body; `nil` if none can be refused by its
    /// head.
    func refusesHeads(answering sent: HTTPRequestHead) -> (@Sendable (HTTPResponseHead) -> Bool)? {
        guard validators.contains(where: { $0.subject != .wholeResponse }) else { return nil }
        return { [validators] head in Self.refusal(of: head, answering: sent, by: validators) != nil }
    }

    // MARK: Reading for a while

    private struct BriefReading: Sendable {
        var data = Data()
        var isWhole = false
        var error: (any Error)?
    }

    /// - Parameter isWaitingForFirst: The time begins with the first byte; until then the request's own timeouts hold.
    @inline(never)
    private func readBriefly(_ body: TransportBody, isWaitingForFirst: Bool) async -> BriefReading {
        let limit = BriefLimit(session.timers, briefTime)
        defer { limit.stop() }
        let begin: @Sendable () -> Void = { [watch] in
            watch.pause()
            limit.begin()
        }
        if !isWaitingForFirst { begin() }
        let reading = try? await limit.task.run { [self] in await read(body, onFirst: isWaitingForFirst ? begin : nil) }
        return reading ?? BriefReading()
    }

    /// What comes before the limit, the end, an error or a cancel.
    private func read(_ body: TransportBody, onFirst: (@Sendable () -> Void)?) async -> BriefReading {
        var reading = BriefReading()
        do {
            for try await chunk in body {
                if reading.data.isEmpty { onFirst?() }
                reading.data.append(chunk.prefix(Self.briefLength - reading.data.count))
                if let head = request.record.head {
                    watch.received(ReceivedBytes(count: Int64(reading.data.count)), of: head)
                }
                if reading.data.count == Self.briefLength { return reading }
            }
            reading.isWhole = true
        } catch {
            reading.error = error
        }
        return reading
    }

    /// Leaves time to other limits, which would end the request with another error.
    private var briefTime: Duration {
        min(
            Self.briefTime, policies.attemptTimeout.map { $0 / 4 } ?? .longestWait,
            remainingTime.map { $0 / 2 } ?? .longestWait)
    }
}

/// Ends its task when some time has passed since it began.
private final class BriefLimit: Sendable {
    let task = AttemptTask()
    private let timers: TimerQueue
    private let time: Duration
    private let timer = Locked<TimerQueue.Timer?>(nil)

    init(_ timers: TimerQueue, _ time: Duration) { (self.timers, self.time) = (timers, time) }

    func begin() {
        let end = timers.schedule(at: timers.time.now + time) { [task] in
            task.fail(AsyncNetError(.timedOut))
            return nil
        }
        timer.withLock { $0 = end }
    }

    func stop() {
        if let timer = timer.withLock({ $0.take() }) { timers.cancel(timer) }
    }
}
