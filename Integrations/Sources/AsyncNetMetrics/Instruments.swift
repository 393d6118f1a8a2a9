import Metrics

/// The instruments of a metrics system, each made once.
struct Instruments {
    /// `nil` is the system's factory at the time.
    let factory: (any MetricsFactory)?
    private var timers: [Key: Timer] = [:]
    private var recorders: [Key: Recorder] = [:]
    private var counters: [Key: Counter] = [:]
    private var meters: [Key: Meter] = [:]

    private struct Key: Hashable {
        let label: String
        let dimensions: Dimensions
    }

    init(_ factory: (any MetricsFactory)?) { self.factory = factory }

    mutating func record(_ label: String, _ duration: Duration, _ dimensions: Dimensions) {
        instrument(\.timers, label, dimensions) { Timer(label: label, dimensions: $1, factory: $0) }
            .record(duration: max(duration, .zero))
    }

    /// Records a number of bytes; a message without a body has no size.
    mutating func record(_ label: String, bytes: Int64?, _ dimensions: Dimensions) {
        guard let bytes, bytes > 0 else { return }
        instrument(\.recorders, label, dimensions) { Recorder(label: label, dimensions: $1, factory: $0) }
            .record(bytes)
    }

    mutating func count(_ label: String, by count: Int = 1, _ dimensions: Dimensions = [:]) {
        instrument(\.counters, label, dimensions) { Counter(label: label, dimensions: $1, factory: $0) }
            .increment(by: count)
    }

    mutating func increment(_ label: String, _ dimensions: Dimensions) { meter(label, dimensions).increment(by: 1.0) }
    mutating func decrement(_ label: String, _ dimensions: Dimensions) { meter(label, dimensions).decrement(by: 1.0) }

    private mutating func meter(_ label: String, _ dimensions: Dimensions) -> Meter {
        instrument(\.meters, label, dimensions) { Meter(label: label, dimensions: $1, factory: $0) }
    }

    private mutating func instrument<Instrument>(
        _ known: WritableKeyPath<Instruments, [Key: Instrument]>, _ label: String, _ dimensions: Dimensions,
        _ make: (any MetricsFactory, [(String, String)]) -> Instrument
    ) -> Instrument {
        let key = Key(label: label, dimensions: dimensions)
        if let instrument = self[keyPath: known][key] { return instrument }
        let sorted = dimensions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let instrument = make(factory ?? MetricsSystem.factory, sorted)
        self[keyPath: known][key] = instrument
        return instrument
    }
}
