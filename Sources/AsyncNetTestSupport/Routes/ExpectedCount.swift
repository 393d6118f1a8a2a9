/// How many requests a test expects for a route: `2`, `.once`, `.atLeast(1)`, `.between(1...3)`.
public struct ExpectedCount: Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    package let range: ClosedRange<Int>

    /// Exactly this number; a negative one counts as zero.
    public init(integerLiteral value: Int) { self = .exactly(value) }

    private init(_ lowest: Int, _ highest: Int) { range = max(0, lowest)...max(0, lowest, highest) }

    /// Any number, zero included.
    public static let any = ExpectedCount(0, .max)
    /// Exactly one.
    public static let once = ExpectedCount(1, 1)
    /// None.
    public static let never = ExpectedCount(0, 0)
    /// Exactly this number.
    public static func exactly(_ count: Int) -> ExpectedCount { ExpectedCount(count, count) }
    /// This number or more.
    public static func atLeast(_ count: Int) -> ExpectedCount { ExpectedCount(count, .max) }
    /// This number or fewer.
    public static func atMost(_ count: Int) -> ExpectedCount { ExpectedCount(0, count) }
    /// A number in this range.
    public static func between(_ range: ClosedRange<Int>) -> ExpectedCount {
        ExpectedCount(range.lowerBound, range.upperBound)
    }

    package func contains(_ count: Int) -> Bool { range.contains(count) }

    /// Such as `once`, `2 times`, `at least 2 times`.
    public var description: String {
        switch (range.lowerBound, range.upperBound) {
        case (0, .max): "any number of times"
        case (let lowest, .max): "at least \(Self.times(lowest))"
        case (let lowest, let highest) where lowest == highest: Self.times(lowest)
        case (0, let highest): "at most \(Self.times(highest))"
        case (let lowest, let highest): "\(lowest) to \(highest) times"
        }
    }

    package static func times(_ count: Int) -> String {
        switch count {
        case 0: "never"
        case 1: "once"
        default: "\(count) times"
        }
    }
}
