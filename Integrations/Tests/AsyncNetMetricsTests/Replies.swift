import AsyncNetTesting
import Synchronization

/// Responses in their order, whatever is requested.
final class Replies: Sendable {
    private let rest: Mutex<[MockResponse]>

    init(_ replies: [MockResponse]) { rest = Mutex(replies.reversed()) }

    func next() -> MockResponse { rest.withLock { $0.popLast() } ?? .status(500) }
}
