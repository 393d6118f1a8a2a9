#if os(Linux)
    import AsyncNetTesting
    import Foundation
    import Testing

    @testable import AsyncNet

    /// Threads that count in shards, and what the shards are together.
    @Suite("Shards of metrics")
    struct MetricsShardsTests {
        private let threads = (0..<8).map { _ in OwnThread() }
        private let monitor: MetricsMonitor

        init() { monitor = MetricsMonitor(labelLimit: 3) }

        private func head(_ host: String = "a.example") throws -> HTTPRequestHead {
            HTTPRequestHead(method: .get, url: try #require(URL(string: "http://\(host)/x")))
        }

        /// A request from its first step to its end, which may be another thread's.
        private func perform(
            _ status: Int, from first: OwnThread, to last: OwnThread, _ host: String = "a.example"
        ) throws {
            let follower = MetricsFollower(monitor, EventClock(TimeSource(ContinuousClock())))
            let head = try head(host)
            let response = HTTPResponseHead(statusCode: status, url: head.url)
            try first.run {
                follower.beginAttempt(head, nil)
                follower.beginHop(1, head, nil)
            }
            try last.run {
                follower.received(response, 1)
                follower.measured(TransportMetrics(isConnectionReused: false), 1)
                follower.endTransfer(1)
                follower.finish(RequestEnd(error: nil, status: status), head, nil)
            }
        }

        @Test("Threads have numbers of their own, which they keep")
        func numbers() throws {
            let numbers = try threads.map { try $0.run { Platform.threadNumber } }
            #expect(Set(numbers).count == threads.count)
            #expect(try threads.map { try $0.run { Platform.threadNumber } } == numbers)
        }

        @Test("What begins on one thread and ends on another is counted once, and is not active any more")
        func threadsOfOneRequest() throws {
            for (first, last) in zip(threads, threads.dropFirst()) { try perform(200, from: first, to: last) }
            let snapshot = monitor.snapshot()
            #expect(snapshot.requestDuration.series.map(\.count) == [7])
            #expect(snapshot.outcomeDuration.count == 7)
            #expect(snapshot.activeRequests.lines == ["- 0"])
            #expect(snapshot.connectionUses.matching(["asyncnet.connection.reused": "false"]).total == 7)
        }

        @Test("A set of labels that has a value of its own keeps it, whichever threads come later")
        func limit() throws {
            for (status, thread) in zip([200, 201, 202, 203, 204, 205], threads) {
                try perform(status, from: thread, to: thread)
            }
            let before = monitor.snapshot().requestDuration
            for thread in threads.reversed() {
                for status in [205, 200] { try perform(status, from: thread, to: thread) }
            }
            let after = monitor.snapshot().requestDuration
            func statuses(_ metric: MetricHistogram<Duration>) -> [String?] {
                metric.series.map { $0.labels["http.response.status_code"] }
            }
            #expect(statuses(before) == ["200", "201", "202", nil])
            #expect(statuses(after) == statuses(before))
            #expect(before.series.map(\.count) == [1, 1, 1, 3])
            #expect(after.series.map(\.count) == [9, 1, 1, 11])
        }

        @Test("An endpoint has the same number on all threads")
        func endpoints() throws {
            for (number, thread) in threads.enumerated() {
                try perform(200, from: thread, to: thread, "\(number % 2).example")
            }
            let snapshot = monitor.snapshot()
            #expect(snapshot.requestDuration.matching(["server.address": "0.example"]).count == 4)
            #expect(snapshot.requestDuration.matching(["server.address": "1.example"]).count == 4)
        }
    }
#endif
