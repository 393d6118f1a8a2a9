/// What a profile's random numbers decide for one exchange.
struct ExchangeChance: Hashable, Sendable {
    /// The latency with its jitter.
    let latency: Duration
    /// Whether the connection is reset in place of the response.
    let isLost: Bool

    /// - Parameter number: The exchange's number; the same number always has the same chance.
    init(_ profile: NetworkProfile, number: Int) {
        var random = SplitMix(seed: profile.seed, stream: UInt64(truncatingIfNeeded: number))
        latency = max(.zero, profile.latency) + random.duration(below: profile.jitter)
        isLost = random.share() < profile.loss
    }
}
