import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One transfer over URLSession, and the delegate of its task, whose callbacks fill the pipe.
///
/// Callbacks are called in order, on Linux on FoundationNetworking's single queue. A callback must not create, cancel
/// or wait for a task, which would wait for that queue: cancels run on `control`. A late callback finds the pipe ended
/// and is dropped.
final class URLSessionExchange: NSObject, Sendable {
    let pipe: TransferPipe
    let backlog: URLSessionBacklog
    let request: TransportRequest
    let body: URLSessionBody
    let tls: TLSConfiguration
    let state = Locked(State())
    private let onEnd: @Sendable () -> Void

    struct State {
        var task: URLSessionTask?
        var isCancelled = false
        var isOver = false
        var sentBytes: Int64 = 0
        var bodyFailure: AsyncNetError?
        var trustFailure: AsyncNetError?
        /// Whether a callback prevented URLSession from sending the request again.
        var isRefused = false
        var receivedBytes: Int64 = 0
        var head: HTTPResponseHead?
    }

    /// Where all tasks of the process are made, started and cancelled, in order: each of these calls blocks while
    /// FoundationNetworking's queue is busy.
    static let control = DispatchQueue(label: "AsyncNet.URLSession.control", qos: .userInitiated)

    /// - Parameter onEnd: Called once, when URLSession has ended the task.
    init(
        _ request: TransportRequest, _ body: URLSessionBody, _ configuration: URLSessionTransport.Configuration,
        _ tls: TLSConfiguration, onEnd: @escaping @Sendable () -> Void
    ) {
        self.request = request
        self.body = body
        self.tls = tls
        pipe = TransferPipe(request.delivery, limit: request.maximumBodySize, isUrgent: request.isUrgent)
        backlog = URLSessionBacklog(
            pipe, in: configuration.temporaryFolder, limit: configuration.maximumBufferedBytes,
            bodyLimit: request.maximumBodySize)
        self.onEnd = onEnd
    }

    /// Makes and starts the task, unless the transfer has been aborted. This and a cancel run on `control`, one after
    /// the other.
    func start(on session: URLSession) {
        Self.control.async { [self] in
            guard !pipe.isEnded else { return end() }
            let task = session.dataTask(with: URLSessionRequest.make(request, body, bodyFailed))
            task.delegate = self
            state.withLock { $0.task = task }
            pipe.connect(
                onAbort: { [weak self] in self?.cancel() },
                onDemand: { [weak self, backlog] in
                    backlog.goOn()
                    self?.setPaused(false)
                })
            task.resume()
        }
    }

    /// Cancels the task, from any thread. The flag is set first, so that the redirect callback calls no completion
    /// handler.
    private func cancel() {
        let task = state.withLock { state -> URLSessionTask? in
            guard !state.isOver else { return nil }
            state.isCancelled = true
            return state.task
        }
        guard let task else { return }
        Self.control.async { task.cancel() }
    }

    func end() {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            state.task = nil
            return !state.isOver
        }
        if isFirst { onEnd() }
    }

    #if canImport(FoundationNetworking)
        func receive(_ data: Data) { backlog.receive(data) }

        /// Does nothing: when it is resumed, FoundationNetworking's task begins again and delivers its bytes twice.
        private func setPaused(_ isPaused: Bool) {}
    #else
        func receive(_ data: Data) { if pipe.receive(data) == .pause { setPaused(true) } }

        private func setPaused(_ isPaused: Bool) {
            let task = state.withLock { $0.task }
            if isPaused { task?.suspend() } else { task?.resume() }
            // The reader may have taken the bytes before the task was suspended.
            if isPaused, !pipe.isPaused { task?.resume() }
        }
    #endif

    func bodyFailed(_ error: AsyncNetError) { state.withLock { $0.bodyFailure = error } }
}
