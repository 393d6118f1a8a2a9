/// The latency and the loss of one exchange, which a profile's random numbers decide.
struct ExchangeChance: Hashable, Sendable {
    /// The latency with its jitter.
    let latency: Duration
    /// Whether the connection is reset in place of the response.
    let isLost: Bool

    /// - Parameter number: The exchange's number; with one profile, it always gives the same values.
    init(_ profile: NetworkProfile, number: Int) {
        var random = SplitMix(seed: profile.seed, stream: UInt64(truncatingIfNeeded: number))
        latency = max(.zero, profile.latency) + random.duration(below: profile.jitter)
        isLost = random.share() < profile.loss
    }
}
