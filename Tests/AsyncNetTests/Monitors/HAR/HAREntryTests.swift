import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("HAR entries", .timeLimit(.minutes(5)))
struct HAREntryTests {
    private static let id = RequestID()

    private func entry(
        _ head: HTTPRequestHead, _ events: [(RequestEvent, Duration)], bodyLimit: Int = 100,
        _ redaction: RedactionRule? = .standard, metrics: TransportMetrics = TransportMetrics(),
        at end: Duration? = nil
    ) throws -> HAREntry {
        var collector = HopCollector(bodyLimit: bodyLimit)
        func event(_ event: RequestEvent, _ instant: Duration, hop: Int = 1) -> SessionEvent {
            SessionEvent(
                requestID: Self.id, hop: hop, date: Date(timeIntervalSince1970: 1.5), instant: instant, event: event)
        }
        _ = collector.receive(event(.hop(head), .zero))
        for (step, instant) in events { _ = collector.receive(event(step, instant)) }
        let summary = summary(head, events.map(\.0), metrics)
        let ended = collector.receive(event(.hopEnded(summary), end ?? events.last?.1 ?? .zero))
        let record = try #require(ended)
        #expect(collector.openCount == 0)
        return HAREntry(record, redaction)
    }

    /// The summary of a hop that had these events.
    private func summary(
        _ head: HTTPRequestHead, _ events: [RequestEvent], _ metrics: TransportMetrics = TransportMetrics()
    ) -> HopSummary {
        var summary = HopSummary(request: head)
        summary.metrics.transport = metrics
        for event in events {
            switch event {
            case .response(let head): summary.response = head
            case .connected(let connection): summary.connection = connection
            case .receivedBody(let bytes): summary.receivedBytes = bytes
            default: break
            }
        }
        return summary
    }

    private func head(_ headers: HTTPHeaders = [:]) throws -> HTTPRequestHead {
        HTTPRequestHead(method: .post, url: try "http://h/a".asURL(), headers: headers)
    }

    private func response(_ headers: HTTPHeaders = [:]) throws -> HTTPResponseHead {
        HTTPResponseHead(statusCode: 200, url: try "http://h/a".asURL(), headers: headers, httpVersion: "HTTP/2")
    }

    @Test("The start of an entry is in ISO 8601 and UTC")
    func dates() throws {
        #expect(try entry(head(), []).startedDateTime == "1970-01-01T00:00:01.500Z")
    }

    @Test("A body that is UTF-8 is written as text, and another as Base64")
    func bodies() throws {
        for (bytes, text, encoding) in [
            (Data("é".utf8), "é", nil), (Data([0xE9]), "6Q==", "base64"), (Data([0, 1]), "\u{0}\u{1}", nil),
        ] as [(Data, String, String?)] {
            let content = try entry(head(), [(.response(response()), .zero), (.responseBody(bytes), .zero)]).response
                .content
            #expect(content.text == text && content.encoding == encoding && content.size == bytes.count)
            let data = try entry(head(["Content-Type": "x/y"]), [(.requestBody(bytes), .zero)]).request.postData
            #expect(data?.text == text && data?.encoding == encoding && data?.mimeType == "x/y")
        }
    }

    @Test("A character that the body limit cuts is omitted")
    func cutCharacter() throws {
        let events: [(RequestEvent, Duration)] = [
            (.response(try response()), .zero), (.responseBody(Data("aéb".utf8)), .zero),
            (.receivedBody(bytes: 4), .zero),
        ]
        let content = try entry(head(), events, bodyLimit: 2).response.content
        #expect(content.text == "a" && content.isTruncated == true && content.size == 4)
    }

    @Test("A compressed request body, which cannot be redacted, is written only without a redaction rule")
    func compressed() throws {
        let head = try head(["Content-Encoding": "gzip", "Content-Type": "application/json"])
        let events: [(RequestEvent, Duration)] = [(.requestBody(Data([0x1F, 0x8B])), .zero)]
        #expect(try entry(head, events).request.postData?.text == nil)
        #expect(try entry(head, events, nil).request.postData?.text == "H4s=")
    }

