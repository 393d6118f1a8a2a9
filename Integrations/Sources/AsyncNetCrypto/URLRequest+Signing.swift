import AsyncNet
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// This request with the head that the closure makes of it and its body in memory.
    func signed(by sign: (TransportRequest) async throws -> TransportRequest) async throws -> URLRequest {
        guard let head = HTTPRequestHead(self) else {
            throw AsyncNetError(.malformedURL, "The URLRequest to sign has no URL")
        }
        let request = TransportRequest(head: head, body: httpBody.map { .data($0) } ?? .none)
        var signed = try await sign(request).head.urlRequest
        signed.httpBody = httpBody
        return signed
    }
}
