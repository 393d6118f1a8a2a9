import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("Request log", .timeLimit(.minutes(5)))
struct RequestLogTests {
    private let id = RequestID()

    /// The lines of the event, without time and request.
    private func lines(
        _ level: RequestLog.Level, _ event: SessionEvent, redaction: RedactionRule = .standard,
        slowerThan: Duration? = nil
    ) async -> [String] {
        let lines = Locked<[String]>([])
        let log = RequestLog(level: level, redaction: redaction, slowerThan: slowerThan) { line in
            lines.withLock { $0.append(line) }
        }
        await log.receive(event)
        return lines.withLock { $0 }.map { line in
            #expect(line.hasPrefix("time=2001-01-01T00:00:01.500Z level=") && line.contains(" request=\(id) event="))
            return line.replacing("time=2001-01-01T00:00:01.500Z ", with: "").replacing("request=\(id) ", with: "")
        }
    }

    private func event(
        _ event: RequestEvent, _ summary: RequestSummary? = nil, kind: RequestKind = .data, attempt: Int = 1,
        hop: Int = 0, lost: Int = 0
    ) -> SessionEvent {
        SessionEvent(
            requestID: id, kind: kind, attempt: attempt, hop: hop, date: Date(timeIntervalSinceReferenceDate: 1.5),
            event: event, summary: summary, lostBefore: lost)
    }

    private func summary(_ status: Int?, _ url: String = "http://h/a", _ error: AsyncNetError? = nil) throws
        -> RequestSummary
    {
        var summary = RequestSummary(request: HTTPRequestHead(url: try url.asURL()), error: error)
        summary.response = try status.map { HTTPResponseHead(statusCode: $0, url: try url.asURL()) }
        (summary.metrics.total, summary.metrics.attempts) = (.microseconds(1_234_567), 1)
        return summary
    }

    // MARK: Lines

    @Test("A WebSocket or raw stream logs failures at .errors, its end at .requests, other steps but bytes at .steps")
    func connections() async {
        let lost = AsyncNetError(.connectionLost, "gone")
        let steps: [(ConnectionEvent, RequestLog.Level, String)] = [
            (.opening, .steps, "level=debug event=opening"),
            (.sentMessage(isText: true, bytes: 3), .steps, "level=debug event=sentMessage bytes=3"),
            (.receivedClose(.goingAway), .steps, "level=debug event=receivedClose code=1001"),
            (.closed(nil), .requests, "level=info event=closed"),
            (.closed(AsyncNetError(.cancelled)), .requests, "level=info event=closed"),
            (.lost(lost, reopensAfter: .seconds(1)), .errors, "level=warning event=lost delay=1.000000s"),
            (.closed(lost), .errors, "level=error event=closed"),
        ]
        for (step, level, start) in steps {
            let event = event(.connection(step), kind: .webSocket, attempt: 0)
            let line = await lines(level, event).first ?? "none"
            #expect(line.hasPrefix(start), "\(line)")
            if let less = RequestLog.Level(rawValue: level.rawValue - 1) { #expect(await lines(less, event) == []) }
        }
        #expect(await lines(.steps, event(.connection(.sentBytes(1)), kind: .connection, attempt: 0)) == [])
    }

    @Test("The line of a finished request has its method, URL, status, attempts, times and sizes")
    func whole() async throws {
        var summary = try summary(200, "http://u:p@h/users/1?sig=x&page=2")
        summary.urlTemplate = "users/{id}"
        summary.metrics.timeToResponse = .milliseconds(500)
        (summary.metrics.sentBytes, summary.metrics.receivedBytes) = (3, 4)
        summary.metrics.redirects = [try "http://h/b".asURL()]
        var transport = TransportMetrics(httpVersion: "HTTP/2", isConnectionReused: true)
        transport.remoteAddress = "::1"
        summary.metrics.hops = [HopMetrics(url: try "http://h/b".asURL(), transport: transport)]
        #expect(
            await lines(.requests, event(.finished(nil), summary)) == [
                "level=info event=finished method=GET url=\"http://REDACTED:REDACTED@h/users/1?sig=REDACTED&page=2\" "
                    + "template=/users/{id} status=200 attempts=1 redirects=1 duration=1.234567s response=0.500000s "
                    + "sent=3 received=4 reused=true protocol=HTTP/2 address=::1"
            ])
    }

    @Test("The logged URL template has its secrets redacted")
    func templates() async throws {
        var summary = try summary(200)
        summary.urlTemplate = "http://u:planted@h/{a}?sig=planted&page=planted"
        let found = await lines(
            .requests, event(.finished(nil), summary), redaction: RedactionRule(queryNames: ["page"]))
        #expect(found.first?.contains(" template=\"/{a}?sig=REDACTED&page=REDACTED\" ") == true)
        #expect(found.first?.contains("planted") == false)
    }

    @Test("escaped(_:) replaces control characters and truncates long values")
    func escaped() {
        #expect(RequestLog.Entry.escaped("a=\"b\" \\ é") == "a=\"b\" \\ é")
        #expect(RequestLog.Entry.escaped("\u{1B}[31m\n\u{202E}") == "\\u001B[31m\\n\\u202E")
        #expect(RequestLog.Entry.escaped(String(repeating: "a", count: 3000)).count == 2001)
    }

