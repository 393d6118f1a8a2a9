import AsyncNet
import Foundation

/// Makes the entries of a log from events, without I/O.
struct RequestLogEntries: Sendable {
    let redaction: RedactionRule
    let slowerThan: Duration?

    /// - Returns: The entry of the event, after an entry for lost events if there were any; none for a chunk of a body.
    func entries(of event: SessionEvent) -> [RequestLog.Entry] {
        var entries: [RequestLog.Entry] = []
        if event.lostBefore > 0 {
            entries.append(entry(event, .warning, ["event": "lost", "count": event.lostBefore]))
        }
        if let (name, fields) = step(event) {
            entries.append(entry(event, severity(of: event), place(of: event, name) + fields + tags(of: event)))
        }
        return entries
    }

    private func entry(_ event: SessionEvent, _ severity: RequestLog.Severity, _ fields: LogFields) -> RequestLog.Entry
    {
        RequestLog.Entry(date: event.date, severity: severity, requestID: event.requestID, fields: fields.list)
    }

    /// The name of the event with the numbers of attempt and hop. At the end of a request there is no `attempt`, since
    /// the other fields have the number of attempts.
    private func place(of event: SessionEvent, _ name: String) -> LogFields {
        let attempt = event.attempt > 0 && event.summary == nil ? event.attempt : nil
        return ["event": name, "attempt": attempt, "hop": event.hop > 0 ? event.hop : nil]
    }

    /// The request's tags that logs may show.
    private func tags(of event: SessionEvent) -> LogFields {
        var fields: LogFields = [:]
        for (name, value) in event.values.logged { fields.add(name, value) }
        return fields
    }

    // MARK: Severity

    private func severity(of event: SessionEvent) -> RequestLog.Severity {
        switch event.event {
        case .finished(let error):
            if let error { return error.code == .cancelled || error.isRepetition ? .info : .error }
            let isRefused = event.summary?.response.map { $0.statusCode >= 400 } ?? false
            return isRefused || isSlow(event) ? .warning : .info
        case .decoded(_, _, let error?): return error.code == .cancelled ? .debug : .error
        case .connection(.closed(let error)):
            return error.map { $0.code == .cancelled ? .info : .error } ?? .info
        case .connection(.lost), .retryBudgetSpent: return .warning
        default: return .debug
        }
    }

    private func isSlow(_ event: SessionEvent) -> Bool {
        guard let slowerThan, let metrics = event.summary?.metrics else { return false }
        return (event.kind == .stream ? metrics.timeToResponse ?? metrics.total : metrics.total) >= slowerThan
    }

    // MARK: Fields

    /// The name and the fields of the step; `nil` for steps that may come with each chunk of a body.
    private func step(_ event: SessionEvent) -> (String, LogFields)? {
        switch event.event {
        case .created: ("created", [:])
        case .resumed: ("resumed", [:])
        case .suspended: ("suspended", [:])
        case .finished(let error): ("finished", summary(event, error))
        case .decoded(let type, let time, let error): ("decoded", ["type": type, "duration": time] + fields(error))
        case .adapted(let head): ("adapted", fields(head))
        case .attempt(_, let head): ("attempt", fields(head))
        case .queued: ("queued", [:])
        case .admitted(let time): ("admitted", ["duration": time])
        case .shared: ("shared", [:])
        case .hedged(let number): ("hedged", ["transfer": number])
        case .validated(let error): ("validated", fields(error))
        case .retried(let error, let delay): ("retried", ["delay": delay] + fields(error))
        case .retryBudgetSpent: ("retryBudgetSpent", [:])
        case .refreshed(let error, let time): ("refreshed", ["duration": time] + fields(error))
        default: hopStep(event.event)
        }
    }

    private func hopStep(_ event: RequestEvent) -> (String, LogFields)? {
        switch event {
        case .cached(let outcome): ("cached", ["outcome": outcome.rawValue])
        case .hop(let head): ("hop", fields(head))
        case .sent(let head): ("sent", ["line": head.description.prefix { $0 != "\n" }])
        case .repeated: ("repeated", [:])
        case .informational(let head): ("informational", ["status": head.statusCode])
        case .connected(let connection): ("connected", fields(connection))
        case .response(let head): ("response", ["status": head.statusCode])
        case .cookiesStored(let names): ("cookiesStored", ["names": names.joined(separator: ", ")])
        case .hopEnded(let summary): ("hopEnded", fields(summary))
        case .connection(let event): connectionStep(event)
        default: nil
        }
    }

