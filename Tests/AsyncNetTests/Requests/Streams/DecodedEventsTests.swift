import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Decoded events", .timeLimit(.minutes(5)))
struct DecodedEventsTests {
    struct Price: Codable, Equatable, Sendable { var price: Int }

    private let clock = TestClock()

    private func stream(_ text: String) -> StreamRequest {
        Session(
            transport: StubTransport { _ in .status(200, headers: ["Content-Type": "text/event-stream"], body: text) },
            configuration: .init(clock: clock)
        ).stream("http://a/prices?secret=1")
    }

    @Test("The data of each event is decoded, and events without data are skipped")
    func values() async throws {
        let text =
            "id: 1\ndata: {\"price\":1}\n\n: comment\n\ndata\n\nevent: ping\ndata:\n\ndata: {\"price\":\ndata: 2}\n\n"
        var found: [Price] = []
        for try await price in stream(text).serverSentEvents(reconnection: .never).decoding(Price.self) {
            found.append(price)
        }
        #expect(found == [Price(price: 1), Price(price: 2)])
    }

    @Test("Events that pass filter and prefix are decoded by the given decoder")
    func operators() async throws {
        struct Name: Decodable, Sendable { var firstName: String }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let text =
            "event: a\ndata: {\"first_name\":\"Ada\"}\n\nevent: b\ndata: 1\n\nevent: a\ndata: [DONE]\n\ndata: 2\n\n"
        var found: [String] = []
        let events = stream(text).serverSentEvents(reconnection: .never).filter { $0.event == "a" }
        for try await name in try events.prefix(while: { $0.data != "[DONE]" }).decoding(Name.self, decoder: decoder) {
            found.append(name.firstName)
        }
        #expect(found == ["Ada"])
    }

    @Test(
        "Data that cannot be decoded throws decodingFailed with the event's id and the request",
        arguments: [
            ("id: 7\ndata: {}\n\n", "event \"7\""), ("data: {}\n\n", "an event without id"),
            ("id: \u{1B}[2J\ndata: {}\n\n", #"event "\u{1B}[2J""#),
            (
                "id: \(String(repeating: "x", count: 5000))\ndata: {}\n\n",
                "event \"\(String(repeating: "x", count: 100))\""
            ),
        ])
    func errors(_ text: String, _ name: String) async throws {
        let stream = stream("data: {\"price\":1}\n\n" + text)
        var found: [Price] = []
        let error = await #expect(throws: AsyncNetError.self) {
            for try await price in stream.serverSentEvents.decoding(Price.self) { found.append(price) }
        }
        #expect(found.count == 1 && error?.code == .decodingFailed && error?.underlyingError is DecodingError)
        #expect(error?.message == "The data of \(name) could not be decoded as Price. price is missing")
        #expect(error?.data == Data("{}".utf8))
        #expect(
            error?.description.contains("http://a/prices") == true && error?.description.contains("secret") == false)
        await clock.settled()
        #expect(await [.finished, .cancelled].contains(stream.state))
    }

    @Test("A stream with an unacceptable status ends a decoding loop with that error")
    func refused() async throws {
        let stream = Session(transport: StubTransport { _ in .status(500) }).stream("http://a/")
        let error = await #expect(throws: AsyncNetError.self) {
            for try await _ in stream.serverSentEvents.decoding(Price.self) {}
        }
        #expect(error?.code == .unacceptableStatus)
    }
}
