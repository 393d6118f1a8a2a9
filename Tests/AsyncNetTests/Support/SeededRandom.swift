import Foundation

/// SplitMix64: the same numbers for the same seed.
struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// How many inputs the fuzzing tests have: about ten thousand in all, times `ASYNCNET_FUZZ_FACTOR`. Another
/// `ASYNCNET_FUZZ_SEED` makes other inputs. `Scripts/fuzz` sets both variables.
enum Fuzzing {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap(Int.init) }
    private static let factor = max(1, number("ASYNCNET_FUZZ_FACTOR") ?? 1)
    private static let seed = UInt64(max(0, number("ASYNCNET_FUZZ_SEED") ?? 0))

    static func inputs(_ count: Int) -> Int { count * factor }
    static func random(_ seed: UInt64) -> SeededRandom { SeededRandom(state: seed &+ self.seed &* 1000) }
}
