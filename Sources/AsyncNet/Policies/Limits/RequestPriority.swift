/// How urgent a request is while it waits for its turn.
///
/// A level from 0 to 8; between two of the three names lies one more: `RequestPriority(rawValue: 5)` is more urgent
/// than ``normal`` and less than ``high``. No request waits forever: the levels age, see ``ConcurrencyLimit``.
public struct RequestPriority: Hashable, Comparable, Sendable, RawRepresentable {
    /// What nobody waits for: prefetching, uploads of logs.
    public static let low = Self(level: 2)
    /// The default.
    public static let normal = Self(level: 4)
    /// What somebody waits for.
    public static let high = Self(level: 6)

    /// From 0, the least urgent, to 8.
    public let rawValue: Int

    /// A level; below 0 counts as 0, above 8 as 8.
    public init(rawValue: Int) { self.init(level: min(max(rawValue, 0), Self.levels - 1)) }

    private init(level: Int) { rawValue = level }

    static let levels = 9

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
