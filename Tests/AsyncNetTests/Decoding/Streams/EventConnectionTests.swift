import Foundation
import Testing

@testable import AsyncNet

@Suite("Connections of an event stream")
struct EventConnectionTests {
    private static let url = URL(string: "http://a/")
    private func head(_ status: Int, _ headers: HTTPHeaders = [:]) throws -> HTTPResponseHead {
        var all: HTTPHeaders = ["Content-Type": "text/event-stream"]
        for header in headers { all.update(header) }
        return HTTPResponseHead(statusCode: status, url: try #require(Self.url), headers: all)
    }

    private func connection(
        _ policy: EventReconnection = .ifResumable(delay: .seconds(3), maximumDelay: .seconds(20)),
        after text: String = "id: 1\n\n",
        _ headers: HTTPHeaders = [:]
    ) throws -> EventConnection {
        var connection = EventConnection(policy)
        #expect(try connection.open(head(200, headers)))
        _ = try connection.receive(Data(text.utf8))
        return connection
    }

    @Test(
        "A first response with 204 ends the stream; another status than 200, or another type, is an error",
        arguments: [
            (204, nil, nil), (404, nil, .unacceptableStatus), (500, nil, .unacceptableStatus),
            (200, "text/html; charset=utf-8", .unacceptableContentType),
            (200, "application/problem+json", .unacceptableContentType), (200, "text/plain", .unacceptableContentType),
            (200, "", .unacceptableContentType),
            (201, nil, .unacceptableStatus), (206, nil, .unacceptableStatus), (301, nil, .unacceptableStatus),
            (205, nil, .unacceptableStatus),
        ] as [(Int, String?, AsyncNetError.Code?)])
    func opening(_ status: Int, _ type: String?, _ code: AsyncNetError.Code?) throws {
        var connection = EventConnection(.always())
        let head = try head(status, type.map { ["Content-Type": $0] } ?? [:])
        if let code {
            #expect { try connection.open(head) } throws: { ($0 as? AsyncNetError)?.code == code }
        } else {
            #expect(try connection.open(head) == false)
        }
        #expect(connection.end(nil, statusCode: status, jitter: 0) == nil)
    }

    @Test(
        "A reconnection with a status other than 200 and 204 ends with unacceptableStatus",
        arguments: [EventReconnection.ifResumable(), .always()], [201, 205, 301, 401, 403, 404, 410, 500, 503])
    func reconnectionRefused(_ policy: EventReconnection, _ status: Int) throws {
        for error in [nil, AsyncNetError(.connectionLost)] {
            var connection = try connection(policy)
            #expect(connection.end(error, statusCode: 200, jitter: 0) != nil)
            #expect { try connection.open(head(status)) } throws: { error in
                (error as? AsyncNetError).map { $0.code == .unacceptableStatus && $0.message.contains("\(status)") }
                    == true
            }
        }
    }

    @Test(
        "Policy, id, Content-Length and error decide whether a stream reconnects",
        arguments: [
            (.never, "id: 1\nretry: 1\n\n", nil, nil, false), (.ifResumable(), "data: 1\n\n", nil, nil, false),
            (.ifResumable(), "id: 1\n\n", nil, nil, true),
            (.ifResumable(), "retry: 1\n\n", nil, nil, true), (.ifResumable(), "id: 1\n\n", "7", nil, false),
            (.ifResumable(), "id: 1\n\n", "70", .bodyEndedEarly, true),
            (.ifResumable(), "data: 1\n\n", nil, .connectionLost, false), (.always(), "data: 1\n\n", "9", nil, true),
            (.always(), "", nil, .timedOut, true),
            (.always(), "", nil, .circuitOpen, true), (.always(), "", nil, .proxyNotFound, true),
            (.always(), "", nil, .decodingFailed, false), (.always(), "", nil, .certificateNotTrusted, false),
            (.always(), "", nil, .bodyTooLarge, false),
            (.ifResumable(), "id: 1\n\nid\n\n", nil, nil, false), (.ifResumable(), "id: 1\n", nil, nil, false),
        ] as [(EventReconnection, String, String?, AsyncNetError.Code?, Bool)])
    func occasions(
        _ policy: EventReconnection, _ text: String, _ length: String?, _ code: AsyncNetError.Code?, _ connects: Bool
    ) throws {
        var connection = try connection(policy, after: text, length.map { ["Content-Length": $0] } ?? [:])
        #expect((connection.end(code.map { AsyncNetError($0) }, statusCode: 200, jitter: 0) != nil) == connects)
    }

