/// How fast a recording is replayed: the times before heads and between chunks.
public enum ReplayPace: Hashable, Sendable {
    /// Without any delay.
    case immediate
    /// With the recorded delays.
    case recorded
    /// With the recorded delays times this factor: `.scaled(0.1)` is ten times as fast. A negative factor counts as
    /// zero, and no delay is longer than a year.
    case scaled(Double)

    func delay(_ recorded: Duration) -> Duration {
        let year = Duration.seconds(365 * 86_400)
        let bounded = min(max(recorded, .zero), year)
        switch self {
        case .immediate: return .zero
        case .recorded: return bounded
        case .scaled(let factor): return min(bounded * min(max(factor.isNaN ? 0 : factor, 0), 1e6), year)
        }
    }
}
