import AsyncNet
import AsyncNetTesting
import Foundation
import Timelines

/// Events of a request, with times in milliseconds.
struct Script {
    let id: RequestID
    private(set) var events: [SessionEvent] = []

    /// A request that no session sends: only its identifier is used.
    init() { id = Session(transport: StubTransport()).request("http://127.0.0.1/").id }

    mutating func at(_ milliseconds: Double, _ event: RequestEvent) { at(milliseconds, 1, 0, event) }

    mutating func at(_ milliseconds: Double, _ attempt: Int, _ hop: Int, _ event: RequestEvent) {
        events.append(
            SessionEvent(requestID: id, attempt: attempt, hop: hop, instant: .ms(milliseconds), event: event))
    }

    /// A request of one hop, from its start to its end.
    static func request(
        _ url: String = "http://127.0.0.1/a", from start: Double = 0, to end: Double = 10, status: Int = 200,
        error: AsyncNetError? = nil
    ) -> Script {
        var script = Script()
        script.at(start, .resumed)
        script.at(start, .attempt(1, .get(url)))
        script.at(start, 1, 1, .hop(.get(url)))
        script.at(end, 1, 1, .response(.status(status)))
        script.at(end, .finished(error))
        return script
    }

    var timeline: SessionTimeline { SessionTimeline(of: [self]) }

    var request: RequestTimeline? { timeline[id] }
}

extension SessionTimeline {
    init(of scripts: [Script]) {
        self.init()
        for event in scripts.flatMap(\.events) { receive(event) }
    }
}

extension Duration {
    static func ms(_ milliseconds: Double) -> Duration { .microseconds(Int64(milliseconds * 1000)) }
}

extension Segment {
    /// With times in milliseconds.
    init(_ phase: Phase, _ start: Double, _ end: Double) { self.init(phase, from: .ms(start), to: .ms(end)) }
}

extension HTTPRequestHead {
    static func get(_ text: String) -> HTTPRequestHead {
        HTTPRequestHead(url: URL(string: text) ?? URL(filePath: text))
    }
}

extension HTTPResponseHead {
    static func status(_ code: Int) -> HTTPResponseHead {
        HTTPResponseHead(statusCode: code, url: URL(filePath: "/"))
    }
}

extension RequestEvent {
    /// A transfer with what libcurl measures, in milliseconds.
    static func transferred(
        dns: Double = 0, connect: Double = 0, tls: Double = 0, firstByte: Double, total: Double, isReused: Bool = false,
        status: Int? = nil, _ ending: HopSummary.Ending = .delivered
    ) -> RequestEvent {
        let timings = TransferTimings(
            nameLookup: .ms(dns), connect: .ms(connect), tlsHandshake: .ms(tls), firstByte: .ms(firstByte),
            total: .ms(total))
        return .ended(TransportMetrics(isConnectionReused: isReused, timings: timings), status: status, ending)
    }

    static func ended(
        _ metrics: TransportMetrics = TransportMetrics(), status: Int? = nil, _ ending: HopSummary.Ending = .delivered
    ) -> RequestEvent {
        let head = HTTPRequestHead.get("http://127.0.0.1/")
        return .hopEnded(
            HopSummary(
                request: head, response: status.map { .status($0) }, ending: ending,
                metrics: HopMetrics(url: head.url, transport: metrics)))
    }

    static let sent = RequestEvent.sent(SentHead(requestLine: "GET / HTTP/1.1", headers: [:]))
}
