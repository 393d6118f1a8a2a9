import AsyncNetLibcurl
import Foundation

@testable import AsyncNet

/// The transports with connections of their own, which have the same settings.
enum WireTransport: String, CaseIterable, Sendable {
    case libcurl, sockets

    /// The default's minute may be over between two requests of a test, on a busy machine.
    func make(
        _ settings: SocketTransport.Configuration = .init(idleTimeout: .seconds(600))
    ) -> any Transport {
        switch self {
        case .sockets: return SocketTransport(settings)
        case .libcurl:
            var configuration = settings
            configuration.httpVersion = .http1
            return LibcurlTransport(configuration: configuration)
        }
    }

    func send(
        _ url: URL, _ method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: RequestBody = .none,
        over transport: (any Transport)? = nil,
        onEvent: (@Sendable (TransportEvent) -> Void)? = nil
    ) async throws -> TransportResponse {
        let request = TransportRequest(
            head: HTTPRequestHead(method: method, url: url, headers: headers), body: body, onEvent: onEvent)
        return try await (transport ?? make()).send(request)
    }

    /// The error that ends a transfer, before its head or in its body.
    static func failure(_ work: () async throws -> TransportResponse) async -> AsyncNetError? {
        do {
            for try await _ in try await work().body {}
            return nil
        } catch {
            return error as? AsyncNetError
        }
    }
}
