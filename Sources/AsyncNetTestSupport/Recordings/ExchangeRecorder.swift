import AsyncNet
import Foundation

/// Records one transfer, without changing it.
final class ExchangeRecorder: Sendable {
    private let record: Locked<ExchangeRecord>
    /// The time since the send.
    private let elapsed: @Sendable () -> Duration

    init(_ request: TransportRequest, bodyLimit: Int) {
        record = Locked(ExchangeRecord(request, bodyLimit: bodyLimit))
        elapsed = request.supervision.map { Self.stopwatch($0.clock) } ?? Self.stopwatch(ContinuousClock())
    }

    private static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    /// What was recorded; `nil` before a response or a failure.
    var exchange: RecordedExchange? { record.withLock { $0.exchange } }

    func fail(_ error: any Error) {
        let now = elapsed()
        record.withLock { $0.fail(error, at: now) }
    }

    // MARK: The request

    /// The request, with its events and the bytes of its body observed.
    func observed(_ request: TransportRequest) -> TransportRequest {
        var observed = request
        observed.onEvent = { [self, next = request.onEvent] event in
            receive(event)
            next?(event)
        }
        if !request.body.isNone, request.body.data == nil {
            observed.body = request.body.tapped { [self] in beginBody() }
        }
        return observed
    }

    private func beginBody() -> @Sendable (UnsafeRawBufferPointer?) -> Void {
        let reading = record.withLock { $0.sentBody.begin() }
        return { [self] bytes in
            guard let bytes else { return record.withLock { $0.sentBody.end(reading) } }
            let missing = record.withLock { $0.sentBody.count(bytes.count, reading) }
            // A raw buffer cannot go into the lock's closure.
            let data = Data(bytes.prefix(missing))
            record.withLock { $0.sentBody.append(data, reading) }
        }
    }

    private func receive(_ event: TransportEvent) {
        switch event {
        case .informational(let head): record.withLock { $0.receiveInterim(head) }
        case .trailers(let trailers): record.withLock { $0.trailers = trailers }
        case .receivedHead:
            let now = elapsed()
            record.withLock { $0.noteHead(at: now) }
        default: break
        }
    }

    // MARK: The response

    /// The response, with the reading of its body observed. A body in memory is recorded now.
    func observed(_ response: TransportResponse) -> TransportResponse {
        let now = elapsed()
        record.withLock { record in
            record.respond(response.head, at: now)
            guard let data = response.body.data else { return }
            if !data.isEmpty { record.receive(data, at: now) }
            record.end()
        }
        guard response.body.data == nil else { return response }
        return TransportResponse(
            head: response.head, body: TransportBody(ObservedBody(body: response.body, recorder: self)),
            isContentDecoded: response.isContentDecoded)
    }

    fileprivate func receive(_ chunk: Data) {
        let now = elapsed()
        record.withLock { $0.receive(chunk, at: now) }
    }

    fileprivate func end() { record.withLock { $0.end() } }
}

/// A body that reports to a recorder what its reader reads.
private struct ObservedBody: AsyncSequence, Sendable {
    let body: TransportBody
    let recorder: ExchangeRecorder

    func makeAsyncIterator() -> Iterator { Iterator(chunks: body.makeAsyncIterator(), recorder: recorder) }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: TransportBody.AsyncIterator
        let recorder: ExchangeRecorder

        mutating func next() async throws -> Data? {
            do {
                let chunk = try await chunks.next()
                if let chunk { recorder.receive(chunk) } else { recorder.end() }
                return chunk
            } catch {
                recorder.fail(error)
                throw error
            }
        }
    }
}
