/// A value per host, made when it is first needed.
///
/// Values that say nothing any more are looked for whenever there are twice as many as after the last search, so that
/// they are never more than those in use, or 64, and looking costs constant time on average.
struct HostTable<Value> {
    private var values: [String: Value] = [:]
    private var searchAt = 64

    var count: Int { values.count }

    /// The value of a host that is there already.
    subscript(host: String) -> Value? {
        _read { yield values[host] }
        _modify { yield &values[host] }
    }

    mutating func withValue<Result>(
        of host: String, default initial: @autoclosure () -> Value, isIdle: (Value) -> Bool,
        _ body: (inout Value) -> Result
    ) -> Result {
        if values.count >= searchAt {
            values = values.filter { !isIdle($0.value) }
            searchAt = max(64, 2 * values.count)
        }
        return body(&values[host, default: initial()])
    }
}

/// A value per host, at least for the hosts used last: as many as `capacity`, at most twice as many.
///
/// Two generations: a host that is used moves to the younger; when that is full the older one goes.
struct RecentTable<Value> {
    private let capacity: Int
    private var young: [String: Value] = [:]
    private var old: [String: Value] = [:]

    init(capacity: Int) { self.capacity = max(capacity, 1) }

    var count: Int { young.count + old.count }

    mutating func withValue<Result>(
        of host: String, default initial: @autoclosure () -> Value, _ body: (inout Value) -> Result
    ) -> Result {
        if young[host] == nil {
            if young.count >= capacity { (old, young) = (young, [:]) }
            young[host] = old.removeValue(forKey: host) ?? initial()
        }
        return body(&young[host, default: initial()])
    }
}
