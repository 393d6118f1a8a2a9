import AsyncNet
import Foundation

/// Keeps the heads of a request's responses, and with `--verbose` prints heads on standard error as they pass.
struct Listener: Sendable {
    private let isVerbose: Bool
    /// Whether the transport tells of heads as they are sent.
    private let knowsSentHeads: Bool
    private let label: String

    init(_ output: OutputOptions, label: String, knowsSentHeads: Bool) {
        isVerbose = output.verbose
        self.label = label
        self.knowsSentHeads = knowsSentHeads
    }

    /// Listens until the request ends.
    func listen(to events: some AsyncSequence<RequestEvent, Never> & Sendable) async -> [HTTPResponseHead] {
        var heads: [HTTPResponseHead] = []
        for await event in events {
            if let head = Self.received(event) { heads.append(head) }
            show(event)
        }
        return heads
    }

    /// With `--verbose`, the heads of the event.
    func show(_ event: RequestEvent) {
        if isVerbose, !lines(event).isEmpty { Console.note(lines(event).joined(separator: "\n")) }
    }

    private static func received(_ event: RequestEvent) -> HTTPResponseHead? {
        switch event {
        case .informational(let head), .response(let head): head
        case .hopEnded(let hop): undelivered(hop)
        default: nil
        }
    }

    /// The head of a response that the request does not get.
    private static func undelivered(_ hop: HopSummary) -> HTTPResponseHead? {
        switch hop.ending {
        case .challenged, .redirected, .replaced, .sentAgain: hop.response
        default: nil
        }
    }

    private func lines(_ event: RequestEvent) -> [String] {
        let lines = Self.received(event).map(lines) ?? []
        return switch event {
        case .cached(let outcome): ["* \(label)cache: \(outcome)"]
        case .sent(let head): marked(">", head.description.split(separator: "\n").map(String.init))
        case .hop(let head) where !knowsSentHeads: request(head)
        default: lines
        }
    }

    private func lines(_ head: HTTPResponseHead) -> [String] {
        marked("<", [head.statusLine] + head.headers.map(\.description))
    }

    /// The descriptions of head and headers hide queries, credentials and cookies.
    private func request(_ head: HTTPRequestHead) -> [String] {
        marked(">", ["\(head)"] + head.headers.filter { $0 != .omitting($0.name) }.map(\.description))
    }

    private func marked(_ mark: String, _ lines: [String]) -> [String] {
        (lines + [""]).map { "\(label)\(mark) \(Console.harmless($0))" }
    }
}
