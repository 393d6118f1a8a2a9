/// The best transport of this machine: libcurl on Linux where it loads, URLSession elsewhere.
public struct AutomaticTransport: Transport {
    /// The one that was chosen.
    package let chosen: any Transport
    private let reason: String

    public init() { self.init(Libcurl.version) }

    /// With a libcurl that a test makes up.
    package init(_ version: Result<Libcurl.Version, AsyncNetError>) {
        switch (Platform.prefersLibcurl, version) {
        case (true, .success): (chosen, reason) = (LibcurlTransport(), "")
        case (true, .failure(let error)): (chosen, reason) = (URLSessionTransport(), ", since \(error.message)")
        case (false, _): (chosen, reason) = (URLSessionTransport(), "")
        }
    }

    /// Which one runs, and why not the better one if so.
    public var transportDescription: String { chosen.transportDescription + reason }

    public func send(_ request: TransportRequest) async throws -> TransportResponse { try await chosen.send(request) }
    public func shutdown() async { await chosen.shutdown() }
}

extension Transport where Self == AutomaticTransport {
    /// libcurl on Linux where it loads, URLSession elsewhere. Each use makes a transport, and connections, of its own.
    public static var automatic: AutomaticTransport { AutomaticTransport() }
}
