struct ReceivedBytes: Sendable {
    var count: Int64
    /// How many bytes a download's file had before this body.
    var offset: Int64 = 0
    /// The length of the whole file; `nil` if the length of this body determines it.
    var total: Int64?
    /// The length of the body by its `Content-Range`; `nil` without that header.
    var expected: Int64?
    private(set) var isExceeded = false

    /// Counts a chunk, unless the body would then be longer than `expected`.
    mutating func add(_ chunk: Int) throws(AsyncNetError) {
        isExceeded = expected.map { count + Int64(chunk) > $0 } ?? false
        guard !isExceeded else {
            throw AsyncNetError(
                .badServerResponse,
                "The body of the 206 response is longer than its Content-Range of \(expected ?? 0) bytes")
        }
        count += Int64(chunk)
    }

    func checkEnd() throws(AsyncNetError) {
        guard let expected, count < expected else { return }
        throw AsyncNetError(
            .bodyEndedEarly,
            "The body of the 206 response ended after \(count) of the \(expected) bytes of its Content-Range")
    }
}
