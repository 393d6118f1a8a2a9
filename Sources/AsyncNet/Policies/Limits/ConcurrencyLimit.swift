/// How many requests may be under way at once; the others wait for their turn.
///
/// The more urgent one goes first, of equals the one that came first. A request whose host has no place left holds up
/// nobody else. Those that are passed over age: the requests of one host and one priority go up a level each time 16
/// more urgent ones were let in since one of theirs last was. So where ``RequestPriority/low`` and
/// ``RequestPriority/high`` requests come to a host all the time, one in 65 of those let in is a low one, however many
/// of them wait.
public struct ConcurrencyLimit: Hashable, Sendable {
    /// At most so many at once in the whole session; `nil` for no limit. Below 1 counts as 1.
    public var perSession: Int?

    /// At most so many at once to one host; `nil` for no limit. Below 1 counts as 1.
    public var perHost: Int?

    public init(perSession: Int? = nil, perHost: Int? = nil) {
        self.perSession = perSession
        self.perHost = perHost
    }

    /// Every request goes at once.
    public static let unlimited = Self()

    /// So many more urgent requests raise one that waits by a level.
    static let overtakesPerLevel = 16
}
