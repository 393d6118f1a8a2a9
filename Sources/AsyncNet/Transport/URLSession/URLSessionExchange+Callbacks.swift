import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLSessionExchange: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        receive(data)
        reportReceivedBody(data.count)
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

    /// On Linux this is called after the 401 and its whole body, and without the completion handler the task never
    /// ends. Refusing the challenge cancels the task, which must not happen on this queue. When the task's error
    /// arrives, the pipe has ended.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            backlog.finish(.success(()))
            Self.control.async { completionHandler(.cancelAuthenticationChallenge, nil) }
        #else
            let answer = answer(to: challenge.protectionSpace)
            completionHandler(answer.disposition, answer.credential)
        #endif
    }

    /// Called when a kept connection has ended before a response, and URLSession is about to send the request again.
    /// Only an idempotent request may be sent again (RFC 9110 §9.2.2): the stream of any other one fails at its first
    /// read, which ends the task.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            guard request.head.isIdempotent else {
                state.withLock { $0.isRefused = true }
                return completionHandler(URLSessionBody.failingStream())
            }
            request.onEvent?(.repeated)
        #endif
        state.withLock { $0.sentBytes = 0 }
        completionHandler(body.makeStream(onFailure: bodyFailed))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let error else { return succeed(task) }
        let (isRefused, failure) = state.withLock { ($0.isRefused, $0.trustFailure ?? $0.bodyFailure) }
        backlog.finish(.failure(isRefused ? .possiblyProcessed : failure ?? URLErrorClassification.error(for: error)))
        end()
    }

    private func succeed(_ task: URLSessionTask) {
        if !pipe.hasHead, let response = task.response { receive(response) }
        backlog.finish(.success(()))
        end()
    }

    /// Receives a head, once. FoundationNetworking delivers 1xx responses as if they were final.
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
        state.withLock { $0.head = head }
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
