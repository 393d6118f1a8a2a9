import AsyncNet
import AsyncNetTestSupport

/// The differences between the requests that a test expects and those that were received. Texts have no queries, which
/// may contain secrets.
struct ExpectationCheck {
    /// A difference, with the index of the expectation that it belongs to, if any.
    struct Difference: Equatable {
        var text: String
        var index: Int?
    }

    private let expected: [ExpectedRequest]
    private let received: [RecordedRequest]
    /// For each request, the index of its expectation; `nil` if it matches none.
    private let indices: [Int?]

    init(_ expected: [ExpectedRequest], _ received: [RecordedRequest]) {
        (self.expected, self.received) = (expected, received)
        var counts = expected.map { _ in 0 }
        indices = received.map { request in
            let matching = expected.indices.filter { expected[$0].matches(request) }
            let index = matching.first { counts[$0] < expected[$0].count.range.upperBound } ?? matching.last
            if let index { counts[index] += 1 }
            return index
        }
    }

    /// Wrong counts in the order of the expectations.
    var counts: [Difference] {
        expected.indices.compactMap { index in
            let (one, count) = (expected[index], indices.count { $0 == index })
            guard !one.count.contains(count) else { return nil }
            let text = "\(one.title): expected \(one.count), received \(ExpectedCount.times(count))"
            return Difference(text: "\(text)\(count < one.count.range.lowerBound ? "; \(all)" : "")", index: index)
        }
    }

    /// The first request that was received after one that is listed after it, if any.
    var order: [Difference] {
        var last: Int?
        for (position, index) in indices.enumerated() {
            guard let index else { continue }
            if let last, index < indices[last] ?? 0 {
                let text = "\(title(position)) was received after \(title(last)), but is expected before; \(all)"
                return [Difference(text: text, index: index)]
            }
            last = position
        }
        return []
    }

    /// Requests that match no expectation, without those that had no route.
    func others(unrouted: [String]) -> [Difference] {
        var unrouted = unrouted
        return received.indices.filter { indices[$0] == nil }.compactMap { position in
            if let place = unrouted.firstIndex(of: received[position].unroutedText) {
                unrouted.remove(at: place)
                return nil
            }
            return Difference(text: "\(title(position)) was received, but is not expected")
        }
    }

    private func title(_ position: Int) -> String { "\(received[position].method.rawValue) \(received[position].path)" }

    /// The first 20 requests received, as the last part of a difference's text.
    private var all: String {
        guard !received.isEmpty else { return "no request was received" }
        let shown = received.indices.prefix(20).map(title).joined(separator: ", ")
        return "received were \(shown)\(received.count > 20 ? " and \(received.count - 20) more" : "")"
    }
}
