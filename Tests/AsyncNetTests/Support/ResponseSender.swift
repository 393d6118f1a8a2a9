import AsyncNet
import AsyncNetTesting
import Foundation

/// What sends a `MockResponse`: its bytes differ, what a client gets of it does not.
enum ResponseSender: CaseIterable, Sendable {
    case stub, http1, http2

    /// Runs the work with a session, and a URL that has this response.
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
    /// What arrives of the body, and the code of the error after it.
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
