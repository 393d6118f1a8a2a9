/// Which of the expensive events an observer needs; it receives all other events in any case.
public struct EventInterests: Hashable, Sendable {
    /// Heads as they went on the wire.
    public var sentHeads: Bool
    /// An event for each chunk of a body, with the bytes sent or received so far, and for each message of a WebSocket
    /// or piece of a raw stream.
    public var bodyBytes: Bool
    /// The certificates of new connections, ``ConnectionInfo/certificates``.
    public var certificates: Bool
    /// How many bytes of each body are reported; 0 is none.
    public var bodyLimit: Int

    /// Makes interests.
    public init(sentHeads: Bool = false, bodyBytes: Bool = false, certificates: Bool = false, bodyLimit: Int = 0) {
        self.sentHeads = sentHeads
        self.bodyBytes = bodyBytes
        self.certificates = certificates
        self.bodyLimit = bodyLimit
    }

    /// All expensive events, without the contents of bodies.
    public static let standard = EventInterests(sentHeads: true, bodyBytes: true, certificates: true)

    /// None of the expensive events.
    public static let minimal = EventInterests()

    func union(_ other: EventInterests) -> EventInterests {
        EventInterests(
            sentHeads: sentHeads || other.sentHeads, bodyBytes: bodyBytes || other.bodyBytes,
            certificates: certificates || other.certificates, bodyLimit: max(bodyLimit, other.bodyLimit))
    }
}
