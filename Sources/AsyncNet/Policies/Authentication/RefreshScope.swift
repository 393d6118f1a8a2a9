import Synchronization

/// The refreshes that the current task belongs to, so that no refresh waits for itself.
///
/// Numbers, not a flag: a task that outlives its refresh keeps the value, and must count as outside of later refreshes.
enum RefreshScope {
    @TaskLocal static var numbers: [Int] = []

    private static let last = Atomic(0)

    static func newNumber() -> Int { last.add(1, ordering: .relaxed).newValue }

    /// Wraps work for another task, so that it belongs to the same refreshes as the caller.
    static func keeping(_ work: @escaping @Sendable () async -> Void) -> @Sendable () async -> Void {
        { [numbers] in await $numbers.withValue(numbers, operation: work) }
    }
}
