import AsyncNet
import Foundation
import Testing

@testable import AsyncNetTestSupport

@Suite("ReceivedRequests")
struct ReceivedRequestsTests {
    private func request(_ number: Int) -> RecordedRequest {
        RecordedRequest(
            method: .get, target: "/\(number)", headers: [:], body: Data(), connection: 0, httpVersion: "HTTP/1.1")
    }

    @Test("take() returns each request once, and `all` contains taken requests too")
    func taken() {
        var requests = ReceivedRequests(kept: 10)
        for number in 1...3 { requests.append(request(number)) }
        #expect(requests.take()?.path == "/1")
        #expect(requests.take()?.path == "/2")
        requests.append(request(4))
        #expect((requests.take()?.path, requests.take()?.path) == ("/3", "/4"))
        #expect(!requests.hasUntaken && requests.take()?.path == nil)
        #expect(requests.all.map(\.path) == ["/1", "/2", "/3", "/4"])
    }

    @Test("With the largest number of kept requests all are kept")
    func unlimited() {
        var requests = ReceivedRequests(kept: .max)
        for number in 1...3 { requests.append(request(number)) }
        #expect(requests.all.count == 3)
    }

    @Test(
        "Only the latest requests are kept, and take() returns the oldest of them that was not taken",
        arguments: [(0, "/4"), (3, "/4"), (5, "/6")])
    func kept(_ takenCount: Int, _ next: String) {
        var requests = ReceivedRequests(kept: 3)
        for number in 1...5 { requests.append(request(number)) }
        for _ in 0..<takenCount { _ = requests.take() }
        requests.append(request(6))
        #expect(requests.all.map(\.path) == ["/4", "/5", "/6"])
        #expect(requests.take()?.path == next)
    }
}
