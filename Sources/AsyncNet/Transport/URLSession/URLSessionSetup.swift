import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

enum URLSessionLimits {
    #if canImport(FoundationNetworking)
        static let connectionsPerOrigin = 128
        static let transfers = 128
        static let description = "URLSession (FoundationNetworking)"
    #else
        static let connectionsPerOrigin = 6
        static let transfers = Int.max
        static let description = "URLSession"
    #endif
}

extension URLSessionTransport.Configuration {
    func refuseBackground() throws(AsyncNetError) {
        guard urlSession?.identifier != nil else { return }
        throw AsyncNetError(
            .invalidConfiguration,
            "A background URLSessionConfiguration cannot be used: its transfers outlive the process that awaits them")
    }
}

extension URLSession {
    private static let retirement = DispatchQueue(label: "AsyncNet.URLSession.retirement")

    /// A session without cookies, cache, credentials and timeouts, which AsyncNet's session handles.
    /// FoundationNetworking's timeouts have whole seconds, and trap if they end during the callback for a redirect.
    static func forTransport(_ limits: URLSessionTransport.Configuration, _ tls: TLSConfiguration) -> URLSession {
        let configuration = limits.urlSession?.copy() as? URLSessionConfiguration ?? .ephemeral
        configuration.require(tls.minimumVersion)
        configuration.httpMaximumConnectionsPerHost = limits.maximumConnectionsPerOrigin
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = 1e9
        configuration.timeoutIntervalForResource = 1e9
        return URLSession(
            configuration: configuration, delegate: URLSessionBridge(), delegateQueue: InlineQueue.make())
    }

    private static let kept = Locked<[URLSession]>([])

    /// Invalidates the session, whose tasks must have ended, on a queue of AsyncNet: on FoundationNetworking's queue,
    /// where a transport may be released, this call would deadlock. On Linux a session that has had TLS connections is
    /// kept to the end of the process: with libcurl 8, its release would end the process.
    func retire(hasUsedTLS: Bool) {
        #if canImport(FoundationNetworking)
            guard !hasUsedTLS else { return Self.kept.withLock { $0.append(self) } }
        #endif
        Self.retirement.async { self.finishTasksAndInvalidate() }
    }

    /// Waits until the sessions that were retired before are invalidated, after which a program may exit.
    static func waitForRetired() async {
        await withCheckedContinuation { continuation in retirement.async { continuation.resume() } }
    }
}

/// The delegate of all sessions, which forwards callbacks to the task's delegate, the exchange: FoundationNetworking
/// itself calls the exchange only for redirects, challenges and body streams.
private final class URLSessionBridge: NSObject, URLSessionDataDelegate, Sendable {
    #if canImport(FoundationNetworking)
        private func exchange(_ task: URLSessionTask) -> URLSessionExchange? { task.delegate as? URLSessionExchange }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            exchange(dataTask)?.urlSession(
                session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            exchange(dataTask)?.urlSession(session, dataTask: dataTask, didReceive: data)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            exchange(task)?.urlSession(
                session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
                totalBytesExpectedToSend: totalBytesExpectedToSend)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            exchange(task)?.urlSession(session, task: task, didCompleteWithError: error)
        }
    #endif
}

/// An operation queue that runs each callback in `addOperation(_:)`, the only function that FoundationNetworking calls.
///
/// The callbacks keep their order, and each costs 0.3 µs instead of 3.5 µs. Unchecked as OperationQueue is; there is no
/// stored state.
final class InlineQueue: OperationQueue, @unchecked Sendable {
    static func make() -> OperationQueue {
        #if canImport(FoundationNetworking)
            return InlineQueue()
        #else
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            return queue
        #endif
    }

    #if canImport(FoundationNetworking)
        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    #endif
}
