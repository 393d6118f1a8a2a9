import Testing

@testable import AsyncNet

/// When libcurl is asked to go on with a transfer.
@Suite("Quiet transfers")
struct QuietTransferTests {
    @Test(
        "A quiet transfer is asked for rarely, one whose socket is lost at each check",
        arguments: [
            // Progress at each check, and the checks that ask.
            ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], []),
            (Array(repeating: 0, count: 20), [9, 19]),
            // Progress begins the count again.
            ([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [15]),
            // Progress right after libcurl was asked: the socket is lost.
            (Array(repeating: 0, count: 10) + [1, 1, 1, 2], [9, 10, 11, 12, 13]),
            // Progress later than that: the server was slow.
            (Array(repeating: 0, count: 12) + [1, 1, 1, 2], [9]),
        ] as [([Int64], [Int])])
    func checks(_ progress: [Int64], _ asking: [Int]) {
        var transfer = QuietTransfer()
        let asked = progress.enumerated().filter { transfer.check($0.element) }.map(\.offset)
        #expect(asked == asking)
    }
}
