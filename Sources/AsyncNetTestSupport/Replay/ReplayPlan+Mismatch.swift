import AsyncNet

/// Why a request has no exchange.
extension ReplayPlan {
    /// - Parameters:
    ///   - request: A request whose secrets are redacted.
    ///   - compared: The same request in the form that is compared.
    ///   - uses: How many times each exchange was used.
    func mismatch(_ request: Request, _ compared: ComparedRequest, uses: [Int]) -> ReplayMismatch {
        let group = group(of: compared)?.indices ?? []
        let used = group.filter { uses[$0] > 0 && accepts(request, $0) }
        if let last = used.last { return exhausted(request, used, last) }
        if let first = group.first { return refused(request, first) }
        guard let nearest = nearest(to: compared, uses) else { return empty(request) }
        return different(request, nearest, isUsed: uses[nearest.index] > 0)
    }

    private typealias Candidate = (index: Int, difference: RequestDifference)

    /// The exchange with the smallest difference. Between exchanges that differ about as much, one that was not used
    /// yet is nearer; then the first.
    private func nearest(to request: ComparedRequest, _ uses: [Int]) -> Candidate? {
        let candidates = compared.enumerated().map { index, other -> (candidate: Candidate, distance: Int) in
            let difference = RequestDifference(sent: request, recorded: other)
            return ((index, difference), difference.distance + (uses[index] > 0 ? 3 : 0))
        }
        return candidates.min { $0.distance < $1.distance }?.candidate
    }

    // MARK: Texts

    private func different(_ request: Request, _ nearest: Candidate, isUsed: Bool) -> ReplayMismatch {
        let number = "exchange \(nearest.index + 1)"
        let used = isUsed ? ", which has been used already" : ""
        let text = ReplayMismatch.Text(
            headline: "No exchange of \(name) matches \(Self.line(request)).",
            nearest: "The nearest is \(number) of \(exchanges.count), "
                + "\(Self.line(requests[nearest.index]))\(used). Sent ≠ recorded:",
            advice: "Send what was recorded, or record again: \(recordAgain)",
            summary: "No recorded exchange matches the request; the nearest is \(number) of \(name)")
        return ReplayMismatch(
            request: request, nearest: nearest.index + 1, fields: nearest.difference.fields, text: text)
    }

    private func exhausted(_ request: Request, _ used: [Int], _ last: Int) -> ReplayMismatch {
        let numbers = used.prefix(10).map { "\($0 + 1)" }.joined(separator: ", ") + (used.count > 10 ? ", …" : "")
        let subject = used.count == 1 ? "Exchange \(numbers) matches" : "Exchanges \(numbers) match"
        let text = ReplayMismatch.Text(
            headline: "No exchange of \(name) is left for \(Self.line(request)).",
            nearest: "\(subject), and \(used.count == 1 ? "has" : "have") been used: "
                + "the request was recorded \(times(used.count)), and sent more often.",
            advice: "Send it as often as it was recorded, replay with reusesLast: true, or record again: "
                + recordAgain,
            summary: "All recorded exchanges that match the request have been used (\(times(used.count))); "
                + "the last is exchange \(last + 1) of \(name)")
        return ReplayMismatch(request: request, nearest: last + 1, fields: [], text: text)
    }

    private func refused(_ request: Request, _ index: Int) -> ReplayMismatch {
        let text = ReplayMismatch.Text(
            headline: "No exchange of \(name) matches \(Self.line(request)).",
            nearest: "The nearest is \(title(index)):",
            advice: "Send what was recorded, or record again: \(recordAgain)",
            summary: "No recorded exchange matches the request; the nearest is exchange \(index + 1) of \(name)")
        let field = FieldDifference("custom matcher", describing: "its closure returned false")
        return ReplayMismatch(request: request, nearest: index + 1, fields: [field], text: text)
    }

    private func empty(_ request: Request) -> ReplayMismatch {
        let text = ReplayMismatch.Text(
            headline: "No exchange of \(name) matches \(Self.line(request)).",
            nearest: "It has no exchanges.", advice: "Record again: \(recordAgain)",
            summary: "No recorded exchange matches the request, since \(name) has no exchanges")
        return ReplayMismatch(request: request, nearest: nil, fields: [], text: text)
    }

    private func times(_ count: Int) -> String { ExpectedCount.times(count) }

    private var recordAgain: String {
        let place = file.map { " to \($0)" } ?? " to its file"
        return "run the test with ASYNCNET_RECORD=all (trait .recordedNetwork), "
            + "or write a RecordingTransport's recording\(place)."
    }
}
