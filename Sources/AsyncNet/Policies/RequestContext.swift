import Synchronization

/// Identifies a request within its process.
public struct RequestID: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let number: UInt64
    private static let last = Atomic<UInt64>(0)

    package init() { number = Self.last.add(1, ordering: .relaxed).newValue }

    public static func < (one: RequestID, other: RequestID) -> Bool { one.number < other.number }
    public var description: String { "#\(number)" }
}

/// What a policy is told of the request it decides about.
public struct RequestContext: Sendable {
    /// Which request it is; the same for all its attempts.
    public let id: RequestID
    /// The attempt that is about to be made, from 1.
    public let attempt: Int

    package init(id: RequestID, attempt: Int) {
        self.id = id
        self.attempt = attempt
    }
}
