import Foundation
import Synchronization
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One URLSession task and the pipe that its callbacks fill. It is the task's own delegate.
///
/// Callbacks arrive one after the other, on Linux inside FoundationNetworking's one queue. There, nothing may create,
/// cancel or wait for a task (it would wait for the queue it is on); what is done here is to move a value into the pipe
/// and to hand cancels to `control`, a queue of our own. A late or second callback finds the pipe ended and is dropped.
final class URLSessionExchange: NSObject, URLSessionDataDelegate, Sendable {
    let pipe: TransferPipe
    private let request: TransportRequest
    private let body: URLSessionBody
    private let onEnd: @Sendable () -> Void
    private let state = Locked(State())
    /// How often data came.
    private let pieces = Atomic(0)

    private struct State {
        var task: URLSessionTask?
        var isCancelled = false
        var isOver = false
        var sentBytes: Int64 = 0
        /// Why the body could not be read to its end.
        var bodyFailure: AsyncNetError?
        var receivedBytes: Int64 = 0
        var head: HTTPResponseHead?
    }

    /// All tasks of the process are made, started and cancelled here, in order: each of these blocks for as long as
    /// FoundationNetworking's queue is busy, and Swift's own threads, of which there are few, must not.
    private static let control = DispatchQueue(label: "AsyncNet.URLSession.control", qos: .userInitiated)

    /// - Parameter onEnd: Runs once, when URLSession is done with the task for good.
    init(_ request: TransportRequest, _ body: URLSessionBody, _ spill: Spill.Settings?, onEnd: @escaping @Sendable () -> Void) {
        self.request = request
        self.body = body
        pipe = TransferPipe(request.delivery, limit: request.maximumBodySize, spill: spill, isUrgent: request.isUrgent)
        self.onEnd = onEnd
    }

    /// Makes and starts the task; if the reader is gone by then there is none to make.
    func start(on session: URLSession) {
        Self.control.async { [self] in
            guard !pipe.isEnded else { return onEnd() }
            start(session.dataTask(with: URLSessionRequest.make(request, body, bodyFailed)))
        }
    }

    /// An abort before or after ends the task; one before it is resumed never overtakes the resume.
    private func start(_ task: URLSessionTask) {
        task.delegate = self
        state.withLock { $0.task = task }
        task.resume()
        pipe.connect(
            onAbort: { [weak self] in self?.cancel() },
            onDemand: { [weak self] in self?.setPaused(false) })
    }

    /// From any thread but FoundationNetworking's. The flag is set first, so a redirect that is being asked about stays unanswered.
    private func cancel() {
        let task = state.withLock { state -> URLSessionTask? in
            guard !state.isOver else { return nil }
            state.isCancelled = true
            return state.task
        }
        guard let task else { return }
        Self.control.async { task.cancel() }
    }

    private func setPaused(_ isPaused: Bool) {
        #if canImport(Darwin)
        let task = state.withLock { $0.task }
        if isPaused { task?.suspend() } else { task?.resume() }
        // The reader may have made room between the pipe's answer and the suspend.
        if isPaused, !pipe.isPaused { task?.resume() }
        #endif
        // On Linux a suspended task would start over and send its bytes twice: the pipe has a file instead.
    }

    // MARK: URLSession's callbacks

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if pipe.receive(data) == .pause { setPaused(true) }
        tellOfGathering(data.count)
        if pieces.add(1, ordering: .relaxed).newValue % URLSessionLimits.piecesBetweenRests == 0 { URLSessionLimits.rest() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        let sent = state.withLock { state in
            state.sentBytes += bytesSent
            return state.sentBytes
        }
        request.onEvent?(.sentBody(bytes: sent, total: body.length))
    }

    /// Redirects are followed above the transport: `nil` delivers the 3xx response and its body.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard !state.withLock({ $0.isCancelled }) else { return }
        completionHandler(nil)
    }

    /// On Linux this comes after the 401 and its whole body have been delivered, and unanswered the task never ends.
    /// Refusing cancels it, which must not happen here (see above); its error finds the pipe closed.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        pipe.finish(.success(()))
        Self.control.async { completionHandler(.cancelAuthenticationChallenge, nil) }
        #else
        let method = challenge.protectionSpace.authenticationMethod
        let isForTransport = method == NSURLAuthenticationMethodServerTrust || method == NSURLAuthenticationMethodClientCertificate
        completionHandler(isForTransport ? .performDefaultHandling : .rejectProtectionSpace, nil)
        #endif
    }

    /// Asked when a connection that was kept alive turns out dead: without an answer the body would be sent empty.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        state.withLock { $0.sentBytes = 0 }
        completionHandler(body.makeStream(onFailure: bodyFailed))
    }

    private func bodyFailed(_ error: AsyncNetError) { state.withLock { $0.bodyFailure = error } }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (isFirst, bodyFailure) = state.withLock { state in
            defer { (state.isOver, state.task) = (true, nil) }
            return (!state.isOver, state.bodyFailure)
        }
        guard isFirst else { return }
        if let bodyFailure {
            pipe.finish(.failure(bodyFailure))
        } else if let error {
            pipe.finish(.failure(URLErrorClassification.error(for: error)))
        } else {
            if !pipe.hasHead, let response = task.response { receive(response) }
            pipe.finish(.success(()))
        }
        onEnd()
    }

    /// FoundationNetworking reports 1xx responses as if they were final ones.
    private func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        let head = HTTPResponseHead(response, url: request.head.url)
        if 100..<200 ~= head.statusCode, head.statusCode != 101 {
            request.onEvent?(.informational(head))
        } else {
            do throws(AsyncNetError) { try head.checkLength(answering: request.head.method) } catch { return pipe.abort(error) }
            state.withLock { $0.head = head }
            if request.delivery == .whole { request.onEvent?(.receivedHead(head)) }
            pipe.receive(head)
        }
    }

    private func tellOfGathering(_ count: Int) {
        guard request.delivery == .whole, let onEvent = request.onEvent, pipe.delivery == .whole else { return }
        let (bytes, head) = state.withLock { state in
            state.receivedBytes += Int64(count)
            return (state.receivedBytes, state.head)
        }
        if let head { onEvent(.receivedBody(bytes: bytes, head)) }
    }
}