    @Test(
        "After 429, 502 or 503 a reconnection is tried again, and 401 or 404 ends the stream",
        arguments: [(503, true), (429, true), (502, true), (401, false), (404, false)])
    func statuses(_ status: Int, _ connects: Bool) throws {
        var connection = try connection()
        _ = connection.end(AsyncNetError(.connectionLost), statusCode: 200, jitter: 0)
        let error = #expect(throws: AsyncNetError.self) { try connection.open(head(status)) }
        #expect(error?.code == .unacceptableStatus)
        #expect((connection.end(error, statusCode: status, jitter: 0) != nil) == connects)
    }

    @Test("Delays grow with consecutive failures, to a limit, and an event resets them")
    func delays() throws {
        var connection = try connection(
            .ifResumable(delay: .seconds(3), maximumDelay: .seconds(20), limit: 4), after: "id: 1\ndata: 1\n\n")
        let lost = AsyncNetError(.connectionLost)
        #expect(connection.end(nil, statusCode: 200, jitter: 1) == .seconds(3))
        #expect(connection.end(lost, statusCode: nil, jitter: 1) == .seconds(3))
        #expect(connection.end(lost, statusCode: nil, jitter: 1) == .seconds(6))
        #expect(connection.end(lost, statusCode: nil, jitter: 0) == .seconds(6))
        #expect(connection.end(lost, statusCode: nil, jitter: 1) == .seconds(20))
        #expect(connection.end(lost, statusCode: nil, jitter: 1) == nil)
        #expect(try connection.open(head(200)))
        _ = try connection.receive(Data("retry: 30000\ndata: 2\n\n".utf8))
        #expect(connection.end(lost, statusCode: 200, jitter: 1) == .seconds(30))
        #expect(connection.end(lost, statusCode: nil, jitter: 1) == .seconds(30))
    }

