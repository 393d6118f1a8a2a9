public import AsyncNet

/// The transport of the current test, as a value: for tasks and threads that do not inherit the test's network.
///
///     @Test(.stubbedNetwork { request in .json(["id": 1]) })
///     func decodes() async throws {
///         let session = Session(transport: .current)
///         let task = Task.detached { try await session.request(url).serializing(User.self).value }
///         ...
///     }
///
/// It is the transport of the innermost trait of the task that makes this value. Without a trait it is
/// `AutomaticTransport`. After the test, requests over it fail with `.transportUnavailable`.
public struct CurrentTransport: Transport {
    private let transport: any Transport

    /// Captures the transport of the current task, over which this value sends requests.
    public init() { transport = ScopedTransport.current ?? AutomaticTransport() }

    /// Sends the request over the captured transport.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await transport.send(request)
    }

    /// The trust of the captured transport.
    public func trust(for request: HTTPRequestHead) -> ResponseTrust { transport.trust(for: request) }

    /// Shuts down the automatic transport; the network of a test is left as it is.
    public func shutdown() async { await transport.shutdown() }

    /// Whether the captured transport judges addresses.
    public var judgesAddresses: Bool { transport.judgesAddresses }
    /// The description of the captured transport.
    public var transportDescription: String { transport.transportDescription }
}

extension Transport where Self == CurrentTransport {
    /// The network that the traits of the current test give it, for sessions that detached tasks and threads use.
    public static var current: CurrentTransport { CurrentTransport() }
}
