import Foundation

/// Receives a body's chunks on the transport's thread while the reader's task waits.
final class BodyRelay: Sendable {
    private let state: Locked<(received: ReceivedBytes, failure: (any Error)?)>
    private let head: HTTPResponseHead
    private let observer: any BodyObserver
    private let put: @Sendable (Data) throws -> Void

    init(
        _ received: ReceivedBytes, _ head: HTTPResponseHead, _ observer: any BodyObserver,
        _ put: @escaping @Sendable (Data) throws -> Void
    ) {
        state = Locked((received, nil))
        (self.head, self.observer, self.put) = (head, observer, put)
    }

    var received: ReceivedBytes { state.withLock { $0.received } }
    var failure: (any Error)? { state.withLock { $0.failure } }

    func receive(_ chunk: Data) -> Bool {
        do {
            let received = try state.withLock { state throws(AsyncNetError) in
                try state.received.add(chunk.count)
                return state.received
            }
            try observer.didRead(received, of: head)
            observer.willDeliver(chunk)
            try put(chunk)
        } catch {
            state.withLock { $0.failure = error }
            return false
        }
        observer.willRead()
        return !observer.isSuspended
    }
}
