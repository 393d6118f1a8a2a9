import Testing

@testable import AsyncNet

/// When a silent server is asked by PING, and when it is gone: after 10 s, and 5 s later.
@Suite("HTTP/2: silence")
struct HTTP2SilenceWatchTests {
    private let start = ContinuousClock.now
    private var watch: HTTP2SilenceWatch

    init() { watch = HTTP2SilenceWatch(.init(interval: .seconds(10), timeout: .seconds(5)), now: start) }

    /// The decision after so many seconds; `.wait` with the seconds since the start.
    private mutating func decision(_ seconds: Int, sent: Int = 100, waiting: Int = 0) -> String {
        switch watch.decision(start + .seconds(seconds), sent: sent, waiting: waiting) {
        case .wait(let time): "wait until \((time - start) / .seconds(1))"
        case .ask: "ask"
        case .end: "end"
        }
    }

    @Test("A silent server is asked by PING after the interval, and counts as gone after the timeout")
    mutating func silent() {
        let decisions = [decision(0), decision(9), decision(10), decision(11), decision(14), decision(15)]
        #expect(
            decisions == [
                "wait until 10.0", "wait until 10.0", "ask", "wait until 15.0", "wait until 15.0", "end",
            ])
    }

    @Test("Bytes that the server's system took before the silence began are no sign of life")
    mutating func takenBefore() {
        let decisions = [
            decision(0, sent: 1000), decision(10, sent: 1100, waiting: 100), decision(15, sent: 1117, waiting: 117),
        ]
        #expect(decisions == ["wait until 10.0", "ask", "end"])
    }

    @Test("Whatever the server sends ends its silence")
    mutating func answered() {
        let asked = decision(10)
        watch.received(start + .seconds(14))
        let decisions = [asked, decision(15), decision(24), decision(29)]
        #expect(decisions == ["ask", "wait until 24.0", "ask", "end"])
    }

    @Test("A server does not count as silent while its system still takes bytes that wait to be sent")
    mutating func uploading() {
        let taking = [
            decision(10, sent: 1000, waiting: 900), decision(20, sent: 1000, waiting: 800),
            decision(30, sent: 1000, waiting: 800), decision(35, sent: 1000, waiting: 700),
        ]
        #expect(taking == ["wait until 20.0", "wait until 30.0", "ask", "wait until 40.0"])
        #expect(decision(40, sent: 1000, waiting: 0) == "end")
    }
}
