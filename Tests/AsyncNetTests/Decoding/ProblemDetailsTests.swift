import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

/// Bodies of refused responses as typed errors (RFC 9457).
@Suite("Problem details", .timeLimit(.minutes(5)))
struct ProblemDetailsTests {
    /// The example of RFC 9457 §3.
    private static let json = """
        {"type":"https://example.com/probs/out-of-credit","title":"You do not have enough credit.",
        "detail":"Your current balance is 30, but that costs 50.","instance":"/account/12345/msgs/abc",
        "balance":30,"accounts":["/account/12345","/account/67890"]}
        """

    private static func session(_ body: String = json, status: Int = 403) -> Session {
        // A clock that stands still: the body of a refused response is read for at most a second, which a busy machine
        // may exceed.
        Session(
            transport: StubTransport { _ in
                .json(body, status: status, headers: ["Content-Type": "application/problem+json"])
            }, configuration: .init(clock: TestClock()))
    }

    private func expectProblem(_ error: AsyncNetError?) throws {
        let error = try #require(error)
        #expect(error.code == .unacceptableStatus && error.statusCode == 403)
        let problem = try #require(error.underlyingError as? ProblemDetails)
        #expect(problem.title == "You do not have enough credit." && problem.extensions["balance"]?.int == 30)
        #expect(error.data == Data(Self.json.utf8))
    }

    @Test("The decoded problem is the underlying error for a data request, a download and a stream")
    func everyKind() async throws {
        let session = Self.session()
        let request = session.request("http://a/").validate(decoding: ProblemDetails.self)
        try expectProblem(await request.serializing(User.self).response.error)
        let download = session.download("http://a/").validate(decoding: ProblemDetails.self)
        try expectProblem(await download.response.error)
        let stream = session.stream("http://a/").validate(decoding: ProblemDetails.self)
        let error = await #expect(throws: AsyncNetError.self) { for try await _ in stream.chunks {} }
        #expect(error?.code == .unacceptableStatus)
        try expectProblem(error)
    }

    @Test("A response with an acceptable status is delivered, and the acceptable statuses can be given")
    func accepted() async throws {
        let ok = Self.session(User.json, status: 200).request("http://a/").validate(
            decoding: ProblemDetails.self)
        #expect(try await ok.serializing(User.self).value == .ada)
        let chosen = Self.session().request("http://a/").validate(
            decoding: ProblemDetails.self, statusCode: 200..<404)
        #expect(try await chosen.serializing(JSON.self).value["balance"].int == 30)
    }

    @Test(
        "A body that is not a problem leaves unacceptableStatus without an underlying error",
        arguments: ["", "<html>", "[1]"])
    func notDecoded(_ body: String) async throws {
        let request = Self.session(body).request("http://a/").validate(decoding: ProblemDetails.self)
        let error = try #require(await request.serializing(Data.self).response.error)
        #expect(error.code == .unacceptableStatus && error.underlyingError == nil)
    }

    @Test("validate(decoding:) decodes the problem after validate() too, and validates the content type")
    func order() async throws {
        let first = Self.session().request("http://a/").validate().validate(decoding: ProblemDetails.self)
        try expectProblem(await first.serializing(User.self).response.error)
        let html = Session(transport: StubTransport { _ in .text("<html>", headers: ["Content-Type": "text/html"]) })
        let request = html.request("http://a/", headers: [.accept("application/json")]).validate(
            decoding: ProblemDetails.self)
        #expect(await request.serializing(User.self).response.error?.code == .unacceptableContentType)
    }

    @Test("A problem of the user's own type is decoded with the session's decoder")
    func ownType() async throws {
        struct Failure: Decodable, Error { var errorCode: Int }
        let session = Session(
            transport: StubTransport { _ in .json(#"{"error_code":7}"#, status: 400) },
            configuration: SessionConfiguration(decoder: .json(keys: .convertFromSnakeCase)))
        let error = await session.request("http://a/").validate(decoding: Failure.self).serializing(Data.self).response
            .error
        #expect((error?.underlyingError as? Failure)?.errorCode == 7)
    }

    @Test("Problem members of a wrong type are ignored, and unknown members are kept (RFC 9457 §3.1, §3.2)")
    func members() throws {
        let problem = try JSON(parsing: #"{"type":1,"title":"t","status":"x","instance":null,"a":{"b":1}}"#).decode(
            ProblemDetails.self)
        #expect(problem.type == "about:blank" && problem.title == "t" && problem.status == nil)
        #expect(problem.extensions["a"]?.b.int == 1)
        #expect(try JSON(encoding: problem).decode(ProblemDetails.self) == problem)
    }
}
