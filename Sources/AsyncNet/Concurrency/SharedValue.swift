/// A value in an object that its copies share, so that a copy costs one reference. A change makes another object.
struct SharedValue<Value: Sendable>: Sendable {
    private final class Storage: Sendable {
        let value: Value
        init(_ value: consuming Value) { self.value = value }
    }

    private var storage: Storage

    init(_ value: consuming Value) { storage = Storage(value) }

    var value: Value { storage.value }

    mutating func change(_ change: (inout Value) -> Void) {
        var value = storage.value
        change(&value)
        storage = Storage(value)
    }
}
