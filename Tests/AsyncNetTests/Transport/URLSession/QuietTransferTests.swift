import Testing

@testable import AsyncNet

/// When libcurl runs a transfer without an event of its socket.
@Suite("Quiet transfers")
struct QuietTransferTests {
    @Test(
        "A transfer without progress is run rarely, and at each check once that has helped",
        arguments: [
            // Progress at each check, and the checks that run the transfer.
            ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], []),
            (Array(repeating: 0, count: 20), [9, 19]),
            // Progress begins the count again.
            ([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [15]),
            // Progress right after a run: the socket's events are lost.
            (Array(repeating: 0, count: 10) + [1, 1, 1, 2], [9, 10, 11, 12, 13]),
            // Progress later than that: the server was slow.
            (Array(repeating: 0, count: 12) + [1, 1, 1, 2], [9]),
        ] as [([Int64], [Int])])
    func checks(_ progress: [Int64], _ running: [Int]) {
        var transfer = QuietTransfer()
        let run = progress.enumerated().filter { transfer.check($0.element) }.map(\.offset)
        #expect(run == running)
    }
}
