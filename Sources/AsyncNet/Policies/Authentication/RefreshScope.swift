import Synchronization

/// The refreshes that the current task belongs to, so that no refresh waits for itself.
///
/// Numbers, not a flag: a task that outlives its refresh keeps the value, and must count as outside of later refreshes.
enum RefreshScope {
    @TaskLocal static var numbers: [Int] = []

    private static let last = Atomic(0)

    static func newNumber() -> Int { last.add(1, ordering: .relaxed).newValue }
}
