import AsyncNet
import Testing
import Timelines

/// The view in the terminal.
@Suite("Waterfall in the terminal")
struct WaterfallTests {
    private let page: [Script] = {
        var moved = Script()
        moved.at(50, 1, 1, .hop(.get("http://127.0.0.1/old")))
        moved.at(60, 1, 1, .ended(status: 302, .redirected(to: .get("http://127.0.0.1/new"))))
        moved.at(60, 1, 2, .hop(.get("http://127.0.0.1/new")))
        moved.at(80, 1, 2, .receivedBody(bytes: 1500))
        moved.at(100, 1, 2, .response(.status(200)))
        moved.at(100, .finished(nil))
        return [
            .request("http://127.0.0.1/", to: 50), moved,
            .request("http://127.0.0.2/none", from: 25, to: 75, status: 404, error: AsyncNetError(.unacceptableStatus)),
        ]
    }()

    @Test("A page has a scale, a line for each request, a legend and totals")
    func lines() {
        let lines = Waterfall(SessionTimeline(of: page), columns: 80, .plain).lines
        #expect(
            lines == [
                "                                                |0              |50 ms",
                "GET /                200           0 B  50.0 ms wwwwwwwwwwwwwwww",
                "GET http:...0.2/none 404           0 B  50.0 ms         wwwwwwwwwwwwwwww",
                "GET /old             302>200    1.5 kB  50.0 ms                 wwwwwwwwwwrrrrrr",
                "",
                "q queue  d dns  c connect  t tls  s send  w wait  r receive  . retry delay",
                "",
                "3 requests in 100.0 ms  1 failed  4 hops  0 new connections  1.5 kB received",
                "0 B sent",
                "wait 130.0 ms  receive 20.0 ms",
                "failed GET http://127.0.0.2/none: unacceptableStatus",
            ])
    }

    @Test("No line is wider than the terminal", arguments: [40, 50, 60, 61, 80, 132, 300])
    func width(_ columns: Int) {
        let long = Script.request("http://127.0.0.1/" + String(repeating: "long/", count: 50), status: 500)
        let lines = Waterfall(SessionTimeline(of: page + [long]), columns: columns, .plain).lines
        #expect(lines.allSatisfy { $0.count <= columns })
    }

    @Test("With colours a line has the same text, apart from its bar")
    func colours() throws {
        let ink = Ink(isTerminal: true, environment: ["LANG": "C.UTF-8"])
        let lines = Waterfall(SessionTimeline(of: page), columns: 80, ink).lines
        #expect(lines[1].contains("\u{1B}[32m200    \u{1B}[0m") && lines[1].contains("\u{1B}[32m████"))
        #expect(lines[2].contains("\u{1B}[31m404    \u{1B}[0m"))
    }

    @Test("A timeline without requests")
    func empty() { #expect(Waterfall(SessionTimeline(), columns: 80, .plain).lines == ["No requests"]) }
}
