/// A value for each origin, made when it is first needed.
///
/// Idle values are removed whenever the table has twice as many values as after the last removal. So there are at most
/// 64 values, or twice those in use, at constant time per call on average.
struct OriginTable<Value> {
    private var values: [String: Value] = [:]
    private var searchAt = 64

    var count: Int { values.count }

    subscript(origin: String) -> Value? {
        _read { yield values[origin] }
        _modify { yield &values[origin] }
    }

    mutating func withValue<Result>(
        of origin: String, default initial: @autoclosure () -> Value, isIdle: (Value) -> Bool,
        _ body: (inout Value) -> Result
    ) -> Result {
        if values.count >= searchAt {
            values = values.filter { !isIdle($0.value) }
            searchAt = max(64, 2 * values.count)
        }
        return body(&values[origin, default: initial()])
    }
}

/// A value for each of the origins used most recently: at least `capacity`, at most twice as many.
///
/// Two generations: an origin that is used moves to the younger; when that is full, the older generation is removed.
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
