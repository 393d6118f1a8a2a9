import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLSessionExchange: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        noteCallback()
        receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        noteCallback()
        if pipe.receive(data) == .pause { setPaused(true) }
        reportReceivedBody(data.count)
        let piece = pieces.add(1, ordering: .relaxed).newValue
        if piece % URLSessionLimits.piecesBetweenRests == 0 { URLSessionLimits.rest() }
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

    /// The session follows redirects: `nil` makes URLSession deliver the 3xx response and its body.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard !state.withLock({ $0.isCancelled }) else { return }
        completionHandler(nil)
    }

    /// On Linux this is called after the 401 and its whole body have been delivered, and without a call of the
    /// completion handler the task never ends. Refusing the challenge cancels the task, which must not happen on this
    /// queue; its error finds the pipe ended.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            pipe.finish(.success(()))
            Self.control.async { SocketQueues.suspended { completionHandler(.cancelAuthenticationChallenge, nil) } }
        #else
            let answer = answer(to: challenge.protectionSpace)
            completionHandler(answer.disposition, answer.credential)
        #endif
    }

    /// Called when a kept connection has ended before a byte of the response, and libcurl is about to send the request
    /// on another kept connection, which may be closed too. Not every request may be sent twice, so the other
    /// connection is reset; `resend()` sends the request if it is idempotent.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            state.withLock { $0.isRefused = true }
            if !mayBeShared(task) { FoundationInternals.transfer(of: task)?.resetConnection() }
            completionHandler(body.makeFailingStream())
        #else
            state.withLock { $0.sentBytes = 0 }
            completionHandler(body.makeStream(onFailure: bodyFailed))
        #endif
    }

    #if canImport(FoundationNetworking)
        /// Whether other transfers may use the connection too: over HTTP/2, which FoundationNetworking has with TLS
        /// only.
        private func mayBeShared(_ task: URLSessionTask) -> Bool {
            request.head.url.scheme?.lowercased() != "http"
                && FoundationInternals.transfer(of: task)?.reply?.isConnectionNew != true
        }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // A task that `resend` has replaced does not end the exchange.
        guard state.withLock({ $0.task === task }) else { return }
        guard let error else { return succeed(task) }
        if maySendAgain(task, error) { return resend() }
        let (isRefused, failure) = state.withLock { ($0.isRefused, $0.trustFailure ?? $0.bodyFailure) }
        if !isRefused, failure == nil { receiveWithheld(task) }
        pipe.finish(.failure(isRefused ? Self.lost : failure ?? URLErrorClassification.error(for: error)))
        end()
    }

    private func succeed(_ task: URLSessionTask) {
        if !pipe.hasHead, let response = task.response { receive(response) }
        pipe.finish(.success(()))
        end()
    }

    private static var lost: AsyncNetError {
        AsyncNetError(
            .connectionLost,
            "The server closed a kept connection without a response; it may have processed the request, which is not "
                + "sent again since its method is not idempotent")
    }

    /// Whether the request may be sent again: once, if it is idempotent (RFC 9110 §9.2.2), its connection was reused,
    /// and no byte of a response has arrived.
    private func maySendAgain(_ task: URLSessionTask, _ error: any Error) -> Bool {
        #if canImport(FoundationNetworking)
            let (isRefused, isFirst) = state.withLock { ($0.isRefused, $0.ownSession == nil && $0.bodyFailure == nil) }
            guard request.head.isIdempotent, isFirst, !pipe.isEnded, !pipe.hasHead else { return false }
            guard !isRefused else { return true }
            return URLErrorClassification.isConnectionFailure(error)
                && FoundationInternals.transfer(of: task)?.reply?.isMissingOnKeptConnection == true
        #else
            false
        #endif
    }

    /// Delivers the head of a redirect whose body has failed. FoundationNetworking delivers such a head only after the
    /// whole body.
    private func receiveWithheld(_ task: URLSessionTask) {
        guard withholdsHead(task), let reply = FoundationInternals.transfer(of: task)?.reply else { return }
        guard let head = reply.head(of: request.head.url), 300..<400 ~= head.statusCode else { return }
        receive(head)
    }

    /// Whether FoundationNetworking has a complete head that it has not delivered: it sets the body's length at the end
    /// of each head.
    private func withholdsHead(_ task: URLSessionTask) -> Bool {
        !pipe.hasHead && !pipe.isEnded && task.countOfBytesExpectedToReceive != 0
    }

    /// Stores the task's transfer. Must be called on FoundationNetworking's thread before the server has sent anything:
    /// the server may keep the thread busy for minutes.
    func noteTransfer() {
        guard let task = state.withLock({ $0.task }) else { return }
        let transfer = FoundationInternals.transfer(of: task)
        state.withLock { if !$0.isOver { $0.transfer = transfer } }
    }

    /// Has the transfer keep the content codings of its body: FoundationNetworking's libcurl would refuse a response with
    /// an unknown one, deliver a body that is cut as if it were whole, and decode what is to stay as it was sent. Must be
    /// called as ``noteTransfer()`` is.
    func keepContentCodings() {
        let isKept = state.withLock { $0.transfer }?.keepContentCodings() == true
        state.withLock { $0.keepsContentCodings = isKept }
    }

    /// Has libcurl run a transfer that may have lost its socket's events. Must be called on
    /// FoundationNetworking's thread, ten times a second.
    func runIfQuiet() {
        let received = Int64(pieces.load(ordering: .relaxed)) + (pipe.hasHead ? 1 : 0)
        let transfer = state.withLock { $0.quiet.check($0.sentBytes + received) ? $0.transfer : nil }
        transfer?.run()
    }

    /// Delivers the head of a redirect whose body is still arriving. Must be called on FoundationNetworking's thread.
    func deliverWithheldHead() {
        let (known, isNoted) = state.withLock { ($0.task, $0.transfer != nil) }
        if !isNoted { noteTransfer() }
        guard let task = known, withholdsHead(task) else { return }
        guard let response = FoundationInternals.response(of: task), 300..<400 ~= response.statusCode else { return }
        noteCallback()
        receive(response)
    }

    /// Receives a head, once. FoundationNetworking delivers 1xx responses as if they were final, and the head of a
    /// redirect after its body, when `deliverWithheldHead` may have delivered it already.
    private func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse, !pipe.hasHead else { return }
        let head = HTTPResponseHead(response, url: request.head.url)
        if 100..<200 ~= head.statusCode, head.statusCode != 101 {
            request.onEvent?(.informational(head))
        } else {
            receive(head)
        }
    }

    private func receive(_ head: HTTPResponseHead) {
        do throws(AsyncNetError) {
            try head.checkLength(answering: request.head.method)
        } catch {
            return pipe.abort(error)
        }
        let isCoded = state.withLock { state in
            state.head = head
            return state.keepsContentCodings
        }
        if isCoded, head.value(for: "Content-Encoding") != nil { pipe.expectEncodedBody() }
        if request.delivery == .whole { request.onEvent?(.receivedHead(head)) }
        pipe.receive(head)
    }

    private func reportReceivedBody(_ count: Int) {
        guard request.delivery == .whole, let onEvent = request.onEvent, pipe.delivery == .whole else { return }
        let (bytes, head) = state.withLock { state in
            state.receivedBytes += Int64(count)
            return (state.receivedBytes, state.head)
        }
        if let head { onEvent(.receivedBody(bytes: bytes, head)) }
    }
}
