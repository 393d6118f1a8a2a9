/// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators"): equal seeds give equal numbers.
struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// - Parameters:
    ///   - seed: The seed of a run.
    ///   - stream: Which of a run's sequences, such as the number of a connection.
    init(seed: UInt64, stream: UInt64 = 0) {
        state = seed
        let offset = next()
        state = offset ^ (stream &* 0x9E37_79B9_7F4A_7C15)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 to less than 1.
    mutating func share() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// A duration from zero to less than this one; zero if it is negative.
    mutating func duration(below limit: Duration) -> Duration { max(.zero, limit) * share() }
}
