/// A value for each origin, made when it is first needed.
///
/// Idle values are removed whenever the table has twice as many values as after the last removal. So there are at most
/// 64 values, or twice those in use, at constant time per call on average.
struct OriginTable<Value> {
    private var values: [String: Value] = [:]
    private var searchAt = 64

    var count: Int { values.count }

    /// The value of an origin that is in the table.
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
struct RecentTable<Value> {
    private let capacity: Int
    private var young: [String: Value] = [:]
    private var old: [String: Value] = [:]

    init(capacity: Int) { self.capacity = max(capacity, 1) }

    var count: Int { young.count + old.count }

    mutating func withValue<Result>(
        of origin: String, default initial: @autoclosure () -> Value, _ body: (inout Value) -> Result
    ) -> Result {
        if young[origin] == nil {
            if young.count >= capacity { (old, young) = (young, [:]) }
            young[origin] = old.removeValue(forKey: origin) ?? initial()
        }
        return body(&young[origin, default: initial()])
    }
}
