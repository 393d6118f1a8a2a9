/// The priority of a request among those that wait for a permit.
///
/// A level from 0 to 8, with one level between the named ones: `RequestPriority(rawValue: 5)` is between ``normal`` and
/// ``high``. No request waits forever, since waiting raises the level (``ConcurrencyLimit``).
public struct RequestPriority: Hashable, Comparable, Sendable, RawRepresentable {
    /// For prefetching and uploads of logs.
    public static let low = Self(level: 2)
    /// The default.
    public static let normal = Self(level: 4)
    /// For requests that a user waits for.
    public static let high = Self(level: 6)

    /// From 0, the least urgent, to 8.
    public let rawValue: Int

    /// Creates a level; below 0 counts as 0, above 8 as 8.
    public init(rawValue: Int) { self.init(level: min(max(rawValue, 0), Self.levels - 1)) }

    private init(level: Int) { rawValue = level }

    static let levels = 9

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
