import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// Wall time and this process's CPU time of a piece of work.
struct Measurement: Sendable {
    var seconds: Double
    var cpuSeconds: Double

    static func of(_ work: () async throws -> Void) async rethrows -> Measurement {
        let (wall, cpu) = (ContinuousClock.now, cpuTime())
        try await work()
        return Measurement(seconds: (ContinuousClock.now - wall) / .seconds(1), cpuSeconds: cpuTime() - cpu)
    }

    private static func cpuTime() -> Double {
        let usage = resourceUsage()
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}

private func resourceUsage() -> rusage {
    var usage = rusage()
    #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
        getrusage(RUSAGE_SELF, &usage)
    #endif
    return usage
}

/// The most memory this process has had resident, in MiB.
func peakMemory() -> Double {
    let usage = resourceUsage()
    #if os(Linux)
        return Double(usage.ru_maxrss) / 1024
    #else
        return Double(usage.ru_maxrss) / 1_048_576
    #endif
}

extension [Double] {
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return .nan }
        return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2
    }

    /// Half the distance between smallest and largest, as a part of the median.
    var spread: Double {
        guard let low = self.min(), let high = self.max(), median > 0 else { return 0 }
        return (high - low) / 2 / median
    }
}

extension Double {
    func formatted(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}

/// Runs `total` pieces of work, at most `concurrency` at a time.
func run(_ total: Int, concurrency: Int, _ work: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        let share = total / concurrency
        for _ in 0..<concurrency {
            group.addTask { for _ in 0..<share { try await work() } }
        }
        try await group.waitForAll()
    }
}
