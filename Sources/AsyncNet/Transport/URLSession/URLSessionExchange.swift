import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request over URLSession and the pipe that the callbacks of its tasks fill. It is the tasks' own delegate. There
/// is a second task if the request is sent again, on a connection of its own.
///
/// Callbacks arrive one after the other, on Linux inside FoundationNetworking's one queue. There, nothing may create,
/// cancel or wait for a task (it would wait for the queue it is on); what is done here is to move a value into the pipe
/// and to hand cancels to `control`, a queue of our own. A late or second callback finds the pipe ended and is dropped.
final class URLSessionExchange: NSObject, Sendable {
    let pipe: TransferPipe
    let request: TransportRequest
    let body: URLSessionBody
    let state = Locked(State())
    /// How often data came.
    let pieces = Atomic(0)
    private let makeSession: @Sendable () -> URLSession
    private let onEnd: @Sendable () -> Void

    struct State {
        var task: URLSessionTask?
        /// The task's, as soon as it has one.
        var transfer: FoundationTransfer?
        /// Has one connection, for this request only.
        var ownSession: URLSession?
        var isCancelled = false
        var isOver = false
        var sentBytes: Int64 = 0
        /// Why the body could not be read to its end.
        var bodyFailure: AsyncNetError?
        /// libcurl wanted to send the request again, and was kept from it.
        var isRefused = false
        var receivedBytes: Int64 = 0
        var head: HTTPResponseHead?
    }

    /// All tasks of the process are made, started and cancelled here, in order: each of these blocks for as long as
    /// FoundationNetworking's queue is busy, and Swift's own threads, of which there are few, must not.
    static let control = DispatchQueue(label: "AsyncNet.URLSession.control", qos: .userInitiated)

    /// The exchange whose callback ran last: if a server keeps FoundationNetworking's thread busy, most likely it is that
    /// exchange's server.
    private static let latest = Locked<ObjectIdentifier?>(nil)

    /// Cancelled exchanges are looked at again here, since `control` waits for FoundationNetworking's thread.
    private static let watchdog = DispatchQueue(label: "AsyncNet.URLSession.watchdog", qos: .userInitiated)

    /// - Parameters:
    ///   - makeSession: Makes a session whose connections no other request uses.
    ///   - onEnd: Runs once, when URLSession is done with the request for good.
    init(
        _ request: TransportRequest, _ body: URLSessionBody, _ spill: SpillFile.Settings?,
        makeSession: @escaping @Sendable () -> URLSession, onEnd: @escaping @Sendable () -> Void
    ) {
        self.request = request
        self.body = body
        pipe = TransferPipe(request.delivery, limit: request.maximumBodySize, spill: spill, isUrgent: request.isUrgent)
        self.makeSession = makeSession
        self.onEnd = onEnd
    }

    /// Makes and starts the task; if the reader is gone by then there is none to make.
    func start(on session: URLSession) {
        Self.control.async { [self] in
            guard !pipe.isEnded else { return end() }
            startTask(on: isRepeatedUnasked ? ownSession() : session)
            pipe.connect(
                onAbort: { [weak self] in self?.cancel() },
                onDemand: { [weak self] in self?.setPaused(false) })
            URLSessionWatch.add(self)
        }
    }

    /// FoundationNetworking's libcurl sends a request again whose kept connection ends before a byte of the response.
    /// It asks for a body again, which is when it can be prevented; without a body nothing is asked for, and a request
    /// that is not idempotent (RFC 9110 §9.2.2) needs a connection of its own.
    private var isRepeatedUnasked: Bool {
        !URLSessionLimits.canPause && body.isEmpty && !request.head.isIdempotent
    }

    private func ownSession() -> URLSession {
        let session = makeSession()
        state.withLock { $0.ownSession = session }
        return session
    }

    /// An abort before or after ends the task; one before it is resumed never overtakes the resume.
    private func startTask(on session: URLSession) {
        SocketQueues.held {
            let task = session.dataTask(with: URLSessionRequest.make(request, body, bodyFailed))
            task.delegate = self
            state.withLock { $0.task = task }
            task.resume()
            SocketQueues.afterStart(of: session) { [weak self] in self?.noteTransfer() }
        }
    }

    /// Sends the request again, once, on a new connection.
    func resend() {
        request.onEvent?(.repeated)
        state.withLock { state in
            (state.isRefused, state.bodyFailure, state.sentBytes) = (false, nil, 0)
            (state.task, state.transfer) = (nil, nil)
        }
        Self.control.async { [self] in
            guard !state.withLock({ $0.isCancelled }) else { return end() }
            startTask(on: ownSession())
            // A cancel that came before the task was known.
            if state.withLock({ $0.isCancelled }) { cancel() }
        }
    }

    /// From any thread. The flag is set first, so that the callback for a redirect is not answered any more.
    private func cancel() {
        let task = state.withLock { state -> URLSessionTask? in
            guard !state.isOver else { return nil }
            state.isCancelled = true
            return state.task
        }
        guard let task else { return }
        Self.control.async { SocketQueues.held { task.cancel() } }
        guard !URLSessionLimits.canPause else { return }
        Self.watchdog.asyncAfter(deadline: .now() + patience) { [weak self] in self?.resetConnectionIfRunning() }
    }

    /// How long after a cancel the connection is reset. Over TLS it may be a connection of HTTP/2, whose other requests
    /// would end too.
    private var patience: DispatchTimeInterval { isOnPlainHTTP ? .seconds(1) : .seconds(5) }
    private var isOnPlainHTTP: Bool { request.head.url.scheme?.lowercased() == "http" }

    /// Resets the connection of a cancelled task that has not ended. FoundationNetworking takes a cancel only between
    /// pieces of up to 100 reads from a socket, and a server can make one piece last for minutes; without the connection
    /// there is nothing to read. A connection with TLS is reset for the latest exchange only.
    private func resetConnectionIfRunning() {
        guard isOnPlainHTTP || Self.latest.withLock({ $0 }) == ObjectIdentifier(self) else { return }
        state.withLock { $0.isOver ? nil : $0.transfer }?.resetConnection()
    }

    /// To be called by callbacks that a server causes.
    func noteCallback() { Self.latest.withLock { $0 = ObjectIdentifier(self) } }

    /// URLSession is done with the request.
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
            // The reader may have made room between the pipe's answer and the suspend.
            if isPaused, !pipe.isPaused { task?.resume() }
        #endif
        // On Linux a suspended task would start over and send its bytes twice: the pipe has a file instead.
    }

    func bodyFailed(_ error: AsyncNetError) { state.withLock { $0.bodyFailure = error } }
}
