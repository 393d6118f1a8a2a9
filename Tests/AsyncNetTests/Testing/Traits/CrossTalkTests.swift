import AsyncNet
import AsyncNetTestSupport
import Foundation
import Testing

@testable import AsyncNetTesting

private let globalSession = Session()

/// Where the session of a request is made.
private enum Place: String, CaseIterable, Sendable {
    case local, property, type, global, service, detached

    static let typeSession = Session()

    struct Service: Sendable {
        private let session = Session()
        func text(_ url: String) async throws -> String { try await session.get(url).serializing(String.self).value }
    }

    /// - Parameter property: The session in the property of a suite.
    func text(_ path: String, _ property: Session) async throws -> String {
        let url = TaggedSite.base + path
        switch self {
        case .service: return try await Service().text(url)
        case .detached:
            let session = Session(transport: .current)
            return try await Task.detached { try await session.get(url).serializing(String.self).value }.value
        default: return try await session(property).get(url).serializing(String.self).value
        }
    }

    private func session(_ property: Session) -> Session {
        switch self {
        case .property: property
        case .type: Self.typeSession
        case .global: globalSession
        default: Session()
        }
    }

    /// Sends three requests at a time, checks each response, and that the stub has seen these only.
    func check(_ kind: String, _ number: Int, _ property: Session) async throws {
        let paths = (1...3).map { "\(kind)/\(rawValue)/\(number)/\($0)" }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for path in paths { group.addTask { try await text(path, property) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(texts == Set(paths.map { "\(kind): /\($0)" }))
    }
}

/// 540 tests at a time, each with a network of its own, with sessions made in six places, two of which all tests share.
@Suite("Concurrent tests with network traits", .stubbedNetwork { .text("outer: \($0.path)") }, .timeLimit(.minutes(5)))
struct CrossTalkTests {
    private let session = Session()

    /// Checks that the stub of the test has received the test's requests only.
    private static func checkLog(_ kind: String, _ place: Place, _ number: Int) throws {
        let paths = try #require(StubTransport.current).requests.map(\.path).sorted()
        #expect(paths == (1...3).map { "/\(kind)/\(place.rawValue)/\(number)/\($0)" })
    }

    @Test("Concurrent tests with their suite's trait get their own responses", arguments: Place.allCases, 0..<40)
    private func outer(_ place: Place, _ number: Int) async throws {
        try await place.check("outer", number, session)
        try Self.checkLog("outer", place, number)
    }

    @Suite(.stubbedNetwork { .text("suite: \($0.path)") })
    struct Inner {
        private let session = Session()

        /// The route's count is verified for each test.
        @Test(
            "Concurrent tests with a trait of their own get their own responses",
            .stubbedNetwork(.get, "/inner/:place/:number/:request", times: 3) { .text("inner: \($0.path)") },
            arguments: Place.allCases, 0..<30)
        private func inner(_ place: Place, _ number: Int) async throws {
            try await place.check("inner", number, session)
            try CrossTalkTests.checkLog("inner", place, number)
        }

        @Suite(.stubbedNetwork { .text("innermost: \($0.path)") })
        struct Innermost {
            private let session = Session()

            /// Records from the stub, then replays.
            @Test(
                "Concurrent tests that record and replay get their own responses",
                .stubbedNetwork { .text("recorded: \($0.path)") }, arguments: Place.allCases, 0..<20)
            private func recorded(_ place: Place, _ number: Int) async throws {
                let folder = try TemporaryFolder()
                var trait: RecordedNetwork = .recordedNetwork(
                    folder.url.appending(path: "{test}.har").path, unused: .fail)
                trait.settings.environment = [:]
                for _ in 1...2 {
                    try await withTrait(trait) { try await place.check("recorded", number, session) }
                }
                try CrossTalkTests.checkLog("recorded", place, number)
                #expect(folder.contents.count == 1)
            }
        }
    }
}
