import AsyncNet
import Foundation

/// Tells on standard error what happens to a request, as it happens: `--trace` in events, `--verbose` in heads.
struct Narrator: Sendable {
    private let isTracing: Bool
    private let isVerbose: Bool
    private let label: String
    private let clock = ContinuousClock()

    init(_ output: OutputOptions, label: String) {
        isTracing = output.trace
        isVerbose = output.verbose
        self.label = label
    }

    func tell(_ events: some AsyncSequence<RequestEvent, Never> & Sendable) async {
        guard isTracing || isVerbose else { return }
        let start = clock.now
        for await event in events {
            if isTracing { Console.note("* \(label)\((clock.now - start).milliseconds) \(event)") }
            if isVerbose, !lines(event).isEmpty { Console.note(lines(event).joined(separator: "\n")) }
        }
    }

    private func lines(_ event: RequestEvent) -> [String] {
        switch event {
        case .attempt(_, let head): sent(head)
        case .informational(let head), .response(let head): received(head)
        case .redirected(let head, let next): received(head) + sent(next)
        default: []
        }
    }

    /// The descriptions of head and headers hide queries, credentials and cookies.
    private func sent(_ head: HTTPRequestHead) -> [String] {
        let headers = head.headers.filter { $0 != .omitting($0.name) }
        return (["\(head)"] + headers.map(\.description) + [""]).map { "\(label)> \($0)" }
    }

    private func received(_ head: HTTPResponseHead) -> [String] {
        ([head.statusLine] + head.headers.map(\.description) + [""]).map { "\(label)< \($0)" }
    }
}