    @Test("The log redacts the query items that a user's RedactionRule names")
    func redaction() async throws {
        let found = await lines(
            .requests, event(.finished(nil), try summary(200, "http://h/?page=2")),
            redaction: RedactionRule(queryNames: ["page"]))
        #expect(found.first?.contains("url=\"http://h/?page=REDACTED\"") == true)
    }

    @Test("The line of a failed request has its error, and no URL if the request could not be made")
    func failed() async throws {
        let error = AsyncNetError(.timedOut, "Nothing came")
        #expect(
            await lines(.requests, event(.finished(error), try summary(nil, "http://h/a", error))) == [
                "level=error event=finished method=GET url=http://h/a error=timedOut message=\"Nothing came\" "
                    + "attempts=1 redirects=0 duration=1.234567s sent=0 received=0"
            ])
        let unmade = await lines(.requests, event(.finished(error), RequestSummary(error: error), attempt: 0))
        #expect(unmade.first?.hasPrefix("level=error event=finished error=timedOut") == true)
    }

    @Test("At level .steps each step has a line, except chunks of bodies")
    func steps() async throws {
        let (head, url) = (HTTPRequestHead(url: try "http://h/?token=x".asURL()), "url=\"http://h/?token=REDACTED\"")
        let (response, error) = (HTTPResponseHead(statusCode: 302, url: head.url), AsyncNetError(.timedOut, "late"))
        let sent = SentHead(requestLine: "GET /?token=x HTTP/1.1", headers: [:])
        let bytes = WireBytes(sentHead: 1, sentBody: 2, receivedHead: 4, receivedBody: 8)
        let metrics = HopMetrics(url: head.url, transport: TransportMetrics(wireBytes: bytes))
        let cases: [(RequestEvent, String?)] = [
            (.created, "event=created"), (.resumed, "event=resumed"), (.suspended, "event=suspended"),
            (.adapted(head), "event=adapted method=GET \(url)"), (.attempt(1, head), "event=attempt method=GET \(url)"),
            (.queued, "event=queued"), (.admitted(after: .seconds(1)), "event=admitted duration=1.000000s"),
            (.shared, "event=shared"), (.hedged(2), "event=hedged transfer=2"), (.validated(nil), "event=validated"),
            (.validated(error), "event=validated error=timedOut message=late"),
            (.retried(error, after: .zero), "event=retried delay=0.000000s error=timedOut message=late"),
            (.refreshed(nil, after: .zero), "event=refreshed duration=0.000000s"),
            (.hop(head), "event=hop method=GET \(url)"),
            (.sent(sent), "event=sent line=\"GET /?<redacted> HTTP/1.1\""), (.repeated, "event=repeated"),
            (.informational(response), "event=informational status=302"),
            (
                .connected(ConnectionInfo(isReused: false, remoteAddress: "::1", remotePort: 443)),
                "event=connected reused=false address=::1 port=443"
            ),
            (.response(response), "event=response status=302"),
            (.cookiesStored(["a", "b\n"]), "event=cookiesStored names=\"a, b\\n\""),
            (
                .hopEnded(HopSummary(request: head, duration: .seconds(2), metrics: metrics)),
                "event=hopEnded ending=delivered duration=2.000000s sent=3 received=12"
            ),
            (
                .hopEnded(HopSummary(request: head, response: response, ending: .redirected(to: head))),
                "event=hopEnded ending=redirected status=302 to=\"http://h/?token=REDACTED\" duration=0.000000s"
            ),
            (
                .hopEnded(HopSummary(request: head, ending: .failed(error))),
                "event=hopEnded ending=failed error=timedOut message=late duration=0.000000s"
            ),
            (.decoded(type: "Data", after: .zero, nil), "event=decoded type=Data duration=0.000000s"),
            (.sentBody(bytes: 1, total: 1), nil), (.receivedBody(bytes: 1), nil), (.requestBody(Data([1])), nil),
            (.responseBody(Data([1])), nil),
        ]
        for (step, line) in cases {
            #expect(await lines(.steps, event(step, attempt: 0)) == (line.map { ["level=debug \($0)"] } ?? []))
            #expect(await lines(.requests, event(step, attempt: 0)).isEmpty)
        }
        #expect(
            await lines(.steps, event(.repeated, attempt: 2, hop: 3)) == [
                "level=debug event=repeated attempt=2 hop=3"
            ])
    }

    // MARK: Levels

    @Test("Outcomes have the severities info, warning or error, and a cancel is info")
    func levels() async throws {
        let cases: [(Int?, AsyncNetError.Code?, RequestLog.Severity)] = [
            (200, nil, .info), (304, nil, .info), (404, nil, .warning), (500, nil, .warning), (nil, .cancelled, .info),
            (nil, .timedOut, .error), (404, .unacceptableStatus, .error), (200, .cancelled, .info),
        ]
        for (status, code, severity) in cases {
            let error = code.map { AsyncNetError($0) }
            let end = event(.finished(error), try summary(status, "http://h/", error))
            for level in [RequestLog.Level.errors, .requests, .steps] {
                let found = await lines(level, end)
                let isWritten = level > .errors || severity >= .warning
                #expect(found.map { $0.hasPrefix("level=\(severity) ") } == (isWritten ? [true] : []))
            }
        }
    }

    @Test("A decoding failure is logged as an error, and a cancelled decoding is not")
    func decoding() async {
        let failed = event(.decoded(type: "User", after: .zero, AsyncNetError(.decodingFailed, "bad")))
        #expect(
            await lines(.errors, failed) == [
                "level=error event=decoded attempt=1 type=User duration=0.000000s error=decodingFailed message=bad"
            ])
        #expect(await lines(.requests, event(.decoded(type: "A", after: .zero, AsyncNetError(.cancelled)))).isEmpty)
    }

    @Test("A request slower than slowerThan is a warning; a stream is measured up to its response")
    func slow() async throws {
        var summary = try summary(200)
        summary.metrics.timeToResponse = .seconds(1)
        let (limit, end) = (Duration.microseconds(1_234_567), event(.finished(nil), summary))
        #expect(await lines(.errors, end, slowerThan: limit).first?.hasSuffix(" slow=true") == true)
        #expect(await lines(.errors, end, slowerThan: limit + .nanoseconds(1)).isEmpty)
        let stream = event(.finished(nil), summary, kind: .stream)
        #expect(await lines(.errors, stream, slowerThan: limit).isEmpty)
        #expect(await lines(.errors, stream, slowerThan: .seconds(1)).count == 1)
    }

    @Test("Lost events are logged with their number at each level")
    func lost() async {
        let lost = "level=warning event=lost count=7"
        #expect(await lines(.errors, event(.queued, attempt: 0, lost: 7)) == [lost])
        #expect(await lines(.steps, event(.queued, attempt: 0, lost: 7)) == [lost, "level=debug event=queued"])
    }

    @Test("A RequestLog requests only the costly events that its level writes")
    func interests() {
        #expect(RequestLog { _ in }.interests == .minimal)
        #expect(RequestLog(level: .errors) { _ in }.interests == .minimal)
        #expect(RequestLog(level: .steps) { _ in }.interests == EventInterests(sentHeads: true))
        #expect(!((RequestLog { _ in } as any EventMonitor) is any ImmediateMonitor))
    }

    // MARK: Hostile values

    @Test(
        "A logged value cannot end the line, begin another field, or control a terminal",
        arguments: [
            ("plain/a:b,c?d&e", "plain/a:b,c?d&e"), ("", #""""#), ("a b", #""a b""#), ("a=b", #""a=b""#),
            ("\"", #""\"""#), ("\\", #""\\""#), ("a\nlevel=error", #""a\nlevel=error""#), ("\r\n\t", #""\r\n\t""#),
            ("\0\u{1B}[31m\u{7F}", #""\u0000\u001B[31m\u007F""#), ("\u{85}\u{9B}", #""\u0085\u009B""#),
            ("\u{2028}\u{2029}", #""\u2028\u2029""#), ("\u{202E}\u{200B}\u{FEFF}", #""\u202E\u200B\uFEFF""#),
            ("é日😀", "\"é日😀\""), ("\"\u{301}", "\"\\\"\u{301}\""), ("\u{E0001}", #""\uDB40\uDC01""#),
        ])
    func hostile(_ value: String, _ shown: String) {
        #expect(value.asLogValue == shown)
    }

    @Test("A long value is truncated in the log")
    func long() {
        #expect(String(repeating: "a", count: 2000).asLogValue.count == 2000)
        #expect(String(repeating: "a", count: 2001).asLogValue == "\"\(String(repeating: "a", count: 2000))…\"")
    }

    // MARK: A session

    @Test("A log whose closure blocks does not delay requests, and writes a line for each")
    func session() async throws {
        let gate = DispatchSemaphore(value: 0)
        let lines = Locked<[String]>([])
        let log = RequestLog { line in
            gate.wait()
            lines.withLock { $0.append(line) }
        }
        let session = Session(transport: StubTransport { _ in .status(200) }, configuration: .init(monitors: [log]))
        for _ in 0..<3 { _ = try await session.request("http://h/").serializing(Data.self).value }
        #expect(lines.withLock { $0.isEmpty })
        for _ in 0..<3 { gate.signal() }
        await session.finish()
        #expect(lines.withLock { $0.count } == 3)
    }

    @Test("A format closure gets the fields of an entry unescaped")
    func format() async throws {
        let lines = Locked<[String]>([])
        let log = RequestLog(format: { entry in
            "\(entry.severity) \(entry["url"] ?? "") \(entry["none"] ?? "none") \(entry.fields.count)"
        }) { line in lines.withLock { $0.append(line) } }
        await log.receive(event(.finished(nil), try summary(200, "http://h/?q=%20\"")))
        #expect(lines.withLock { $0 } == ["info http://h/?q=%20%22 none 9"])
    }
}
