package import AsyncNet

/// The events of a request as lines: the time since its first event, attempt and hop, and the step.
package struct EventLines: Sendable {
    private let ink: Ink
    private var start: Duration?
    /// An event about bytes, of which only the last before another step is shown, or one for each second.
    private var pending: SessionEvent?
    private var shown = Duration.zero

    package init(_ ink: Ink) { self.ink = ink }

    /// The lines that an event adds.
    package mutating func receive(_ event: SessionEvent) -> [String] {
        start = start ?? event.instant
        guard event.event.kind == .bytes else { return [takePending(), line(event)].compactMap(\.self) }
        let previous = pending.map { $0.event.isSent == event.event.isSent } == false ? takePending() : nil
        pending = event
        let isDue = event.instant - shown >= .seconds(1)
        return [previous, isDue ? takePending() : nil].compactMap(\.self)
    }

    private mutating func takePending() -> String? { pending.take().map { line($0) } }

    private mutating func line(_ event: SessionEvent) -> String {
        shown = event.instant
        let time = "\(Texts.right(Texts.milliseconds(event.instant - (start ?? event.instant)), 9)) ms"
        let place = event.hop > 0 ? "\(event.attempt).\(event.hop)" : event.attempt > 0 ? "\(event.attempt)" : ""
        let text = ink.paint(Texts.printable(event.event.text), event.event.colour)
        return "\(ink.paint("\(time) \(Texts.left(place, 4))", .grey)) \(text)"
    }
}

extension RequestEvent {
    fileprivate enum Kind { case request, sending, connection, response, bytes, retry, end, other }

    fileprivate var kind: Kind {
        switch self {
        case .created, .resumed, .suspended, .queued, .admitted, .shared, .cached: .request
        case .adapted, .attempt, .hop, .sent: .sending
        case .connected: .connection
        case .informational, .response, .hopEnded: .response
        case .sentBody, .receivedBody, .requestBody, .responseBody: .bytes
        case .hedged, .retried, .retryBudgetSpent, .refreshed, .repeated: .retry
        case .finished, .decoded, .validated: .end
        default: .other
        }
    }

    /// Among events about bytes: whether they are those of the request.
    fileprivate var isSent: Bool {
        switch self {
        case .sentBody, .requestBody: true
        default: false
        }
    }

    /// The description, with times as people read them.
    fileprivate var text: String {
        switch self {
        case .admitted(let time): "admitted after \(Texts.time(time))"
        case .decoded(let type, let time, let error): "decoded \(type) after \(Texts.time(time))\(Self.reason(error))"
        case .retried(let error, let delay): "retried after \(Texts.time(delay))\(Self.reason(error))"
        case .refreshed(let error, let time): "refreshed after \(Texts.time(time))\(Self.reason(error))"
        default: "\(self)"
        }
    }

    private static func reason(_ error: AsyncNetError?) -> String { error.map { ": \($0)" } ?? "" }

    fileprivate var colour: Ink.Colour? {
        switch kind {
        case .request, .other: .grey
        case .sending: .cyan
        case .connection: .magenta
        case .response: status.map(Ink.colour)
        case .bytes: .blue
        case .retry: .yellow
        case .end: error == nil ? .green : .red
        }
    }

    private var status: Int? {
        switch self {
        case .informational(let head), .response(let head): head.statusCode
        case .hopEnded(let summary): summary.response?.statusCode
        default: nil
        }
    }

    private var error: AsyncNetError? {
        switch self {
        case .finished(let error), .validated(let error), .decoded(_, _, let error): error
        default: nil
        }
    }
}
