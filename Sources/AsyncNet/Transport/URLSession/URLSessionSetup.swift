import CAsyncNetPlatform
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The limits of URLSession on this platform.
enum URLSessionLimits {
    #if canImport(FoundationNetworking)
        static let connectionsPerHost = 128
        static let transfers = 128
        static let description = "URLSession (FoundationNetworking)"
        static let canPause = false
    #else
        static let connectionsPerHost = 6
        static let transfers = Int.max
        static let description = "URLSession"
        static let canPause = true
    #endif

    /// 128 MiB in FoundationNetworking's chunks of 16 KiB.
    static let piecesBetweenRests = 8192

    /// Suspends the queue of the calling callback for 5 ms.
    ///
    /// While a socket always has data, FoundationNetworking's socket queue keeps the thread that all its queues share.
    /// No other session of the process and no cancel runs, nor the timers that it makes for each chunk, which stay in
    /// memory: 330 bytes each, 86 MB for 4 GiB. All of them run during the pause; bytes that arrive meanwhile stay in
    /// the socket.
    ///
    /// - Returns: `false` if the caller is not on that queue; then no queue is suspended.
    @discardableResult static func rest(_ queue: String = "MultiHandle.isolation") -> Bool {
        #if canImport(FoundationNetworking)
            cp_rest_queue(queue, 5_000_000) != 0
        #else
            false
        #endif
    }
}

extension URLSessionTransport.Configuration {
    /// The caller's settings, or those of `.ephemeral`.
    fileprivate var copiedSettings: URLSessionConfiguration {
        urlSession?.copy() as? URLSessionConfiguration ?? .ephemeral
    }

    /// - Throws: `.invalidConfiguration`.
    func refuseBackground() throws(AsyncNetError) {
        guard urlSession?.identifier != nil else { return }
        throw AsyncNetError(
            .invalidConfiguration,
            "A background URLSessionConfiguration cannot be used: its transfers outlive the process that awaits them")
    }
}

extension URLSession {
    private static let retirement = DispatchQueue(label: "AsyncNet.URLSession.retirement")

    /// A session without cookies, cache, credentials and timeouts: AsyncNet's session handles these.
    ///
    /// FoundationNetworking's timeouts have whole seconds, include the wait for a connection, and trap if they end
    /// during the callback for a redirect.
    static func forTransport(_ limits: URLSessionTransport.Configuration, _ tls: TLSConfiguration) -> URLSession {
        let configuration = limits.copiedSettings
        configuration.require(tls.minimumVersion)
        configuration.httpMaximumConnectionsPerHost = limits.maximumConnectionsPerHost
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = 1e9
        configuration.timeoutIntervalForResource = 1e9
        let session = URLSession(
            configuration: configuration, delegate: URLSessionBridge(), delegateQueue: InlineQueue.make())
        SocketQueues.add(session)
        return session
    }

    /// Invalidates the session, whose tasks must have ended, on a queue of AsyncNet: the last reference to a transport
    /// may be released on FoundationNetworking's queue, where this call would deadlock.
    func retire() {
        Self.retirement.async { SocketQueues.retire(self) }
    }

    /// Waits until the sessions that were retired before are invalidated, after which a program may exit.
    static func waitForRetired() async {
        await withCheckedContinuation { continuation in retirement.async { continuation.resume() } }
    }
}

/// The delegate of all sessions, which forwards callbacks to the task's delegate, the exchange.
///
/// Apple's URLSession calls the task's delegate itself. FoundationNetworking does so for redirects, challenges and body
/// streams only.
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
/// This keeps the order and costs 0.3 µs for each callback instead of 3.5 µs. Unchecked as OperationQueue is; there is
/// no stored state.
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
