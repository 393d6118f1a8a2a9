import CPlatform
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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

    /// 128 MiB of FoundationNetworking's pieces.
    static let piecesBetweenRests = 8192

    /// While a socket always has data, FoundationNetworking's queue for sockets keeps its thread to itself: no other
    /// session of the process, no cancel and none of the timers that it makes anew for each piece has a turn, and the
    /// timers stay in memory, 330 bytes each, 86 MB for 4 GiB. A rest of 5 ms lets all of them through; what is sent
    /// meanwhile waits in the socket. To be called by a callback.
    ///
    /// - Returns: `false` if the caller is not on that queue; then nothing rests.
    @discardableResult static func rest(_ queue: String = "MultiHandle.isolation") -> Bool {
        #if canImport(FoundationNetworking)
            cp_rest_queue(queue, 5_000_000) != 0
        #else
            false
        #endif
    }
}

extension URLSession {
    private static let retirement = DispatchQueue(label: "AsyncNet.URLSession.retirement")

    /// A session with everything off that is done above the transport.
    ///
    /// The timeouts are out of the way too: FoundationNetworking's are cut to whole seconds, count the wait for a
    /// connection, and trap if they fire while a redirect is being asked about.
    static func forTransport(_ limits: URLSessionTransport.Configuration) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
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

    /// Invalidates the session, whose tasks have all ended; never on FoundationNetworking's own queue, on which the
    /// last reference to a transport may well go away.
    func retire() {
        Self.retirement.async { SocketQueues.retire(self) }
    }

    /// Returns when the sessions that were retired before are gone: a program may exit then.
    static func waitForRetired() async {
        await withCheckedContinuation { continuation in retirement.async { continuation.resume() } }
    }
}

/// The delegate of all sessions: sends callbacks on to the task's own delegate.
///
/// Apple's URLSession asks the task's delegate by itself. FoundationNetworking does so for redirects, challenges and
/// body streams only. The exchange travels on its task, so nothing has to be looked up.
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

/// FoundationNetworking calls `addOperation(_:)` for each callback and nothing else; running the block where it comes
/// costs a tenth of queueing it (0.3 µs against 3.5 µs) and keeps the order.
final class InlineQueue: OperationQueue, @unchecked Sendable {
    // No stored state. OperationQueue is itself unchecked Sendable; the override only runs what it is given.
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
