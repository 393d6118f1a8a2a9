import AsyncNet

/// The requests that a stub has received, and the tasks that wait for more of them.
final class RequestLog: Sendable {
    private let received = Locked<[RecordedRequest]>([])
    private let count = AwaitedCount()

    var requests: [RecordedRequest] { received.withLock { $0 } }

    func append(_ request: RecordedRequest) {
        received.withLock { $0.append(request) }
        count.add(1)
    }

    /// Waits until there are this many requests, or the task is cancelled.
    func requests(atLeast count: Int) async -> [RecordedRequest] {
        await self.count.reaches(count)
        return requests
    }
}
