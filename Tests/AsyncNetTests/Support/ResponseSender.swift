import AsyncNet
import AsyncNetTesting
import Foundation

/// What sends a `MockResponse`. The bytes differ with each sender; the response that a client gets does not.
enum ResponseSender: CaseIterable, Sendable {
    case stub, http1, http2

    /// Runs a closure with a session and a URL, whose response this is.
    func responding(_ reply: MockResponse, _ work: (Session, URL) async throws -> Void) async throws {
        guard self != .stub else {
            return try await work(Session(transport: StubTransport { _ in reply }), "http://a/".asURL())
        }
        try await withServer(reply) { (server: MockServer) async throws in
            let configuration = SocketTransport.Configuration(httpVersion: self == .http2 ? .http2 : .http1)
            try await work(Session(transport: .sockets(configuration)), server.url())
        }
    }
}

extension StreamRequest {
    /// The bytes of the body that arrive, as text, and the code of the error after them.
    func received() async -> (text: String, code: AsyncNetError.Code?) {
        var (iterator, body) = (chunks.makeAsyncIterator(), Data())
        do throws(AsyncNetError) {
            while let chunk = try await iterator.next() { body += chunk }
            return (String(decoding: body, as: UTF8.self), nil)
        } catch {
            return (String(decoding: body, as: UTF8.self), error.code)
        }
    }
}
