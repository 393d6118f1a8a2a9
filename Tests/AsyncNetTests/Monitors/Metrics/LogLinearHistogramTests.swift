import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("Log-linear histogram")
struct LogLinearHistogramTests {
    /// Distributions of durations in nanoseconds, as requests have them.
    enum Shape: String, CaseIterable {
        case uniform, exponential, logNormal, twoPeaks, heavyTail, constant, small

        func value(_ random: inout SeededRandom) -> UInt64 {
            let uniform = Double.random(in: 1e-12..<1, using: &random)
            switch self {
            case .uniform: return UInt64(1e3 + uniform * 1e9)
            case .exponential: return UInt64(-log(uniform) * 5e7) + 1000
            case .logNormal:
                let normal = sqrt(-2 * log(uniform)) * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
                return UInt64(exp(log(2e6) + 2 * normal)) + 1000
            case .twoPeaks:
                return Bool.random(using: &random) ? UInt64(3e5 + uniform * 1e4) : UInt64(3e10 + uniform * 1e9)
            case .heavyTail: return UInt64(min(1e6 / uniform, 3.6e13))
            case .constant: return 1_234_567
            case .small: return UInt64(uniform * 200)
            }
        }
    }

    @Test("Each percentile of each distribution is within 1 percent of the exact one", arguments: Shape.allCases)
    func percentiles(_ shape: Shape) throws {
        var random = SeededRandom(state: 7)
        let values = (0..<20_000).map { _ in shape.value(&random) }
        var histogram = LogLinearHistogram()
        for value in values { histogram.add(value) }
        let sorted = values.sorted()
        for part in [0, 0.0001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1] {
            let exact = sorted[max(0, Int((part * Double(values.count)).rounded(.up)) - 1)]
            let estimate = try #require(histogram.percentile(part))
            #expect(abs(Double(estimate) - Double(exact)) <= 0.01 * Double(exact), "\(part): \(estimate), \(exact)")
        }
    }

    @Test("The middle of a bucket is within 1/128 of all its numbers, from 1 ns to centuries")
    func buckets() {
        var (value, last) = (UInt64(0), -1)
        while value < UInt64.max / 2 {
            let index = LogLinearHistogram.index(of: value)
            let middle = LogLinearHistogram.middle(of: index)
            #expect(index >= last)
            #expect(LogLinearHistogram.index(of: middle) == index)
            #expect(Double(middle.distance(to: value).magnitude) <= Double(value) / 128)
            (last, value) = (index, value + value / 97 + 1)
        }
        #expect(LogLinearHistogram.index(of: .max) < 3776)
    }

    @Test("Minimum and maximum are exact, and a percentile outside of 0 to 1 is the nearer of them")
    func ends() {
        var histogram = LogLinearHistogram()
        #expect(histogram.percentile(0.5) == nil)
        for value in [UInt64.max, 1_000_003, 0] { histogram.add(value) }
        #expect(histogram.percentile(-1) == 0)
        #expect(histogram.percentile(0) == 0)
        #expect(histogram.percentile(1) == .max)
        #expect(histogram.percentile(7) == .max)
        #expect(histogram.percentile(.nan) == .max)
        #expect((histogram.count, histogram.minimum, histogram.maximum) == (3, 0, .max))
    }

    @Test("The sum of two histograms is the histogram of all their numbers, in either order")
    func sums() {
        var (random, low, high, all) = (
            SeededRandom(state: 3), LogLinearHistogram(), LogLinearHistogram(), LogLinearHistogram()
        )
        for _ in 0..<1000 {
            let (small, large) = (Shape.small.value(&random), Shape.heavyTail.value(&random))
            low.add(small)
            high.add(large)
            all.add(small)
            all.add(large)
        }
        let (both, reversed) = (sum(low, high), sum(high, low))
        for part in stride(from: 0, through: 1, by: 0.05) {
            #expect(both.percentile(part) == all.percentile(part))
            #expect(reversed.percentile(part) == all.percentile(part))
        }
        #expect(sum(LogLinearHistogram(), all).count == 2000)
        #expect(sum(all, LogLinearHistogram()).count == 2000)
    }

    private func sum(_ one: LogLinearHistogram, _ other: LogLinearHistogram) -> LogLinearHistogram {
        var sum = one
        sum.add(other)
        return sum
    }
}
