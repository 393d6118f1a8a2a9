import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

/// APIs of language models answer a request for events with 200 and their error as JSON.
@Suite("Errors in place of events", .timeLimit(.minutes(5)))
struct EventStreamProblemTests {
    private struct Problem: Decodable, Error, Equatable {
        struct Details: Decodable, Equatable { var message: String }
        var error: Details
    }

    /// The error of a stream whose server responds with this body.
    private func refusal(_ headers: HTTPHeaders, _ body: String) async throws -> AsyncNetError {
        try await withServer(.json(body)) { (server: MockServer) async throws in
            let stream = Session().stream(server.url(), method: .post, parameters: ["a": 1], headers: headers)
            let error = await #expect(throws: AsyncNetError.self) {
                for try await _ in stream.validate(decoding: Problem.self).serverSentEvents {}
            }
            #expect(error?.code == .unacceptableContentType && error?.statusCode == 200)
            return try #require(error)
        }
    }

    @Test(
        "A 200 with JSON in place of events is an error whose underlying error is the decoded body",
        arguments: [[:], ["Accept": "application/json, text/event-stream"]] as [HTTPHeaders])
    func decoded(_ headers: HTTPHeaders) async throws {
        let error = try await refusal(headers, #"{"error":{"message":"no credit"}}"#)
        #expect(error.underlyingError as? Problem == Problem(error: .init(message: "no credit")))
        #expect(error.data == Data(#"{"error":{"message":"no credit"}}"#.utf8))
    }

    @Test("A 200 with JSON that cannot be decoded as the problem is an error without an underlying error")
    func notDecoded() async throws {
        #expect(try await refusal([:], "[]").underlyingError == nil)
    }
}
