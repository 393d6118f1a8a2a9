import AsyncNet

/// The requests that a stub has received, and the tasks that wait for more of them.
final class RequestLog: Sendable {
    private let received = AwaitedState<[RecordedRequest]>([])

    var requests: [RecordedRequest] { received.read { $0 } }

    func append(_ request: RecordedRequest) { received.change { $0.append(request) } }

    /// Waits until there are this many requests, or the task is cancelled.
    func requests(atLeast count: Int) async -> [RecordedRequest] {
        await received.wait { $0.count >= count }
        return requests
    }
}
