import Synchronization

/// Which refreshes the present task is part of, so that none waits for itself.
///
/// Numbers, not a flag: what a refresh leaves running keeps its value, which must say nothing once that refresh has
/// ended.
package enum RefreshScope {
    @TaskLocal package static var numbers: [Int] = []

    private static let last = Atomic(0)

    static func newNumber() -> Int { last.add(1, ordering: .relaxed).newValue }

    /// The work to do elsewhere, as part of the refreshes that the caller is part of.
    package static func keeping(_ work: @escaping @Sendable () async -> Void) -> @Sendable () async -> Void {
        { [numbers] in await $numbers.withValue(numbers, operation: work) }
    }
}
