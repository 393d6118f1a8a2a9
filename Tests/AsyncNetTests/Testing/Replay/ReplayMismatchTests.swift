import AsyncNet
import Foundation
import Testing

@testable import AsyncNetTestSupport

/// The texts that users see, whole.
@Suite("Texts of replay mismatches", .timeLimit(.minutes(5)))
struct ReplayMismatchTests {
    typealias Request = RecordedExchange.Request

    private static let recording = Recording([
        .text(Request("GET /users/2?page=1&token=abc")),
        .text(
            Request(
                "POST /users", #"{"name":"Ada","address":{"city":"Bern"},"password":"old"}"#,
                type: "application/json")),
        .text(Request("GET /users/3")),
    ])
    private static let file = URL(filePath: FileManager.default.currentDirectoryPath + "/fixtures/users.har")
    private static let again =
        "run the test with ASYNCNET_RECORD=all (trait .recordedNetwork), "
        + "or write a RecordingTransport's recording to fixtures/users.har."

    private func source(
        _ recording: Recording = Self.recording, _ matchers: [RequestMatcher] = RequestMatcher.standard,
        file: URL? = Self.file
    ) -> ReplaySource {
        ReplaySource(
            ReplayPlan(recording, RequestComparison(matchers, .standard), file: file), reusesLast: false)
    }

    private func mismatch(_ requests: Request..., from source: ReplaySource) throws -> ReplayMismatch {
        for request in requests { _ = source.take(request) }
        return try #require(source.unmatched.last)
    }

