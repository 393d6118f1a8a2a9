import Foundation

/// Passes a response's body to the stream's reader, no faster than the reader takes it.
///
/// The reader chooses the form, chunks or events, so the body is not read before there is a reader.
final class StreamSink: ResponseSink {
    enum Form: Sendable {
        case chunks
        case events(EventConnection)
    }

    let chunks = Handover<Data>()
    let events = Handover<[ServerSentEvent]>()
    let head = Promise<HTTPResponseHead>()
    private let form = Promise<Form>()
    let state = Locked(State())
    let currentLease = Locked(WeakLease())
    struct WeakLease: Sendable {
        weak var lease: StreamLease?
    }

    struct State {
        var isRead = false
        /// Whether the rest of the body is dropped once the reader is gone, instead of the request being cancelled.
        var dropsRest = false
        var connection: EventConnection?
        /// Whether the reader has taken an event.
        var hasDelivered = false
        var method: HTTPMethod?
    }

    init() {}

    /// Whether there is a reader; a body cannot be read twice.
    var isRead: Bool { state.withLock { $0.isRead } }

    /// - Returns: Whether this reader is the first: a body cannot be read twice.
    func beginReading(as form: Form, droppingRest: Bool = false) -> Bool {
        let isFirst = state.withLock { state in
            defer { state.isRead = true }
            guard !state.isRead else { return false }
            state.dropsRest = droppingRest
            if case .events(let connection) = form { state.connection = connection }
            return true
        }
        if isFirst { self.form.fulfil(.success(form)) }
        return isFirst
    }

    /// Ends the delivery of chunks and events: the reader is gone, or none will come.
    func close() {
        chunks.close()
        events.close()
    }

    func prepare(_ request: TransportRequest) async throws -> TransportRequest {
        let connection = state.withLock { state in
            state.method = request.head.method
            return state.connection
        }
        guard let connection else { return request }
        guard connection.canRepeat(request.head.method) else {
            throw AsyncNetError(
                .invalidConfiguration,
                "A stream of events by \(request.head.method) cannot have the reconnection .always: only a GET is sent again. Use .ifResumable() or .never"
            )
        }
        var request = request
        request.timeout = connection.heartbeatTimeout ?? request.timeout
        if !request.head.headers.contains(name: "Accept") {
            request.head.headers.add(.accept(connection.contentTypes.joined(separator: ", ")))
        }
        if !request.head.headers.contains(name: "Cache-Control") {
            request.head.headers.add(HTTPHeader(name: "Cache-Control", value: "no-store"))
        }
        // The program's own `Last-Event-ID` is sent until the stream sets an ID.
        if connection.hasSetID { request.head.headers.remove("Last-Event-ID") }
        if let id = connection.lastEventID, HTTPSyntax.isFieldValue(id) {
            request.head.headers.update(HTTPHeader(name: "Last-Event-ID", value: id))
        }
        return request
    }

    func refusal(ofType head: HTTPResponseHead) -> AsyncNetError? {
        state.withLock { $0.connection?.refusal(ofType: head) }
    }

    func receive(_ body: inout ResponseBody) async throws {
        head.fulfil(.success(body.head))
        body.rest()
        switch try await form.value() {
        case .chunks: try await handOver(&body)
        case .events: try await handOverEvents(&body)
        }
    }

    private func handOver(_ body: inout ResponseBody) async throws {
        while let chunk = try await body.next() {
            guard await !chunks.offer(chunk), !state.withLock({ $0.dropsRest }) else { continue }
            throw Self.left
        }
    }

    private func handOverEvents(_ body: inout ResponseBody) async throws {
        let head = body.head
        let hasEvents = try state.withLock { state throws(AsyncNetError) in
            guard try state.connection?.open(head) == true else {
                state.connection = nil
                return false
            }
            return true
        }
        while hasEvents, let chunk = try await body.next() {
            let (before, found) = try state.withLock { state throws(AsyncNetError) in
                (state.connection?.place, try state.connection?.receive(chunk) ?? [])
            }
            guard !found.isEmpty else { continue }
            if await events.offer(found) {
                try state.withLock { state throws(AsyncNetError) in
                    state.hasDelivered = true
                    try state.connection?.checkLength()
                }
                continue
            }
            // The attempt ended before the reader took these events: the next attempt must request them again.
            if let before { state.withLock { $0.connection?.goBack(to: before) } }
            throw Self.left
        }
        try state.withLock { state throws(AsyncNetError) in
            if state.method == .get { try state.connection?.checkLimit() }
        }
    }

    private static var left: AsyncNetError { AsyncNetError(.cancelled, "The reader stopped before the stream ended") }

    // MARK: Ends

    /// Only events can be continued: another response would repeat what the reader has taken of any other body.
    func reconnection(after error: AsyncNetError?, head: HTTPResponseHead?) -> EventConnection.Reconnection? {
        state.withLock { state in
            guard state.method == .get else { return nil }
            return state.connection?.end(error, head, now: Date(), jitter: .random(in: 0...1))
        }
    }

    var failedAttempts: Int? { state.withLock { $0.method == .get ? $0.connection?.failedAttempts : nil } }

    /// Once the reader has taken an event, another response must be able to continue the events. `false` after a later
    /// response without an error: if it is no event stream, the stream throws an error about which retriers decide.
    func canBeSentAgain(after error: AsyncNetError?) -> Bool {
        guard head.isFulfilled else { return true }
        return error != nil
            && state.withLock { state in
                guard let connection = state.connection else { return false }
                return !state.hasDelivered || state.method == .get && connection.canBeContinued
            }
    }

    /// The body of a stream may have no end.
    var isOpenEnded: Bool { true }

    func requestEnded(_ error: AsyncNetError?) {
        let end: Result<Void, AsyncNetError> = error.map { .failure($0) } ?? .success(())
        head.fulfil(.failure(error ?? AsyncNetError(.badServerResponse)))
        chunks.finish(end)
        events.finish(end)
    }
}
