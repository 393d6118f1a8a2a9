import AsyncNet
import Foundation
import Synchronization

/// Sequence after sequence, and what is left behind by each.
final class Run: Sendable {
    private let world: World
    private let kinds: [Kind]
    private let length: Int
    private let carrier: Carrier
    private let tally = Tally()
    private let current = Mutex(UInt64(0))
    private let memory = Mutex<[Int]>([])
    private let start = ContinuousClock.now

    init(world: World, kinds: [Kind], length: Int, carrier: Carrier) {
        (self.world, self.kinds, self.length, self.carrier) = (world, kinds, length, carrier)
    }

    func sequences(from first: UInt64, atMost limit: Int, seconds: Double) async throws {
        Watchdog(tally: tally, limit: Sessions.deadline * 3 + .seconds(30)).start { [self] in current.withLock { $0 }
        }
        var descriptors: Int?
        var seed = first
        while seed - first < limit, .now - start < .seconds(seconds) {
            current.withLock { $0 = seed }
            let (before, begun) = (tally.count, ContinuousClock.now)
            say("sequence \(seed): ", terminator: "")
            try await Sequence(
                seed: seed, length: length, kinds: kinds, world: world, tally: tally, carrier: carrier
            ).run()
            // The first one also opens what stays open: random numbers, the queues' own.
            let settled = await settle(descriptors)
            descriptors = min(descriptors ?? settled, settled)
            memory.withLock { $0.append(ProcessFigures.memory) }
            let took = (.now - begun) / .seconds(1)
            say(
                "\(tally.count - before) requests in \(took.formatted(.number.precision(.fractionLength(1)))) s, "
                    + "\(settled) descriptors, \(ProcessFigures.memory >> 20) MiB")
            seed += 1
        }
    }

    /// Waits until all connections are closed, and how many descriptors there are then.
    private func settle(_ expected: Int?) async -> Int {
        let end = ContinuousClock.now + .seconds(10)
        while .now < end {
            if world.open.count == 0, ProcessFigures.descriptors <= expected ?? .max {
                return ProcessFigures.descriptors
            }
            try? await Task.sleep(for: .milliseconds(5))
        }
        let names = ProcessFigures.descriptorNames.suffix(8).joined(separator: ", ")
        tally.fault(
            "After sequence \(current.withLock { $0 }) there are \(ProcessFigures.descriptors) descriptors, "
                + "not \(expected ?? 0), and "
                + "\(world.open.count) connections: \(names)")
        return ProcessFigures.descriptors
    }

    // MARK: At the end

    func report(growthLimit: Int) -> Bool {
        let outcomes = tally.outcomes
        say(
            "\n\(tally.count) requests in \((.now - start).formatted(.units(allowed: [.minutes, .seconds]))); "
                + "the longest took \(tally.longest)"
        )
        for kind in Kind.allCases {
            guard let ends = outcomes[kind] else { continue }
            let list = ends.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }.joined(
                separator: ", ")
            say("  \(kind.rawValue) \(ends.values.reduce(0, +)): \(list)")
        }
        if !tally.unexplained.isEmpty { say("Messages of transportFailed:") }
        for (text, count) in tally.unexplained.sorted(by: { $0.value > $1.value }) { say("  \(count) × \(text)") }
        let grown = growth()
        say("Memory grew by \(grown >> 10) KiB from the first third to the last.")
        if growthLimit > 0, grown > growthLimit { tally.fault("Memory grew by \(grown >> 20) MiB") }
        for fault in tally.faults { say("FAULT: \(fault)") }
        return tally.faults.isEmpty
    }

    private func growth() -> Int {
        let figures = memory.withLock { $0 }
        let third = figures.count / 3
        guard third > 0 else { return 0 }
        return (figures.suffix(third).max() ?? 0) - (figures.prefix(third).max() ?? 0)
    }
}
