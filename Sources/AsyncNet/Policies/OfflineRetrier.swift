/// Holds requests that fail because this machine is offline, and sends them again when a network is back.
///
///     let session = Session(configuration: .init(interceptors: [OfflineRetrier(timeout: .seconds(30))]))
///
/// Handles `.hostNotFound`, `.proxyNotFound`, `.cannotConnect` and, if the method is idempotent (RFC 9110 §9.2.2),
/// `.connectionLost`, `.emptyReply` and `.timedOut`, after which the server may have processed the request. If the
/// network path is unsatisfied after the failure, the request waits for another status and is sent again, any number of
/// times, without a charge to the retry budget. On another path, or after the timeout, the next retrier decides.
public struct OfflineRetrier: RequestRetrier {
    /// How long a request waits for the network each time.
    public let timeout: Duration
    private let monitor: NetworkMonitor
    private let time: TimeSource?

    /// Creates a retrier, for any number of sessions.
    ///
    /// A request waits for at most `timeout` each time, 5 seconds by default, and not beyond its deadline. `clock`
    /// measures the timeout; by default it is the clock of the request's session.
    public init(
        timeout: Duration = .seconds(5), monitor: NetworkMonitor = .shared,
        clock: (any Clock<Duration>)? = nil
    ) {
        self.timeout = timeout
        self.monitor = monitor
        time = clock.map { TimeSource($0) }
    }

    public func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
        guard Self.mayBeOffline(error.code, context) else { return .doNotRetry }
        let (isOffline, time) = (Promise<Void>(), time ?? context.time)
        return await withTaskGroup(of: RetryDecision.self) { group in
            group.addTask { await decisionByPath(isOffline) }
            group.addTask { await giveUp(isOffline, time) }
            let first = await group.next()
            group.cancelAll()
            return first ?? .doNotRetry
        }
    }

    /// Decides to retry once the path has been unsatisfied and then has another status.
    private func decisionByPath(_ isOffline: Promise<Void>) async -> RetryDecision {
        for await path in monitor.paths {
            guard path.status == .unsatisfied else { return isOffline.isFulfilled ? .retry.uncharged : .doNotRetry }
            isOffline.fulfil(.success(()))
        }
        return .doNotRetry
    }

    /// Ends the wait after the timeout; sets a timer only if the machine is offline.
    private func giveUp(_ isOffline: Promise<Void>, _ time: TimeSource) async -> RetryDecision {
        guard (try? await isOffline.value()) != nil else { return .doNotRetry }
        try? await time.sleep(until: time.now + min(max(timeout, .zero), .longestWait))
        return .doNotRetry
    }

    private static func mayBeOffline(_ code: AsyncNetError.Code, _ context: RequestContext) -> Bool {
        // A retry sends the requests before a redirect again, which a server has received.
        guard context.redirected.allSatisfy({ RetryPolicy.idempotentMethods.contains($0.head.method) }) else {
            return false
        }
        return switch code {
        case .hostNotFound, .proxyNotFound, .cannotConnect: true
        case .connectionLost, .emptyReply, .timedOut:
            context.request.map { RetryPolicy.idempotentMethods.contains($0.head.method) } ?? false
        default: false
        }
    }
}