    @Test("The fields of a form are written as params")
    func forms() throws {
        let form = try entry(
            head(["Content-Type": "application/x-www-form-urlencoded"]),
            [(.requestBody(Data("a=b+c&pin=1".utf8)), .zero)])
        #expect(
            form.request.postData?.params == [
                HARParameter(name: "a", value: "b c"), HARParameter(name: "pin", value: "REDACTED"),
            ])
        let lines = [
            "--B", "Content-Disposition: form-data; name=f; filename=x.txt", "Content-Type: text/plain", "", "hi",
            "--B--",
        ]
        let text = lines.joined(separator: "\r\n")
        let parts = try entry(
            head(["Content-Type": "multipart/form-data; boundary=B"]), [(.requestBody(Data(text.utf8)), .zero)])
        let part = try #require(parts.request.postData?.params?.first)
        #expect(part.name == "f" && part.fileName == "x.txt" && part.contentType == "text/plain" && part.value == "hi")
    }

    @Test("Cookies of request and response are written with their names and attributes, and redacted values")
    func cookies() throws {
        let set = HTTPHeader(
            name: "Set-Cookie", value: "a=Q; Path=/p; Domain=h; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Secure; HttpOnly"
        )
        let entry = try entry(head(["Cookie": "x=Q; y=Q"]), [(.response(response([set])), .zero)])
        #expect(entry.request.cookies.map(\.name) == ["x", "y"])
        #expect(entry.request.cookies.allSatisfy { $0.value == "REDACTED" })
        let cookie = try #require(entry.response.cookies.first)
        #expect(cookie.name == "a" && cookie.value == "REDACTED" && cookie.path == "/p" && cookie.domain == "h")
        #expect(cookie.expires == "2015-10-21T07:28:00.000Z" && cookie.secure == true && cookie.httpOnly == true)
    }

    @Test("The entry has the head as sent, or the given head if the sent one was reported in pieces")
    func sentHeads() throws {
        let sent = SentHead(requestLine: "POST /a HTTP/1.1", headers: ["Host": "h"])
        let connect = SentHead(requestLine: "CONNECT h:443 HTTP/1.1", headers: ["Proxy": "p"])
        let rest = SentHead(requestLine: "rest of a secret", headers: ["B": "c"])
        let given = try head(["A": "b"])
        #expect(
            try entry(given, [(.sent(connect), .zero), (.sent(sent), .zero)]).request.headers.map(\.name) == ["Host"])
        #expect(try entry(given, [(.sent(sent), .zero), (.sent(rest), .zero)]).request.headers.map(\.name) == ["A"])
        #expect(try entry(given, []).request.headers.map(\.name) == ["A"])
    }

    @Test("The end of one hop completes only that hop's entry")
    func segments() throws {
        var collector = HopCollector(bodyLimit: 0)
        func receive(_ event: RequestEvent, hop: Int) -> HARExchange? {
            collector.receive(SessionEvent(requestID: Self.id, hop: hop, event: event))
        }
        for hop in 1...2 { #expect(try receive(.hop(head()), hop: hop) == nil) }
        let failure = HopSummary(request: try head(), ending: .failed(AsyncNetError(.connectionLost)))
        #expect(receive(.retried(failure.error, after: .zero), hop: 0) == nil)
        #expect(collector.openCount == 2)
        #expect(receive(.hopEnded(failure), hop: 1)?.error?.code == .connectionLost)
        #expect(receive(.hopEnded(failure), hop: 1) == nil)
        #expect(collector.openCount == 1)
    }

    @Test("The memory cost of an entry counts its heads, certificates and bodies")
    func cost() throws {
        let large = String(repeating: "a", count: 10_000)
        func cost(_ headers: HTTPHeaders, _ events: [RequestEvent]) throws -> Int {
            var collector = HopCollector(bodyLimit: 20_000)
            for event in [.hop(try head(headers))] + events {
                _ = collector.receive(SessionEvent(requestID: Self.id, hop: 1, event: event))
            }
            let end = RequestEvent.hopEnded(summary(try head(headers), events))
            let ended = collector.receive(SessionEvent(requestID: Self.id, hop: 1, event: end))
            return try #require(ended).cost
        }
        let small = try cost([:], [])
        let header: HTTPHeaders = ["A": large]
        #expect(try cost(header, []) == small + 10_001)
        #expect(try cost([:], [.response(response(header))]) == small + 10_001)
        #expect(try cost([:], [.connected(ConnectionInfo(certificates: [large, large]))]) == small + 20_000)
        #expect(try cost([:], [.responseBody(Data(large.utf8))]) == small + 10_000)
    }

    // MARK: Times

    private func metrics(reused: Bool = false, tls: Int = 0) -> TransportMetrics {
        TransportMetrics(
            isConnectionReused: reused,
            timings: TransferTimings(
                nameLookup: .milliseconds(reused ? 0 : 2), connect: .milliseconds(reused ? 0 : 5),
                tlsHandshake: .milliseconds(tls), firstByte: .milliseconds(30), total: .milliseconds(40)))
    }

    @Test("Transport metrics are written as timings, and ssl is part of connect")
    func measured() throws {
        let plain = try entry(head(), [], metrics: metrics(), at: .milliseconds(40))
        #expect(plain.timings == HARTimings(dns: 2, connect: 3, wait: 25, receive: 10) && plain.time == 40)
        let secure = try entry(head(), [], metrics: metrics(tls: 9), at: .milliseconds(40))
        #expect(secure.timings == HARTimings(dns: 2, connect: 7, ssl: 4, wait: 21, receive: 10) && secure.time == 40)
        let reused = try entry(head(), [], metrics: metrics(reused: true), at: .milliseconds(40))
        #expect(reused.timings == HARTimings(wait: 30, receive: 10))
    }

    @Test("The wait for a permit is `blocked`, and the sending of a body precedes `wait`")
    func phases() throws {
        let events: [(RequestEvent, Duration)] = [
            (.admitted(after: .milliseconds(7)), .milliseconds(7)), (.sentBody(bytes: 1, total: 1), .milliseconds(19)),
        ]
        let entry = try entry(head(), events, metrics: metrics(), at: .milliseconds(47))
        #expect(entry.timings == HARTimings(blocked: 7, dns: 2, connect: 3, send: 7, wait: 18, receive: 10))
        #expect(entry.time == 47)
    }

    @Test("Without transport metrics the timings follow from the times of events")
    func observed() throws {
        let events: [(RequestEvent, Duration)] = [
            (.sentBody(bytes: 1, total: 1), .milliseconds(3)), (.response(try response()), .milliseconds(10)),
            (.receivedBody(bytes: 2), .milliseconds(12)),
        ]
        #expect(try entry(head(), events).timings == HARTimings(send: 3, wait: 7, receive: 2))
        #expect(try entry(head(), [(.receivedBody(bytes: 0), .milliseconds(4))]).timings == HARTimings(wait: 4))
    }
}
