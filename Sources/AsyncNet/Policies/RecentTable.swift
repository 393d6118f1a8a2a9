/// Keeps a value for each of the origins used most recently: for at least `capacity`, at most twice as many.
///
/// An origin that is used moves to the young generation; when that is full, the old generation is removed.
final class RecentTable<Value: Sendable>: Sendable {
    private struct Values {
        var young: [String: Value] = [:]
        var old: [String: Value] = [:]
    }

    private let capacity: Int
    private let values = Locked(Values())

    init(capacity: Int) { self.capacity = max(capacity, 1) }

    var count: Int { values.withLock { $0.young.count + $0.old.count } }

    func withValue<Result: Sendable, Failure: Error>(
        of origin: String, default initial: @autoclosure () -> Value,
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try values.withLock { values throws(Failure) in
            if values.young[origin] == nil {
                if values.young.count >= capacity { (values.old, values.young) = (values.young, [:]) }
                values.young[origin] = values.old.removeValue(forKey: origin) ?? initial()
            }
            return try body(&values.young[origin, default: initial()])
        }
    }
}
