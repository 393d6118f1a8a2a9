/// How many requests may be in progress at once; others wait for a permit.
///
/// Higher priorities come first, then earlier requests. A request to an origin at its limit does not hold up requests
/// to other origins. Waiting requests age: those of one origin and priority rise by a level each time that 16 requests
/// of higher priority were admitted and none of them was. So while ``RequestPriority/low`` and ``RequestPriority/high``
/// requests to an origin keep arriving, every 65th admitted one is low.
public struct ConcurrencyLimit: Hashable, Sendable {
    /// The limit for the whole session; `nil` for none. Below 1 counts as 1.
    public var perSession: Int?

    /// The limit for each origin (scheme, host, port); `nil` for none. Below 1 counts as 1.
    public var perOrigin: Int?

    /// Creates a limit; by default there is none.
    public init(perSession: Int? = nil, perOrigin: Int? = nil) {
        self.perSession = perSession
        self.perOrigin = perOrigin
    }

    /// No limit.
    public static let unlimited = Self()

    /// The number of admitted requests of higher priority that raises a waiting request by a level.
    static let overtakesPerLevel = 16
}
