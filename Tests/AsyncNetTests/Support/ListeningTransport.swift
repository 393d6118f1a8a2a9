@testable import AsyncNet

/// Another transport, of which it is known whether it waits for a request's body.
final class ListeningTransport: Transport {
    private let base: any Transport
    private let isAwaiting = Locked(false)

    init(_ base: any Transport) { self.base = base }

    var isAwaitingBody: Bool { isAwaiting.withLock { $0 } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        request.onEvent = { [onEvent = request.onEvent, self] event in
            onEvent?(event)
            switch event {
            case .awaitingBody: isAwaiting.withLock { $0 = true }
            case .sentBody, .started: isAwaiting.withLock { $0 = false }
            default: break
            }
        }
        return try await base.send(request)
    }

    func shutdown() async { await base.shutdown() }
}
