/// How much of the time a loop's thread works, measured by the pauses in which it sleeps.
package struct LoopLoad {
    /// The shortest time over which the load is measured: over a shorter one, a thread that has just handled one event
    /// would count as busy.
    static let window = Duration.milliseconds(10)

    private var windowStart: Duration
    private var slept = Duration.zero

    package init(at start: Duration) { windowStart = start }

    /// - Returns: At the end of a window, the percentage of it that the thread has worked; `nil` before the end.
    package mutating func slept(from begin: Duration, to end: Duration) -> Int? {
        slept += end - begin
        let length = end - windowStart
        guard length >= Self.window else { return nil }
        let work = 100 - Int(min(1, slept / length) * 100)
        (windowStart, slept) = (end, .zero)
        return work
    }
}
