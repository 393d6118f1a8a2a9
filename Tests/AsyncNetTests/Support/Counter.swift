@testable import AsyncNet

/// A number that closures on any thread may count up.
final class Counter: Sendable {
    private let count = AwaitedState(0)

    func add() { _ = next() }

    /// Counts up, and returns the new number.
    func next() -> Int {
        count.change { count in
            count += 1
            return count
        }
    }

    var value: Int { count.read { $0 } }

    /// Returns when the number is at least this, or the task is cancelled.
    func reaches(_ number: Int) async { await count.wait { $0 >= number } }
}
