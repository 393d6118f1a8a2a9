import AsyncNet
import Synchronization
import Timelines

/// `--trace` and `--timing`: prints the events of all requests as they happen, and keeps their timelines.
final class Recorder: EventMonitor {
    private struct State {
        var calls: [Int: RequestID] = [:]
        var labels: [RequestID: String] = [:]
        var lines: [RequestID: EventLines] = [:]
        var timeline = SessionTimeline()

        mutating func text(of event: SessionEvent) -> [String] {
            // A request that has not started has nothing to show, and no label yet.
            if case .created = event.event { return [] }
            let label = labels[event.requestID] ?? ""
            return lines[event.requestID, default: EventLines(Console.ink)].receive(event).map { "* \(label)\($0)" }
        }
    }

    private let isTracing: Bool
    private let isTiming: Bool
    private let state = Mutex(State())

    /// `nil` if neither option is given.
    init?(_ output: OutputOptions) {
        guard output.trace || output.timing else { return nil }
        (isTracing, isTiming) = (output.trace, output.timing)
    }

    var interests: EventInterests { EventInterests(sentHeads: true, bodyBytes: true) }

    /// The request of a call, before it starts.
    func begin(_ id: RequestID, of call: Call, label: String) {
        state.withLock { state in
            state.calls[call.number] = id
            state.labels[id] = label
        }
    }

    func receive(_ event: SessionEvent) async {
        let lines = state.withLock { state in
            if isTiming { state.timeline.receive(event) }
            return isTracing ? state.text(of: event) : []
        }
        for line in lines { Console.note(line) }
    }

    /// What is known of a call's request, which is forgotten.
    func take(_ call: Call) -> RequestTimeline? {
        state.withLock { state in
            guard let id = state.calls.removeValue(forKey: call.number) else { return nil }
            state.labels[id] = nil
            state.lines[id] = nil
            return state.timeline.take(id)
        }
    }
}
