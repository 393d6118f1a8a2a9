import AsyncNet
import Testing
import Timelines

/// `anet --timing`.
@Suite("Timing of one request")
struct TimingTableTests {
    private let redirected: Script = {
        var script = Script()
        script.at(0, .attempt(1, .get("http://127.0.0.1/old")))
        script.at(2, 1, 1, .hop(.get("http://127.0.0.1/old")))
        script.at(
            10, 1, 1,
            .transferred(
                dns: 1, connect: 2, firstByte: 7, total: 8, status: 302,
                .redirected(to: .get("http://127.0.0.1/new"))))
        script.at(10, 1, 2, .hop(.get("http://127.0.0.1/new")))
        script.at(10, 1, 2, .connected(ConnectionInfo(isReused: true, httpVersion: "HTTP/2")))
        let wire = WireBytes(sentHead: 1, sentBody: 2, receivedHead: 3, receivedBody: 4)
        script.at(20, 1, 2, .response(.status(200)))
        script.at(20, 1, 2, .receivedBody(bytes: 9))
        script.at(20, 1, 2, .ended(TransportMetrics(wireBytes: wire)))
        script.at(20, .finished(nil))
        script.at(21, .decoded(type: "Data", after: .ms(1), nil))
        return script
    }()

    private func lines(_ script: Script, _ ink: Ink = .plain) throws -> [String] {
        let lines = TimingTable(try #require(script.request), columns: 40, ink).lines
        // The title ends with the time by the wall clock.
        return [String(lines[0].prefix { $0 != "," })] + lines.dropFirst()
    }

    @Test("A line for each hop, then a table")
    func hops() throws {
        let lines = try lines(redirected)
        #expect(
            lines == [
                "GET http://127.0.0.1/old",
                "1.1 302 qqdcwwwwwrr             10.0 ms",
                "1.2 200           wwwwwwwwwww   10.0 ms",
                "q queue  d dns  c connect  w wait",
                "r receive",
                "ms   queue  dns  connect  wait  receive  total",
                "1.1    2.0  1.0      1.0   5.0      1.0   10.0",
                "1.2      -    -        -  10.0        -   10.0",
                "sum    2.0  1.0      1.0  15.0      1.0   20.0",
                "1.1 GET http://127.0.0.1/old",
                "1.2 GET http://127.0.0.1/new: connection reused, HTTP/2; on the wire 1 + 2 bytes sent, 3 + 4 received",
                "done after 20.0 ms, 1 attempt, 2 hops, 0 bytes sent, 9 received, decoded in 1.0 ms",
            ])
    }

    @Test("The table of a request that was not sent says so, and has the request's error")
    func notSent() throws {
        var script = Script()
        script.at(0, .resumed)
        script.at(5, .finished(AsyncNetError(.malformedURL)))
        #expect(
            try lines(script) == [
                "Not sent", "failed with malformedURL after 5.0 ms, 0 attempts, 0 hops, 0 bytes sent, 0 received",
            ])
    }

    @Test("A request that needed no hop, since a stored response was used")
    func stored() throws {
        var script = Script()
        script.at(0, .resumed)
        script.at(0, .attempt(1, .get("http://127.0.0.1/a?b")))
        script.at(1, 1, 0, .cached(.stale))
        script.at(1, 1, 0, .response(.status(200)))
        script.at(5, .finished(nil))
        #expect(
            try lines(script) == [
                "GET http://127.0.0.1/a",
                "done after 5.0 ms, cache: stale, 0 attempts, 0 hops, 0 bytes sent, 0 received",
            ])
    }

    @Test("A table of one hop without a response has dashes for the status, and no sum")
    func noResponse() throws {
        var script = Script()
        script.at(0, 1, 1, .hop(.get("http://127.0.0.1/")))
        script.at(8, 1, 1, .transferred(firstByte: 0, total: 8))
        script.at(8, .finished(AsyncNetError(.cannotConnect)))
        let lines = try lines(script)
        #expect(lines.contains { $0.hasPrefix("1.1 --- cccc") } && !lines.contains { $0.hasPrefix("sum") })
    }

    @Test("Statuses and bars have colours on a terminal")
    func colours() throws {
        let text = try lines(redirected, Ink(isTerminal: true, environment: ["LANG": "C.UTF-8"])).joined()
        #expect(text.contains("\u{1B}[36m302\u{1B}[0m") && text.contains("\u{1B}[32m█"))
    }
}
