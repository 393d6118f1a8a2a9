/// Exchanges of requests and responses, in the order in which the requests were sent.
///
///     let transport = RecordingTransport()
///     let session = Session(transport: transport)
///     ...
///     try transport.recording.write(to: file)
///     let recording = try Recording(contentsOf: file)
///
/// In memory a recording has everything that was sent and received, secrets too; a file has what ``RecordingFormat``
/// says.
public struct Recording: Sendable, Hashable {
    /// The exchanges.
    public var exchanges: [RecordedExchange]

    /// Creates a recording of exchanges.
    public init(_ exchanges: [RecordedExchange] = []) { self.exchanges = exchanges }
}

extension Recording: CustomStringConvertible, CustomReflectable {
    /// A line for each exchange, without secrets.
    public var description: String { exchanges.map(\.description).joined(separator: "\n") }

    /// Shown by `dump`; contains no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["exchanges": exchanges]) }
}