    @Test("The mismatch of another path names the nearest exchange and each difference")
    func wrongPath() throws {
        let mismatch = try mismatch(Request("GET /users/1?token=new&page=2"), from: source())
        #expect(
            mismatch.description == """
                No exchange of fixtures/users.har matches GET https://api.example.com/users/1?token=REDACTED&page=2.
                The nearest is exchange 1 of 3, GET https://api.example.com/users/2?page=1&token=REDACTED. Sent ≠ recorded:
                - path: /users/1 ≠ /users/2
                - query page: 2 ≠ 1
                Send what was recorded, or record again: \(Self.again)
                """)
        #expect(mismatch.nearest == 1)
        #expect(mismatch.differences == ["path: /users/1 ≠ /users/2", "query page: 2 ≠ 1"])
        #expect(mismatch.request.url.absoluteString.contains("token=REDACTED"))
    }

    @Test("The mismatch of another body shows the path of the differing field and both values")
    func changedField() throws {
        let body = #"{"password":"new","name":"Ada","address":{"city":"Rom"}}"#
        let mismatch = try mismatch(Request("POST /users", body, type: "application/json"), from: source())
        #expect(
            mismatch.description == """
                No exchange of fixtures/users.har matches POST https://api.example.com/users.
                The nearest is exchange 2 of 3, POST https://api.example.com/users. Sent ≠ recorded:
                - body.address.city: "Rom" ≠ "Bern"
                Send what was recorded, or record again: \(Self.again)
                """)
    }

    @Test("The mismatch of a request sent more often than recorded says how often it was recorded")
    func missing() throws {
        let mismatch = try mismatch(Request("GET /users/3"), Request("GET /users/3"), from: source())
        #expect(
            mismatch.description == """
                No exchange of fixtures/users.har is left for GET https://api.example.com/users/3.
                Exchange 3 matches, and has been used: the request was recorded once, and sent more often.
                Send it as often as it was recorded, replay with reusesLast: true, or record again: \(Self.again)
                """)
        #expect(mismatch.nearest == 3)
        #expect(mismatch.differences.isEmpty)
        let twice = Recording([.text(Request("GET /a")), .text(Request("GET /a"))])
        let other = try self.mismatch(
            Request("GET /a"), Request("GET /a"), Request("GET /a"), from: source(twice))
        #expect(
            other.description.contains("Exchanges 1, 2 match, and have been used: the request was recorded 2 times"))
    }

    @Test("verify() lists unused exchanges and unmatched requests")
    func unused() throws {
        let source = source()
        for request in [Request("GET /users/3"), Request("GET /users/4")] { _ = source.take(request) }
        #expect(
            source.differences == [
                """
                No exchange of fixtures/users.har matches GET https://api.example.com/users/4.
                  The nearest is exchange 1 of 3, GET https://api.example.com/users/2?page=1&token=REDACTED. \
                Sent ≠ recorded:
                  - path: /users/4 ≠ /users/2
                  - query page: (missing) ≠ 1
                  - query token: (missing) ≠ REDACTED
                  Send what was recorded, or record again: \(Self.again)
                """,
                "exchange 1 of fixtures/users.har, GET https://api.example.com/users/2?page=1&token=REDACTED: "
                    + "recorded, but not requested",
                "exchange 2 of fixtures/users.har, POST https://api.example.com/users: recorded, but not requested",
            ])
    }

    @Test("A mismatch says if the recording is empty, or if a custom matcher returned false")
    func otherReasons() throws {
        let empty = try mismatch(Request("GET /a"), from: source(Recording(), file: nil))
        #expect(
            empty.description.hasPrefix(
                "No exchange of the recording matches GET https://api.example.com/a.\nIt has no exchanges.\nRecord again: "
            ))
        #expect(empty.nearest == nil)
        let matchers = RequestMatcher.standard + [.custom { _, _ in false }]
        let refused = try mismatch(Request("GET /users/3"), from: source(Self.recording, matchers))
        #expect(refused.nearest == 3)
        #expect(refused.differences == ["custom matcher: its closure returned false"])
    }

    @Test("The error of an unmatched request names the nearest exchange and the differing parts, without values")
    func error() throws {
        let mismatch = try mismatch(Request("GET /users/1?a=1&b=2&c=3"), from: source())
        #expect(
            mismatch.error.message == "No recorded exchange matches the request; the nearest is exchange 3 of "
                + "fixtures/users.har, which differs in path, query a, query b and more")
        #expect(mismatch.error.underlyingError is ReplayMismatch)
        let used = try self.mismatch(Request("GET /users/3"), Request("GET /users/3"), from: source())
        #expect(
            used.error.message == "All recorded exchanges that match the request have been used (once); "
                + "the last is exchange 3 of fixtures/users.har")
    }

    @Test("A mismatch lists at most twelve differences, and truncates long URLs")
    func longTexts() throws {
        let query = (10..<40).map { "k\($0)=\($0)" }.joined(separator: "&")
        let mismatch = try mismatch(
            Request("GET /users/3?\(query)&z=\(String(repeating: "z", count: 400))"), from: source())
        let lines = mismatch.description.split(separator: "\n")
        #expect(lines.count == 2 + 12 + 1 + 1)
        #expect(lines[14] == "- and 19 more")
        #expect(mismatch.differences.count == 31)
        #expect(lines.allSatisfy { $0.count < 300 })
    }

    @Test("A mismatch shows no secret of the request or of the recording")
    func secrets() throws {
        let recorded = Request(
            "POST https://u:hunter2@api.example.com/a;jsessionid=hunter2?api_key=hunter2",
            #"{"password":"hunter2","n":1}"#, type: "application/json",
            headers: ["Authorization": "Bearer hunter2", "Cookie": "a=hunter2"])
        let sent = Request(
            "POST https://v:swordfish@api.example.com/b;jsessionid=swordfish?api_key=swordfish&code=swordfish",
            #"{"password":"swordfish","n":2,"token":"swordfish"}"#, type: "application/json",
            headers: ["X-Api-Key": "swordfish", "Cookie": "a=swordfish"])
        let matchers = RequestMatcher.standard + [.headers("Authorization", "Cookie", "X-Api-Key")]
        let source = source(Recording([.text(recorded)]), matchers)
        let mismatch = try mismatch(sent, from: source)
        var dumped = ""
        dump(mismatch, to: &dumped)
        let error = mismatch.error
        for text in [
            mismatch.description, "\(mismatch.differences)", dumped, "\(error)", error.debugDescription,
            "\(source.differences)", "\(mismatch.request.url)", String(decoding: mismatch.request.body, as: UTF8.self),
        ] {
            #expect(!text.contains("swordfish"))
            #expect(!text.contains("hunter2"))
        }
        #expect(mismatch.differences.contains("body.n: 2 ≠ 1"))
    }
}
