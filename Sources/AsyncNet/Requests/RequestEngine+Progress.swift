import Synchronization

extension RequestEngine {
    nonisolated func progress(
        _ values: AsyncStream<TransferProgress>, named property: String
    ) -> some AsyncSequence<TransferProgress, Never> & Sendable {
        // Weak: a loop does not keep its request alive, and ends when the request is released.
        ProgressSteps(values: values) { [weak self] in self?.noticeOfLoop(over: property) }
    }

    nonisolated private func noticeOfLoop(over property: String) -> ProgressNotice? {
        guard shown.load(ordering: .relaxed) == .initialized else { return nil }
        let (timers, write) = (environment.timers, ProgressNotice.write)
        let timer = timers.schedule(at: timers.time.now + ProgressNotice.delay) { [weak self] in
            if let self, shown.load(ordering: .relaxed) == .initialized { write(vainLoop(over: property)) }
            return nil
        }
        return ProgressNotice(timers: timers, timer: timer)
    }

    nonisolated private func vainLoop(over property: String) -> String {
        let request = blueprint.shown.map { "\($0.head)" } ?? "a \(kind) request"
        return "a loop over \(property) has waited \(ProgressNotice.delay) for \(request), which nobody has started. "
            + "A loop starts no request: before the loop, await the value in another task (async let), or call resume()."
    }
}
