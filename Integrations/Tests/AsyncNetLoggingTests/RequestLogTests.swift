import AsyncNet
import AsyncNetLogging
import AsyncNetMonitors
import AsyncNetTesting
import Foundation
import InMemoryLogging
import Logging
import Testing

@Suite("A request log over swift-log", .timeLimit(.minutes(1)))
struct RequestLogTests {
    private let handler = InMemoryLogHandler()

    private func logger(_ level: Logger.Level = .trace) -> Logger {
        var logger = Logger(label: "http") { [handler] _ in handler }
        logger.logLevel = level
        return logger
    }

    /// Makes requests over a transport that responds with the status in the path; all is logged when this returns.
    private func send(_ paths: String..., log: RequestLog) async {
        let stub = StubTransport { request in
            request.path == "/lost" ? .fault(.resetBeforeHead) : .text("", status: Int(request.path.dropFirst()) ?? 200)
        }
        let session = Session(transport: stub, configuration: .init(monitors: [log]))
        for path in paths {
            _ = await session.request("http://user:password@example.com\(path)").serializing(Data.self).response
        }
        await session.finish()
    }

    @Test("A request that ended is a message with its metadata")
    func metadata() async throws {
        await send("/200?sig=secret&page=1", log: RequestLog(to: logger()))
        let entry = try #require(handler.entries.first { $0.message == "finished" })
        #expect(entry.level == .info)
        #expect(entry.metadata["method"] == "GET")
        #expect(entry.metadata["status"] == "200")
        #expect(entry.metadata["attempts"] == "1")
        #expect(entry.metadata["url"] == "http://example.com/200?sig=REDACTED&page=1")
        #expect(entry.metadata["event"] == nil)
        #expect(entry.metadata["request"].map { "\($0)".hasPrefix("#") } == true)
        #expect(!"\(handler.entries)".contains("secret"))
        #expect(!"\(handler.entries)".contains("password"))
    }

    @Test("Levels follow the outcome", arguments: [("/200", Logger.Level.info), ("/404", .warning), ("/lost", .error)])
    func levels(path: String, level: Logger.Level) async throws {
        await send(path, log: RequestLog(to: logger()))
        let entry = try #require(handler.entries.first { $0.message == "finished" })
        #expect(entry.level == level)
        #expect((entry.metadata["error"] == nil) == (level != .error))
    }

    @Test("The level of RequestLog chooses which lines are made, the level of the Logger which of them are written")
    func amounts() async {
        await send("/200", "/404", log: RequestLog(to: logger(), level: .errors))
        #expect(handler.entries.map(\.level) == [.warning])
        handler.clear()
        await send("/200", log: RequestLog(to: logger(), level: .steps))
        #expect(handler.entries.contains { $0.message == "hop" && $0.level == .debug })
        #expect(handler.entries.filter { $0.message == "finished" }.count == 1)
        handler.clear()
        await send("/200", "/404", log: RequestLog(to: logger(.warning), level: .steps))
        #expect(handler.entries.map(\.level) == [.warning])
    }

    @Test("Text of a server cannot control a terminal")
    func escaping() async {
        let log = RequestLog(to: logger(), level: .steps)
        let id = Session(transport: StubTransport()).request("http://example.com").id
        await log.receive(SessionEvent(requestID: id, event: .cookiesStored(["a\u{1B}[31m"])))
        #expect(handler.entries.map { $0.metadata["names"] } == ["a\\u001B[31m"])
    }

    @Test("Slow requests are warnings")
    func slow() async {
        await send("/200", log: RequestLog(to: logger(), slowerThan: .zero))
        #expect(handler.entries.contains { $0.level == .warning && $0.metadata["slow"] == "true" })
    }

    @Test("Names and values of a user's rule are redacted")
    func redaction() async {
        await send("/200?code=secret", log: RequestLog(to: logger(), redaction: RedactionRule(queryNames: ["code"])))
        #expect(!handler.entries.isEmpty)
        #expect(!"\(handler.entries)".contains("secret"))
    }
}
