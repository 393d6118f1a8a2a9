/// Which of the events that cost time an observer needs; it receives all others in any case.
public struct EventInterests: Hashable, Sendable {
    /// Heads as they went on the wire.
    public var sentHeads: Bool
    /// How many bytes of a body were sent or received, for each chunk; and each message or piece of a connection.
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

    /// Everything but the bytes of bodies themselves.
    public static let standard = EventInterests(sentHeads: true, bodyBytes: true, certificates: true)

    /// Nothing that costs time.
    public static let minimal = EventInterests()

    func union(_ other: EventInterests) -> EventInterests {
        EventInterests(
            sentHeads: sentHeads || other.sentHeads, bodyBytes: bodyBytes || other.bodyBytes,
            certificates: certificates || other.certificates, bodyLimit: max(bodyLimit, other.bodyLimit))
    }
}
