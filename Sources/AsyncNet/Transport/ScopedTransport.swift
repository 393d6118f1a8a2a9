import Foundation

/// A transport in place of every automatic transport, for the requests that a task and its child tasks make. The traits
/// of AsyncNetTesting use it as the network of a test.
///
///     await ScopedTransport.$current.withValue(ScopedTransport(stub)) { ... }
///
/// A session over ``AutomaticTransport`` reads `current` when a request is made, so that the whole request, with its
/// retries and segments, uses this transport, whichever task awaits the request. Code that this transport calls runs in
/// the outer scope: a request that a stub makes does not come back to the stub.
package final class ScopedTransport: Transport {
    /// The transport of the innermost scope; `nil` outside of every scope.
    @TaskLocal package static var current: ScopedTransport?

    package let outer: ScopedTransport?
    /// Keeps the responses of the scope's transport apart from other responses in a cache.
    let id = UUID()
    private let transport: any Transport
    private let end = Locked<AsyncNetError?>(nil)

    package init(_ transport: any Transport, outer: ScopedTransport? = current) {
        (self.transport, self.outer) = (transport, outer)
    }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        if let error = end.withLock({ $0 }) { throw error }
        return try await Self.$current.withValue(outer) { try await transport.send(request) }
    }

    package func trust(for request: HTTPRequestHead) -> ResponseTrust { transport.trust(for: request) }

    package var judgesAddresses: Bool { transport.judgesAddresses }

    /// Ends the scope: later transfers fail with this error. Running transfers go on.
    package func close(_ error: AsyncNetError) { end.withLock { $0 = error } }
}

extension ScopedTransport: DuplexTransport {
    package func open(_ request: DuplexRequest) async throws -> any DuplexConnection {
        if let error = end.withLock({ $0 }) { throw error }
        return try await Self.$current.withValue(outer) { try await transport.connection(to: request) }
    }
}