    private func connectionStep(_ event: ConnectionEvent) -> (String, LogFields)? {
        switch event {
        case .opening: ("opening", [:])
        case .opened(let connection, let handshake):
            ("opened", fields(connection) + ["handshake": handshake.map { "\($0)" }])
        case .sentMessage(_, let bytes): ("sentMessage", ["bytes": bytes])
        case .receivedMessage(_, let bytes): ("receivedMessage", ["bytes": bytes])
        case .ponged(let time): ("ponged", ["duration": time])
        case .sentClose(let code): ("sentClose", ["code": code])
        case .receivedClose(let code): ("receivedClose", ["code": code])
        case .lost(let error, let delay): ("lost", ["delay": delay] + fields(error))
        case .sentBytes, .receivedBytes: nil
        case .closed(let error): ("closed", fields(error))
        }
    }

    private func summary(_ event: SessionEvent, _ error: AsyncNetError?) -> LogFields {
        guard let summary = event.summary else { return fields(error) }
        let metrics = summary.metrics
        var fields: LogFields = summary.request.map(self.fields) ?? [:]
        fields.add("template", summary.urlTemplate.map { SemanticConventions.template($0, redaction: redaction) })
        fields.add("status", summary.response?.statusCode)
        fields += self.fields(error)
        fields.add("attempts", metrics.attempts)
        fields.add("redirects", metrics.redirects.count)
        fields.add("duration", metrics.total)
        fields.add("response", metrics.timeToResponse)
        fields.add("sent", metrics.sentBytes)
        fields.add("received", metrics.receivedBytes)
        fields.add("reused", metrics.isConnectionReused)
        fields.add("protocol", metrics.httpVersion)
        fields.add("address", metrics.remoteAddress)
        if isSlow(event) { fields.add("slow", true) }
        return fields
    }

    private func fields(_ head: HTTPRequestHead) -> LogFields {
        ["method": head.method, "url": redaction.text(of: head.url)]
    }

    private func fields(_ error: AsyncNetError?) -> LogFields {
        ["error": error?.code.rawValue, "message": error?.message]
    }

    private func fields(_ connection: ConnectionInfo) -> LogFields {
        [
            "reused": connection.isReused, "protocol": connection.httpVersion, "address": connection.remoteAddress,
            "port": connection.remotePort,
        ]
    }

    private func fields(_ hop: HopSummary) -> LogFields {
        let wire = hop.metrics.transport.wireBytes
        var fields: LogFields = ["ending": name(of: hop.ending), "status": hop.response?.statusCode]
        if case .redirected(let next) = hop.ending { fields.add("to", redaction.text(of: next.url)) }
        fields += self.fields(hop.error)
        fields.add("duration", hop.duration)
        fields.add("sent", wire.map { $0.sentHead + $0.sentBody })
        fields.add("received", wire.map { $0.receivedHead + $0.receivedBody })
        return fields
    }

    private func name(of ending: HopSummary.Ending) -> String {
        switch ending {
        case .delivered: "delivered"
        case .refused: "refused"
        case .redirected: "redirected"
        case .challenged: "challenged"
        case .sentAgain: "sentAgain"
        case .replaced: "replaced"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}

/// Names with their values, without those that are unknown.
struct LogFields: ExpressibleByDictionaryLiteral {
    private(set) var list: [(name: String, value: String)] = []

    init(dictionaryLiteral elements: (String, (any CustomStringConvertible)?)...) {
        for (name, value) in elements { add(name, value) }
    }

    mutating func add(_ name: String, _ value: (any CustomStringConvertible)?) {
        guard let value else { return }
        if let duration = value as? Duration {
            list.append((name, String(format: "%.6fs", duration / .seconds(1))))
        } else {
            list.append((name, "\(value)"))
        }
    }

    static func + (one: LogFields, other: LogFields) -> LogFields {
        var both = one
        both.list += other.list
        return both
    }

    static func += (one: inout LogFields, other: LogFields) { one = one + other }
}
