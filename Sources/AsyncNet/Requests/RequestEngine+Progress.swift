import Synchronization

extension RequestEngine {
    nonisolated func progress(
        _ values: AsyncStream<TransferProgress>, named property: String
    ) -> some AsyncSequence<TransferProgress, Never> & Sendable {
        // Weak: a loop does not keep its request alive, and ends when the request is released.
        ProgressSteps(values: values) { [weak self] in
            self.flatMap { ProgressNotice($0, loopOver: property) }
        }
    }
}

extension ProgressNotice {
    /// `nil` once the request has started.
    fileprivate init?(_ engine: RequestEngine, loopOver property: String) {
        guard engine.shown.load(ordering: .relaxed) == .initialized else { return nil }
        let (timers, write) = (engine.environment.timers, Self.write)
        let timer = timers.schedule(at: timers.time.now + Self.delay) { [weak engine] in
            if let engine, engine.shown.load(ordering: .relaxed) == .initialized { write(Self.text(engine, property)) }
            return nil
        }
        self.init(timers: timers, timer: timer)
    }

    private static func text(_ engine: RequestEngine, _ property: String) -> String {
        let request = engine.blueprint.shown.map { "\($0.head)" } ?? "a \(engine.kind) request"
        return "a loop over \(property) has waited \(delay) for \(request), which nobody has started. "
            + "A loop starts no request: before the loop, await the value in another task (async let), or call resume()."
    }
}
