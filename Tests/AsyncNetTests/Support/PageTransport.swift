import Foundation

@testable import AsyncNet

/// A transport whose responses a closure makes; unlike a handler of a stub, it gets the whole `TransportRequest`.
final class PageTransport: Transport {
    typealias Reply = (status: Int, headers: HTTPHeaders, body: String)

    private let reply: @Sendable (TransportRequest) async throws -> Reply
    private let received = Locked<[TransportRequest]>([])

    init(_ reply: @escaping @Sendable (TransportRequest) async throws -> Reply) { self.reply = reply }

    var requests: [TransportRequest] { received.withLock { $0 } }
    var urls: [String] { requests.map(\.head.url.absoluteString) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        received.withLock { $0.append(request) }
        let (status, headers, body) = try await reply(request)
        let head = HTTPResponseHead(statusCode: status, url: request.head.url, headers: headers)
        return TransportResponse(head: head, body: TransportBody(Data(body.utf8)))
    }
}
