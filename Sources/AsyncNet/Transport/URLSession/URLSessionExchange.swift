import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One transfer over URLSession, and the delegate of its tasks, whose callbacks fill the pipe. A request that is sent
/// again, on a new connection, has a second task.
///
/// Callbacks are called in order, on Linux on FoundationNetworking's single queue. They must not create, cancel or wait
/// for a task, which would wait for the same queue: they move values into the pipe, and cancels run on `control`. A
/// late or second callback finds the pipe ended and is dropped.
final class URLSessionExchange: NSObject, Sendable {
    let pipe: TransferPipe
    let request: TransportRequest
    let body: URLSessionBody
    /// The settings for the request's host.
    let tls: TLSConfiguration
    let state = Locked(State())
    /// How often URLSession has called the callback for received data.
    let pieces = Atomic(0)
    private let makeSession: @Sendable () -> URLSession
    private let onEnd: @Sendable () -> Void

    struct State {
        var task: URLSessionTask?
        /// FoundationNetworking's transfer of the task; `nil` before that begins.
        var transfer: FoundationTransfer?
        /// Whether the body comes with its content codings: on Linux, unless the task's transfer was not found.
        var keepsContentCodings = false
        var quiet = QuietTransfer()
        /// A session for this request only, so that the request has a new connection.
        var ownSession: URLSession?
        var isCancelled = false
        var isOver = false
        var sentBytes: Int64 = 0
        /// The error that prevented the body from being read to its end.
        var bodyFailure: AsyncNetError?
        /// Why the server is not trusted.
        var trustFailure: AsyncNetError?
        /// Whether a callback prevented libcurl from sending the request again.
        var isRefused = false
        var receivedBytes: Int64 = 0
        var head: HTTPResponseHead?
    }

    /// The queue on which all tasks of the process are made, started and cancelled, in order. Each of these calls
    /// blocks while FoundationNetworking's queue is busy, and must not block a thread of Swift's pool.
    static let control = DispatchQueue(label: "AsyncNet.URLSession.control", qos: .userInitiated)

    /// The exchange whose callback was called last. If a server keeps FoundationNetworking's thread busy, it is most
    /// likely the server of this exchange.
    private static let latest = Locked<ObjectIdentifier?>(nil)

    /// The queue that checks cancelled exchanges later; `control` may be waiting for FoundationNetworking's thread.
    private static let watchdog = DispatchQueue(label: "AsyncNet.URLSession.watchdog", qos: .userInitiated)

    /// - Parameters:
    ///   - makeSession: Makes a session whose connections no other request uses.
    ///   - onEnd: Called once, when URLSession has ended the last task of the request.
    init(
        _ request: TransportRequest, _ body: URLSessionBody, _ spill: SpillFile.Settings?, _ tls: TLSConfiguration,
        makeSession: @escaping @Sendable () -> URLSession, onEnd: @escaping @Sendable () -> Void
    ) {
        self.request = request
        self.body = body
        self.tls = tls
        pipe = TransferPipe(request.delivery, limit: request.maximumBodySize, spill: spill, isUrgent: request.isUrgent)
        self.makeSession = makeSession
        self.onEnd = onEnd
    }

    /// Makes and starts the task, unless the transfer has been aborted.
    func start(on session: URLSession) {
        Self.control.async { [self] in
            guard !pipe.isEnded else { return end() }
            startTask(on: needsOwnConnection ? ownSession() : session)
            pipe.connect(
                onAbort: { [weak self] in self?.cancel() },
                onDemand: { [weak self] in self?.setPaused(false) })
            URLSessionWatch.add(self)
        }
    }

    /// Whether FoundationNetworking must use a connection for this request only.
    ///
    /// Its libcurl sends a request again if the kept connection ends before a byte of the response. If the request has
    /// a body, libcurl calls back for a new body stream, which can prevent it. Without a body there is no callback, so a
    /// request that is not idempotent (RFC 9110 §9.2.2) is sent on a new connection. After `Connection: close` it would
    /// keep the connection.
    private var needsOwnConnection: Bool {
        guard !URLSessionLimits.canPause else { return false }
        return body.isEmpty && !request.head.isIdempotent || request.head.closesConnection
    }

