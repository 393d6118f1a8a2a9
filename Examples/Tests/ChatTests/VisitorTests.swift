import AsyncNet
import Foundation
import Testing

@testable import chat

@Suite struct VisitorTests {
    @Test func printsEachLineOnceAndJoinsAfterTheLastOne() async throws {
        let visitor = Visitor(name: "Ada")
        #expect(try await Self.joined(visitor) == .join(name: "Ada", after: 0))
        #expect(try await visitor.seen(.text(#"{"number": 1, "name": "Ben", "text": "hello"}"#)) == "Ben: hello")
        #expect(try await visitor.seen(.binary(Data(#"{"number": 2, "name": "Ben", "text": "?"}"#.utf8))) == "Ben: ?")
        #expect(try await visitor.seen(.text(#"{"number": 1, "name": "Ben", "text": "hello"}"#)) == nil)
        #expect(try await Self.joined(visitor) == .join(name: "Ada", after: 2))
    }

    @Test func refusesWhatIsNoLine() async {
        await #expect(throws: DecodingError.self) { try await Visitor(name: "Ada").seen(.text(#"{"text": 1}"#)) }
    }

    @Test func contributionsAreObjectsWithAType() throws {
        let said = try Contribution.say("hi").message()
        #expect(try Self.contribution(said) == .say("hi"))
        #expect(try JSON(parsing: Self.text(said))["type"].string == "say")
    }

    private static func joined(_ visitor: Visitor) async throws -> Contribution {
        try contribution(try await visitor.joining())
    }

    private static func contribution(_ message: WebSocketMessage) throws -> Contribution {
        try JSONDecoder().decode(Contribution.self, from: Data(text(message).utf8))
    }

    private static func text(_ message: WebSocketMessage) -> String {
        if case .text(let text) = message { text } else { "" }
    }
}
