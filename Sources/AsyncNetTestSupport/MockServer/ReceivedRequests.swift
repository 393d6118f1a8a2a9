/// The last requests that a server has received, and which of them wait to be taken.
struct ReceivedRequests {
    /// The requests that are kept, in the order of their arrival.
    private(set) var all: [RecordedRequest] = []
    /// How many were received, including those that are not kept.
    private(set) var count = 0
    private var takenCount = 0
    private let kept: Int

    /// - Parameter kept: The least number of latest requests that are kept; at most twice as many are.
    init(kept: Int) { self.kept = max(1, kept) }

    var hasUntaken: Bool { takenCount < all.count }

    mutating func append(_ request: RecordedRequest) {
        all.append(request)
        count += 1
        // Removes half of the requests at once, since each removal at the front moves all others.
        guard all.count - kept >= kept else { return }
        all.removeFirst(kept)
        takenCount = max(0, takenCount - kept)
    }

    /// The oldest request that has not been taken.
    mutating func take() -> RecordedRequest? {
        guard hasUntaken else { return nil }
        defer { takenCount += 1 }
        return all[takenCount]
    }
}
