import AsyncNet
import Testing
import Timelines

/// `anet --trace`.
@Suite("Lines of events")
struct EventLinesTests {
    private func lines(_ script: Script, _ ink: Ink = .plain) -> [String] {
        var lines = EventLines(ink)
        return script.events.flatMap { lines.receive($0) }
    }

    @Test("A line has the time since the first event, attempt and hop")
    func line() {
        var script = Script()
        script.at(100, .resumed)
        script.at(101.5, 1, 0, .admitted(after: .ms(1.25)))
        script.at(102, 1, 1, .sent)
        script.at(2350, 12, 34, .response(.status(200)))
        #expect(
            lines(script) == [
                "      0.0 ms 1    resumed", "      1.5 ms 1    admitted after 1.2 ms",
                "      2.0 ms 1.1  sent GET / HTTP/1.1", "   2250.0 ms 12.34 response 200",
            ])
    }

    @Test("Of events about bytes the last is shown, or one for each second")
    func bytes() {
        var script = Script()
        script.at(0, 1, 1, .hop(.get("http://127.0.0.1/")))
        for step in 1...50 { script.at(Double(step), 1, 1, .sentBody(bytes: Int64(step), total: 50)) }
        for step in 1...24 { script.at(Double(step) * 100, 1, 1, .receivedBody(bytes: Int64(step))) }
        script.at(2450, .finished(nil))
        let texts = lines(script).map { String($0.dropFirst(18)) }
        #expect(
            texts == [
                "hop: GET http://127.0.0.1/", "sent 50 of 50 bytes", "received 11 bytes", "received 21 bytes",
                "received 24 bytes", "finished",
            ])
    }

    static let ink = Ink(isTerminal: true, environment: ["TERM": "xterm"])

    @Test(
        "Steps have colours",
        arguments: [
            (RequestEvent.resumed, "90"), (.sent, "36"), (.connected(ConnectionInfo()), "35"),
            (.response(.status(200)), "32"), (.response(.status(404)), "33"), (.response(.status(500)), "31"),
            (.cached(.hit), "90"), (.ended(status: 304, .replaced), "36"),
            (.retried(nil, after: .ms(1)), "33"), (.finished(nil), "32"), (.finished(AsyncNetError(.cancelled)), "31"),
        ])
    func colours(_ event: RequestEvent, _ code: String) {
        var script = Script()
        script.at(0, 1, 1, event)
        #expect(lines(script, Self.ink).joined().hasPrefix("\u{1B}[90m      0.0 ms 1.1 \u{1B}[0m \u{1B}[\(code)m"))
    }

    @Test("Text of a server cannot control the terminal")
    func hostile() {
        var script = Script()
        script.at(0, .finished(AsyncNetError(.cannotConnect, "\u{1B}[2J\nnext line")))
        #expect(!lines(script).joined().contains { $0 == "\u{1B}" || $0.isNewline })
    }
}
