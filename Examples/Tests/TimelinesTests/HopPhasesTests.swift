import AsyncNet
import Testing
import Timelines

/// The phases of a hop by its events.
@Suite("Phases of a hop")
struct HopPhasesTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var url = "http://127.0.0.1/"
        /// Events of the hop, which begins at 10 ms.
        let events: [(Double, RequestEvent)]
        var end = 100.0
        let segments: [Segment]
    }

    static let cases: [Case] = [
        Case(
            testDescription: "All phases, as the transport measured them",
            events: [
                (16, .sent),
                (40, .transferred(dns: 1, connect: 3, tls: 5, firstByte: 20, total: 29)),
            ],
            segments: [
                Segment(.queue, 10, 11), Segment(.dns, 11, 12), Segment(.connect, 12, 14), Segment(.tls, 14, 16),
                Segment(.wait, 16, 31), Segment(.receive, 31, 40),
            ]),
        Case(
            testDescription: "An end that is reported late, as the body is read late",
            events: [
                (16, .sent), (32, .response(.status(200))),
                (90, .transferred(dns: 1, connect: 3, tls: 5, firstByte: 20, total: 29)),
            ],
            segments: [
                Segment(.queue, 10, 11), Segment(.dns, 11, 12), Segment(.connect, 12, 14), Segment(.tls, 14, 16),
                Segment(.wait, 16, 31), Segment(.receive, 31, 90),
            ]),
        Case(
            testDescription: "A response that is reported before the end, over a transport that reports no sent head",
            events: [(30, .response(.status(200))), (90, .transferred(connect: 3, firstByte: 18, total: 25))],
            segments: [
                Segment(.queue, 10, 12), Segment(.connect, 12, 15), Segment(.wait, 15, 30), Segment(.receive, 30, 90),
            ]),
        Case(
            testDescription: "A reused connection takes no time",
            events: [(10.5, .sent), (40, .transferred(firstByte: 25, total: 30, isReused: true))],
            segments: [Segment(.send, 10, 10.5), Segment(.wait, 10.5, 35), Segment(.receive, 35, 40)]),
        Case(
            testDescription: "A permit of the transport",
            events: [(11, .queued), (20, .admitted(after: .ms(9))), (40, .transferred(firstByte: 5, total: 20))],
            segments: [Segment(.queue, 10, 20), Segment(.wait, 20, 25), Segment(.receive, 25, 40)]),
        Case(
            testDescription: "A permit that never comes", events: [(11, .queued)], end: 50,
            segments: [Segment(.queue, 10, 50)]),
        Case(
            testDescription: "An upload, whose first byte sent libcurl takes for the first byte",
            events: [
                (11, .sent), (15, .sentBody(bytes: 5, total: 10)), (20, .sentBody(bytes: 10, total: 10)),
                (30, .response(.status(200))),
                (40, .transferred(firstByte: 1, total: 30, isReused: true)),
            ],
            segments: [Segment(.send, 10, 20), Segment(.wait, 20, 30), Segment(.receive, 30, 40)]),
        Case(
            testDescription: "A connection that is refused",
            events: [(40, .transferred(dns: 2, firstByte: 0, total: 30))],
            segments: [Segment(.dns, 10, 12), Segment(.connect, 12, 40)]),
        Case(
            testDescription: "A TLS handshake that fails", url: "https://127.0.0.1/",
            events: [(40, .transferred(dns: 2, connect: 4, firstByte: 0, total: 30))],
            segments: [Segment(.dns, 10, 12), Segment(.connect, 12, 14), Segment(.tls, 14, 40)]),
        Case(
            testDescription: "A response that never begins",
            events: [(12, .sent), (40, .transferred(connect: 1, firstByte: 0, total: 30))],
            segments: [Segment(.connect, 10, 11), Segment(.send, 11, 12), Segment(.wait, 12, 40)]),
        Case(
            testDescription: "A transport that measures nothing",
            events: [
                (12, .sent), (20, .response(.status(200))), (30, .receivedBody(bytes: 10)),
                (40, .ended()),
            ],
            segments: [Segment(.send, 10, 12), Segment(.wait, 12, 20), Segment(.receive, 20, 40)]),
        Case(
            testDescription: "A transfer that is cancelled while it waits",
            events: [(12, .sent)], end: 50,
            segments: [Segment(.send, 10, 12), Segment(.wait, 12, 50)]),
        Case(
            testDescription: "Times that contradict each other stay in order",
            events: [(5, .sent), (40, .transferred(dns: 90, connect: 3, tls: 70, firstByte: 20, total: 500))],
            segments: [Segment(.dns, 10, 40)]),
    ]

    @Test("Each phase ends where the next begins", arguments: cases)
    func phases(_ test: Case) throws {
        var script = Script()
        script.at(10, .resumed)
        script.at(10, .attempt(1, .get(test.url)))
        script.at(10, 1, 1, .hop(.get(test.url)))
        for (time, event) in test.events { script.at(time, 1, 1, event) }
        let hasEnded = test.events.contains { if case .hopEnded = $0.1 { true } else { false } }
        if !hasEnded { script.at(test.end, 1, 1, .ended()) }
        script.at(test.end, .finished(nil))
        let hop = try #require(script.request?.hops.first)
        #expect(hop.segments().filter { $0.duration > .zero } == test.segments)
    }

    @Test("A hop that lasts has phases up to now")
    func unfinished() throws {
        var script = Script()
        script.at(10, 1, 1, .hop(.get("http://127.0.0.1/")))
        script.at(12, 1, 1, .sent)
        let hop = try #require(script.request?.hops.first)
        #expect(hop.end == nil)
        #expect(
            hop.segments(now: .ms(20)).filter { $0.duration > .zero } == [
                Segment(.send, 10, 12), Segment(.wait, 12, 20),
            ])
    }
}
