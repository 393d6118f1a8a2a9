/// How much of a body has come.
struct ReceivedBytes: Sendable {
    var count: Int64
    /// How much of the whole was there before.
    var offset: Int64 = 0
    /// How much the whole has; `nil` if the response's head says it.
    var total: Int64?
    /// How many bytes the body has by its `Content-Range`; `nil` where that does not limit it.
    var expected: Int64?
    /// The body is longer than that.
    private(set) var isExceeded = false

    /// Counts a chunk, unless the body is longer with it than the range that it should be.
    ///
    /// - Throws: `.badServerResponse`.
    mutating func add(_ chunk: Int) throws(AsyncNetError) {
        isExceeded = expected.map { count + Int64(chunk) > $0 } ?? false
        guard !isExceeded else {
            throw AsyncNetError(
                .badServerResponse,
                "The body of the 206 response is longer than its Content-Range of \(expected ?? 0) bytes")
        }
        count += Int64(chunk)
    }

    /// - Throws: `.bodyEndedEarly` if the body is shorter than the range that it should be.
    func checkEnd() throws(AsyncNetError) {
        guard let expected, count < expected else { return }
        throw AsyncNetError(
            .bodyEndedEarly,
            "The body of the 206 response ended after \(count) of the \(expected) bytes of its Content-Range")
    }
}