    @Test(
        "The delay that retry: gives is clamped to maximumRetry",
        arguments: [
            ("299999", 300, 299_999), ("300001", 300, 300_000), ("99999999999999999999999999", 300, 300_000),
            ("86400000", 3600, 3_600_000), ("0", 300, 0), ("5000", 1, 1000),
        ])
    func retry(_ text: String, _ bound: Int, _ milliseconds: Int) throws {
        var connection = try connection(.ifResumable(maximumRetry: .seconds(bound)), after: "retry: \(text)\n\n")
        #expect(connection.end(nil, statusCode: 200, jitter: 0) == .milliseconds(milliseconds))
        #expect(
            connection.end(AsyncNetError(.connectionLost), statusCode: nil, jitter: 1) == .milliseconds(milliseconds))
        #expect(EventReconnection.always().maximumRetry == .seconds(300))
    }

    @Test(
        "After a refused reconnection the delay is the later of Retry-After and retry:, up to maximumRetry",
        arguments: [
            (503, "20", 3000, 20_000), (429, "20", 3000, 20_000), (503, "1", 3000, 3000), (503, "300", 3000, 300_000),
            (503, "301", 3000, nil), (503, "soon", 3000, 3000), (401, "1", 3000, nil), (503, "5", 30, 5000),
        ] as [(Int, String, Int, Int?)])
    func retryAfter(_ status: Int, _ value: String, _ retry: Int, _ milliseconds: Int?) throws {
        var connection = try connection(after: "retry: \(retry)\n\n")
        _ = connection.end(nil, statusCode: 200, jitter: 0)
        let head = try head(status, ["Retry-After": value])
        let error = #expect(throws: AsyncNetError.self) { try connection.open(head) }
        #expect(error?.code == .unacceptableStatus)
        let next = connection.end(error, head, now: Date(timeIntervalSince1970: 0), jitter: 0)
        #expect(next?.delay == milliseconds.map { .milliseconds($0) })
    }

    @Test("A reconnection after a failed one is a retry, and a reconnection after an open stream is not")
    func retries() throws {
        var connection = try connection()
        let now = Date(timeIntervalSince1970: 0)
        let ends = [nil, nil, AsyncNetError(.cannotConnect), AsyncNetError(.cannotConnect)]
        #expect(ends.map { connection.end($0, nil, now: now, jitter: 0)?.isRetry } == [false, false, true, true])
        #expect(connection.failedAttempts == 2)
        #expect(try connection.open(head(200)))
        #expect(connection.failedAttempts == 2)
        _ = try connection.receive(Data("data: 2\n\n".utf8))
        #expect(connection.failedAttempts == 0)
        let lost = try connection.end(AsyncNetError(.connectionLost), head(200), now: now, jitter: 0)
        #expect(lost?.isRetry == false && connection.failedAttempts == 1)
    }

    @Test(
        "The limit counts connections in a row without an event: refused, lost, and ended after they were accepted",
        arguments: [
            ("..", false), ("...", true), ("xx", false), ("xxx", true), (".x.", true), ("x.x", true), (".e..", false),
            (".xe...", true), ("..e..e..", false), ("xxE..", false), ("xxExxx", true), ("EEEE", false),
        ])
    func limit(_ connections: String, _ isEnded: Bool) throws {
        var connection = EventConnection(.always(limit: 2))
        #expect(try connection.open(head(200)))
        _ = try connection.receive(Data("data: 1\n\n".utf8))
        _ = connection.end(nil, statusCode: 200, jitter: 0)
        var reconnections: [Bool] = []
        for kind in connections { reconnections.append(try reconnects(&connection, as: kind)) }
        #expect(reconnections == reconnections.indices.map { !(isEnded && $0 == reconnections.count - 1) })
    }

    /// Ends a connection: `.` accepted without an event, `e` with an event, `E` with an event and lost, `x` refused.
    private func reconnects(_ connection: inout EventConnection, as kind: Character) throws -> Bool {
        if kind == "x" { return connection.end(AsyncNetError(.cannotConnect), statusCode: nil, jitter: 0) != nil }
        #expect(try connection.open(head(200)))
        if "eE".contains(kind) { _ = try connection.receive(Data("data: 1\n\n".utf8)) }
        let error = kind == "E" ? AsyncNetError(.connectionLost) : nil
        if error == nil {
            do { try connection.checkLimit() } catch {
                #expect(error.code == .connectionLost && error.message.contains("3 connections in a row"))
                #expect(connection.end(error, statusCode: 200, jitter: 0) == nil)
                return false
            }
        }
        return connection.end(error, statusCode: 200, jitter: 0) != nil
    }

    @Test("An incomplete event does not change the last event id; id and retry: apply to the next connection")
    func state() throws {
        var connection = try connection(after: "id: a\nretry: 5\ndata: 1\n\nid: b\ndata: 2\n")
        #expect(connection.lastEventID == "a")
        #expect(connection.end(AsyncNetError(.connectionLost), statusCode: 200, jitter: 0) == .milliseconds(5))
        #expect(try connection.open(head(200)))
        #expect(
            try connection.receive(Data("data: 3\n\n".utf8)) == [
                ServerSentEvent(id: "a", data: "3", retry: .milliseconds(5))
            ])
    }

    @Test("A delay beyond the clock's range is clamped to the longest one")
    func endless() throws {
        var connection = try connection(
            .always(delay: .seconds(Int64.max), maximumDelay: .seconds(Int64.max), limit: nil))
        for _ in 0..<40 {
            let wait = connection.end(AsyncNetError(.connectionLost), statusCode: nil, jitter: 1)
            #expect(wait.map { $0 > .seconds(1_000_000) } == true)
        }
    }
}

extension EventConnection {
    /// The delay after a connection whose response had this status and no headers.
    fileprivate mutating func end(_ error: AsyncNetError?, statusCode: Int?, jitter: Double) -> Duration? {
        let head = statusCode.flatMap { status in
            URL(string: "http://a/").map { HTTPResponseHead(statusCode: status, url: $0, headers: [:]) }
        }
        return end(error, head, now: Date(timeIntervalSince1970: 0), jitter: jitter)?.delay
    }
}