    private func ownSession() -> URLSession {
        let session = makeSession()
        state.withLock { $0.ownSession = session }
        return session
    }

    /// `control` runs the resume and a cancel in order, so no cancel comes before the resume.
    private func startTask(on session: URLSession) {
        SocketQueues.suspended {
            let task = session.dataTask(with: URLSessionRequest.make(request, body, bodyFailed))
            task.delegate = self
            state.withLock { $0.task = task }
            task.resume()
            SocketQueues.afterStart(of: session) { [weak self] in
                self?.noteTransfer()
                self?.keepContentCodings()
            }
        }
    }

    /// Sends the request again, once, on a new connection.
    func resend() {
        request.onEvent?(.repeated)
        state.withLock { state in
            (state.isRefused, state.bodyFailure, state.sentBytes) = (false, nil, 0)
            (state.task, state.transfer, state.keepsContentCodings) = (nil, nil, false)
        }
        Self.control.async { [self] in
            guard !state.withLock({ $0.isCancelled }) else { return end() }
            startTask(on: ownSession())
            // A cancel may have happened before `state.task` was set.
            if state.withLock({ $0.isCancelled }) { cancel() }
        }
    }

    /// Cancels the task, from any thread. The flag is set first, so that the redirect callback does not call its
    /// completion handler any more.
    private func cancel() {
        let task = state.withLock { state -> URLSessionTask? in
            guard !state.isOver else { return nil }
            state.isCancelled = true
            return state.task
        }
        guard let task else { return }
        Self.control.async { SocketQueues.suspended { task.cancel() } }
        guard !URLSessionLimits.canPause else { return }
        Self.watchdog.asyncAfter(deadline: .now() + resetDelay) { [weak self] in self?.resetConnectionIfRunning() }
    }

    /// How long after a cancel the connection is reset. A TLS connection may be HTTP/2: a reset would end its other
    /// transfers.
    private var resetDelay: DispatchTimeInterval { isOnPlainHTTP ? .seconds(1) : .seconds(5) }
    private var isOnPlainHTTP: Bool { request.head.url.scheme?.lowercased() == "http" }

    /// Resets the connection of a cancelled task that has not ended.
    ///
    /// FoundationNetworking processes a cancel only between blocks of up to 100 reads from a socket, and a server can
    /// extend a block to minutes. A reset ends the reads. A TLS connection is reset for the latest exchange only.
    private func resetConnectionIfRunning() {
        guard isOnPlainHTTP || Self.latest.withLock({ $0 }) == ObjectIdentifier(self) else { return }
        state.withLock { $0.isOver ? nil : $0.transfer }?.resetConnection()
    }

    /// Makes this exchange the latest. Must be called by each callback that a server can cause.
    func noteCallback() { Self.latest.withLock { $0 = ObjectIdentifier(self) } }

    /// Whether the body is delivered with its content codings.
    var keepsContentCodings: Bool { state.withLock { $0.keepsContentCodings } }

    /// Whether URLSession has ended the last task of the request.
    var isOver: Bool { state.withLock { $0.isOver } }

    func end() {
        let (isFirst, session) = state.withLock { state in
            defer { (state.isOver, state.task, state.transfer, state.ownSession) = (true, nil, nil, nil) }
            return (!state.isOver, state.ownSession)
        }
        guard isFirst else { return }
        session?.retire()
        onEnd()
    }

    func setPaused(_ isPaused: Bool) {
        #if canImport(Darwin)
            let task = state.withLock { $0.task }
            if isPaused { task?.suspend() } else { task?.resume() }
            // The reader may have taken the bytes before the task was suspended.
            if isPaused, !pipe.isPaused { task?.resume() }
        #endif
        // On Linux a suspended task would begin again and deliver its bytes twice; the pipe writes to a file instead.
    }

    func bodyFailed(_ error: AsyncNetError) { state.withLock { $0.bodyFailure = error } }
}
