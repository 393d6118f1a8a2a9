@testable import AsyncNet

/// Sends over another transport, and tells when that waits for more of a request's body.
final class ListeningTransport: Transport {
    private struct Upload {
        var isAwaitingBody = false
        var sentBytes: Int64 = 0
    }

    private let base: any Transport
    private let upload = AwaitedState(Upload())

    init(_ base: any Transport) { self.base = base }

    /// Returns when the transport has sent at least this many bytes of a body, and waits for more of it.
    func awaitsBody(after bytes: Int64 = 0) async {
        await upload.wait { $0.isAwaitingBody && $0.sentBytes >= bytes }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        request.onEvent = { [onEvent = request.onEvent, upload] event in
            onEvent?(event)
            upload.change { upload in
                switch event {
                case .awaitingBody: upload.isAwaitingBody = true
                case .sentBody(let bytes, _): upload = Upload(sentBytes: bytes)
                case .started: upload.isAwaitingBody = false
                default: break
                }
            }
        }
        return try await base.send(request)
    }

    func shutdown() async { await base.shutdown() }
}
