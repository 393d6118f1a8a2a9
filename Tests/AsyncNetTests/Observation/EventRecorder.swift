import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Records the events of a session as short texts: attempt, hop, step.
final class EventRecorder: ImmediateMonitor {
    private let all = Locked<[SessionEvent]>([])
    let interests: EventInterests

    init(interests: EventInterests = EventInterests(bodyBytes: true)) { self.interests = interests }

    func receiveNow(_ event: SessionEvent) { all.withLock { $0.append(event) } }

    var events: [SessionEvent] { all.withLock { $0 } }

    /// The requests in the order in which they were made.
    var requestIDs: [RequestID] { Set(events.map(\.requestID)).sorted() }

    /// The steps of one request, the first by default.
    func steps(ofRequest index: Int = 0) -> [String] {
        let id = requestIDs.indices.contains(index) ? requestIDs[index] : nil
        return events.filter { $0.requestID == id }.map(\.step)
    }
}

extension SessionEvent {
    /// The step after the numbers of attempt and hop, such as `1.2 response 200`; without numbers outside attempts.
    var step: String {
        attempt == 0 ? event.step : hop == 0 ? "\(attempt) \(event.step)" : "\(attempt).\(hop) \(event.step)"
    }
}

extension RequestEvent {
    var step: String {
        switch self {
        case .finished(let error): "finished\(Self.code(error))"
        case .decoded(let type, _, let error): "decoded \(type)\(Self.code(error))"
        case .adapted(let head): "adapted \(Self.line(head))"
        case .attempt(_, let head): "attempt \(Self.line(head))"
        case .admitted: "admitted"
        case .validated(let error): "validated\(Self.code(error))"
        case .retried(let error, let delay): "retried\(Self.code(error)) after \(delay / .seconds(1)) s"
        case .refreshed(let error, _): "refreshed\(Self.code(error))"
        case .hop(let head): "hop \(Self.line(head))"
        case .sent(let head): "sent \(head.requestLine)"
        case .connected(let connection): "connected \(connection.isReused == true ? "again" : "anew")"
        case .requestBody(let data): "request body \(String(decoding: data, as: UTF8.self))"
        case .responseBody(let data): "response body \(String(decoding: data, as: UTF8.self))"
        case .hopEnded(let summary): "ended \(Self.text(summary))"
        default: description
        }
    }

    private static func text(_ summary: HopSummary) -> String {
        let status = summary.response.map { " \($0.statusCode)" } ?? ""
        return switch summary.ending {
        case .delivered: "delivered\(status)"
        case .refused(let error): "refused\(status)\(code(error))"
        case .redirected(let next): "redirected\(status) \(line(next))"
        case .challenged: "challenged\(status)"
        case .sentAgain: "sent again\(status)"
        case .replaced: "replaced\(status)"
        case .failed(let error): "failed\(status)\(code(error))"
        case .cancelled: "cancelled\(status)"
        }
    }

    private static func code(_ error: AsyncNetError?) -> String { error.map { " \($0.code.rawValue)" } ?? "" }
    private static func line(_ head: HTTPRequestHead) -> String { "\(head.method) \(head.url.path)" }
}
