public import AsyncNet

/// A transport that records what another transport carries.
///
///     let transport = RecordingTransport(over: .automatic)
///     let session = Session(transport: transport)
///     ...
///     try transport.recording.write(to: file)
///
/// Every transfer is recorded, in the order in which they began: each hop, retry and segment, also failures, bodies
/// that were not read to their end, interim responses and trailers. Recording does not change the transfers: bodies are
/// read as fast as the session reads them, and request bodies from files and streams as the network accepts them.
///
/// Bodies of responses are recorded decoded. Memory grows with what is recorded. WebSockets and raw connections cannot
/// be recorded: over this transport they end with `.unsupportedByTransport`.
public final class RecordingTransport: Transport, TransportOfRecordings {
    private let transport: any Transport
    private let bodyLimit: Int
    private let recorders = Locked<[ExchangeRecorder]>([])

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - transport: What carries the transfers.
    ///   - bodyLimit: How many bytes of each body are recorded; 16 MiB by default. A longer body is marked as
    ///     truncated, and a replay of it ends with an error after these bytes.
    public init(over transport: any Transport = .automatic, bodyLimit: Int = 16 * 1024 * 1024) {
        (self.transport, self.bodyLimit) = (transport, max(0, bodyLimit))
    }

    /// The exchanges so far, in the order in which their requests were sent.
    ///
    /// A transfer that has neither a response nor a failure yet is left out. A body that has not been read to its end,
    /// because its reader has dropped it or still reads, has the failure `.cancelled` after the bytes that were read.
    public var recording: Recording {
        let recorders = recorders.withLock { $0 }
        return Recording(recorders.compactMap(\.exchange))
    }

    /// Forgets what was recorded so far, including transfers that are under way.
    public func removeAll() { recorders.withLock { $0.removeAll() } }

    /// Sends the request over the other transport.
    ///
    /// - Throws: What the other transport throws.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let recorder = ExchangeRecorder(request, bodyLimit: bodyLimit)
        recorders.withLock { $0.append(recorder) }
        do {
            var response = try await transport.send(recorder.observed(request))
            response.keepsContentCoding = request.keepsContentCoding
            return recorder.observed(response.decoded)
        } catch {
            recorder.fail(error)
            throw error
        }
    }

    /// How the recorded transport makes sure of the server.
    public func trust(for request: HTTPRequestHead) -> ResponseTrust { transport.trust(for: request) }

    /// Shuts the other transport down.
    public func shutdown() async { await transport.shutdown() }

    /// Whether the recorded transport connects only to addresses that the request allows.
    public var judgesAddresses: Bool { transport.judgesAddresses }
    /// Names the recorded transport.
    public var transportDescription: String { "recording \(transport.transportDescription)" }
}
