public import AsyncNet
public import AsyncNetMonitors
public import Logging

extension RequestLog {
    /// A log whose entries are messages of swift-log, with metadata.
    ///
    ///     let session = Session(configuration: .init(monitors: [RequestLog(to: Logger(label: "http"))]))
    ///
    /// The message is the entry's `event`, such as `finished`. Its metadata are the entry's other names and values, as
    /// `RequestLog` writes them, and `request`, by which the messages of one request belong together. Secrets are
    /// redacted, and control characters, which servers may send, are escaped as `RequestLog` does. The logger's levels are those of the entry: `debug` for steps, `info` for requests that succeeded,
    /// `warning` for a status of 400 or above, slow requests and lost events, `error` for requests that failed. A
    /// message below the logger's `logLevel` is not written; to have none made, choose `level`.
    ///
    /// Messages are written outside of the requests, so the logger's metadata provider finds no task-local values of
    /// the caller's.
    ///
    /// - Parameters:
    ///   - logger: Receives the messages.
    ///   - level: What is written.
    ///   - redaction: What is redacted in URLs.
    ///   - slowerThan: The duration from which on a request is slow; `nil`, the default, is no limit.
    public init(
        to logger: Logger, level: Level = .requests, redaction: RedactionRule = .standard, slowerThan: Duration? = nil
    ) {
        let format: @Sendable (Entry) -> String = { entry in
            logger.log(entry)
            return ""
        }
        self.init(level: level, redaction: redaction, slowerThan: slowerThan, format: format) { _ in }
    }
}

extension Logger {
    fileprivate func log(_ entry: RequestLog.Entry) {
        log(level: Level(entry.severity), "\(entry["event"] ?? "")", metadata: Metadata(entry), source: "AsyncNet")
    }
}

extension Logger.Level {
    init(_ severity: RequestLog.Severity) {
        switch severity {
        case .debug: self = .debug
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        }
    }
}

extension Logger.Metadata {
    init(_ entry: RequestLog.Entry) {
        self = ["request": "\(entry.requestID)"]
        for (name, value) in entry.fields where name != "event" { self[name] = "\(RequestLog.Entry.escaped(value))" }
    }
}
