import AsyncNet
import Foundation

/// Makes records of hops from the events of requests, which may run at the same time.
struct HopCollector {
    private struct Key: Hashable {
        let request: RequestID
        let attempt: Int
        let hop: Int

        init(_ event: SessionEvent) { (request, attempt, hop) = (event.requestID, event.attempt, event.hop) }
    }

    let bodyLimit: Int
    /// The hops that have begun and not ended.
    private var open: [Key: HARExchange] = [:]
    /// How long each request has waited for permits since its last hop began.
    private var blocked: [RequestID: Duration] = [:]

    init(bodyLimit: Int) { self.bodyLimit = max(0, bodyLimit) }

    /// How many hops have begun and not ended.
    var openCount: Int { open.count }

    /// - Returns: The hop that has ended with this event; `nil` if none has.
    mutating func receive(_ event: SessionEvent) -> HARExchange? {
        switch event.event {
        case .hop(let head):
            var record = HARExchange(event, head)
            record.blockedBefore = blocked.removeValue(forKey: event.requestID)
            open[Key(event)] = record
        case .hopEnded(let summary):
            guard var record = open.removeValue(forKey: Key(event)) else { return nil }
            record.end(summary, at: event.instant)
            return record
        case .admitted(let time) where event.hop == 0: blocked[event.requestID] = time
        case .finished: blocked[event.requestID] = nil
        default: open[Key(event)]?.receive(event, bodyLimit)
        }
        return nil
    }
}

extension HARExchange {
    fileprivate mutating func receive(_ event: SessionEvent, _ bodyLimit: Int) {
        switch event.event {
        case .sent(let head): sent(head)
        case .admitted(let time): blocked = (blocked ?? .zero) + time
        case .sentBody(let bytes, _): (sentBytes, bodySentAt) = (bytes, event.instant)
        case .requestBody(let data): requestBody.append(data, limit: bodyLimit)
        case .response, .receivedBody: respondedAt = respondedAt ?? event.instant
        case .responseBody(let data): responseBody.append(data, limit: bodyLimit)
        default: break
        }
    }
}
