import AsyncNet
import Foundation

/// A request that no exchange of a recording matches: the nearest exchange, and how the request differs from it.
///
/// The text of ``description`` is made for people:
///
///     No exchange of fixtures/users.har matches GET https://api.example.com/users/1?page=2.
///     The nearest is exchange 3 of 5, GET https://api.example.com/users/1?page=1. Sent ≠ recorded:
///     - query page: 2 ≠ 1
///     Send what was recorded, or record again: run the test with ...
///
/// Secrets are redacted in the whole text.
public struct ReplayMismatch: Error, Sendable {
    /// The request, with its secrets redacted.
    public let request: RecordedExchange.Request
    /// The number of the nearest exchange, from 1; `nil` if the recording is empty.
    public let nearest: Int?
    /// How the request differs from the nearest exchange, such as `query page: 2 ≠ 1`: the request's value, then the
    /// recorded value. Empty if each exchange that matches has been used, or the recording has no exchanges.
    public let differences: [String]
    /// The names of what differs, such as `query page`.
    let fields: [String]
    /// The sentences around the differences.
    let text: Text

    /// The sentences of the description, and of the request's error.
    struct Text: Sendable {
        var headline: String
        var nearest: String
        var advice: String
        /// The message of the request's error, without the names of the differences.
        var summary: String
    }

    private static let mostLines = 12

    init(request: RecordedExchange.Request, nearest: Int?, fields: [FieldDifference], text: Text) {
        (self.request, self.nearest, self.text) = (request, nearest, text)
        differences = fields.map(\.text)
        self.fields = fields.map(\.field)
    }

    /// The error with which the request ends. Policies do not retry it, and it opens no `CircuitBreaker`.
    var error: AsyncNetError {
        let names = fields.prefix(3).joined(separator: ", ") + (fields.count > 3 ? " and more" : "")
        let message = fields.isEmpty ? text.summary : "\(text.summary), which differs in \(names)"
        return AsyncNetError(.unsupportedByTransport, message, underlyingError: self)
    }
}

extension ReplayMismatch: CustomStringConvertible, CustomReflectable {
    /// The request, the nearest exchange, at most twelve lines of differences, and what to do.
    public var description: String {
        var lines = differences.prefix(Self.mostLines).map { "- \($0)" }
        if differences.count > Self.mostLines { lines.append("- and \(differences.count - Self.mostLines) more") }
        return ([text.headline, text.nearest] + lines + [text.advice]).joined(separator: "\n")
    }

    /// Shown by `dump`: the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
