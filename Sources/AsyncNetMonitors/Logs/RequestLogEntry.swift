public import AsyncNet
public import Foundation

extension RequestLog {
    /// How much an entry matters.
    public enum Severity: String, Sendable, Comparable, CaseIterable {
        /// A step of a request, WebSocket or raw stream, and a value that was decoded, or whose decoding was cancelled.
        case debug
        /// A request, WebSocket or raw stream that ended without an error or was cancelled, and a request that an open
        /// circuit refused, except for the first since the circuit opened.
        case info
        /// A response with a status of 400 or more, a slow request, a lost connection of a WebSocket, a spent retry
        /// budget, or lost events.
        case warning
        /// A request, WebSocket or raw stream that failed, or a value that could not be decoded.
        case error

        public static func < (one: Severity, other: Severity) -> Bool { one.rank < other.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The content of a line of a log, without secrets.
    public struct Entry: Sendable {
        /// When the event happened.
        public let date: Date
        /// How much the entry matters.
        public let severity: Severity
        /// The request.
        public let requestID: RequestID
        /// The names and values in their order, without date, severity and request; the values are not escaped.
        public let fields: [(name: String, value: String)]

        /// The value of this name; `nil` if the entry has none.
        public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

        /// A value for other logs and terminals: control characters, line separators and characters that reverse the
        /// direction of text, which a server may send, are escaped as in ``description``. There are no quotes, and the
        /// value ends with `…` after 2,000 characters.
        public static func escaped(_ value: String) -> String { value.shortenedForLogs.map(\.inLog).joined() }
    }
}

extension RequestLog.Entry: CustomStringConvertible {
    /// The entry as one line in the form of logfmt.
    ///
    /// A value with a space, `=`, `"`, `\` or a character beyond ASCII is in quotes. In quotes a `\` precedes `"` and
    /// `\`, and control characters, line separators and characters that reverse the direction of text are escaped as in
    /// JSON (RFC 8259 §7), such as `\n` or `\u001B`. A value ends with `…` after 2,000 characters.
    public var description: String {
        let time = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let head = [("time", time), ("level", severity.rawValue), ("request", "\(requestID)")]
        return (head + fields).map { "\($0)=\($1.asLogValue)" }.joined(separator: " ")
    }
}

extension String {
    /// The text as a value of logfmt, without any character that could end the line or control a terminal.
    var asLogValue: String {
        let shown = shortenedForLogs
        guard shown.isEmpty || shown.contains(where: \.needsLogQuotes) else { return String(shown) }
        return "\"\(shown.map(\.inLogQuotes).joined())\""
    }

    fileprivate var shortenedForLogs: String.UnicodeScalarView {
        let start = unicodeScalars.prefix(Self.longestLogValue)
        var shown = String.UnicodeScalarView(start)
        if start.endIndex < unicodeScalars.endIndex { shown.append("…") }
        return shown
    }

    private static let longestLogValue = 2000
}

extension Unicode.Scalar {
    fileprivate var needsLogQuotes: Bool { !(0x21..<0x7F ~= value) || self == "\"" || self == "=" || self == "\\" }

    fileprivate var inLogQuotes: String {
        switch self {
        case "\"", "\\": "\\\(self)"
        default: inLog
        }
    }

    fileprivate var inLog: String {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: isShownInLogs ? String(self) : String(self).utf16.map { String(format: "\\u%04X", $0) }.joined()
        }
    }

    /// Whether terminals and viewers show the character as a single one, without any other effect.
    private var isShownInLogs: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}
