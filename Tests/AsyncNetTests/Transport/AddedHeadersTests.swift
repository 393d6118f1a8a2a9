import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The headers that AsyncNet and the libraries below it add to the caller's: none changes what the caller's mean.
@Suite("Headers that AsyncNet adds", .timeLimit(.minutes(5)))
struct AddedHeadersTests {
    /// A call, and the `Accept-Encoding` that it sends; `nil` for one that is whatever the transport can decode.
    struct Call: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = HTTPMethod.get
        let headers: HTTPHeaders
        var sessionHeaders: HTTPHeaders = [:]
        let acceptEncoding: [String]?
    }

    private static let calls = [
        Call(testDescription: "no range", headers: [:], acceptEncoding: nil),
        Call(testDescription: "an omitted range", headers: [.omitting("Range")], acceptEncoding: nil),
        Call(testDescription: "a range", headers: ["Range": "bytes=0-4"], acceptEncoding: ["identity"]),
        Call(testDescription: "a suffix range", headers: ["range": "bytes=-5"], acceptEncoding: ["identity"]),
        Call(testDescription: "several ranges", headers: ["Range": "bytes=0-1,4-5"], acceptEncoding: ["identity"]),
        Call(
            testDescription: "If-Range", headers: ["Range": "bytes=5-", "If-Range": "\"v1\""],
            acceptEncoding: ["identity"]),
        Call(
            testDescription: "HEAD", method: .head, headers: ["Range": "bytes=0-4"], acceptEncoding: ["identity"]),
        Call(
            testDescription: "POST", method: .post, headers: ["Range": "bytes=0-4"], acceptEncoding: ["identity"]),
        Call(
            testDescription: "a range of the session", headers: [:], sessionHeaders: ["Range": "bytes=0-4"],
            acceptEncoding: ["identity"]),
        Call(
            testDescription: "an Accept-Encoding of the caller",
            headers: ["Range": "bytes=0-4", "accept-encoding": "gzip"],
            acceptEncoding: ["gzip"]),
        Call(
            testDescription: "an Accept-Encoding of the session", headers: ["Range": "bytes=0-4"],
            sessionHeaders: ["Accept-Encoding": "br"], acceptEncoding: ["br"]),
        Call(
            testDescription: "an Accept-Encoding that the caller omits",
            headers: [.omitting("Accept-Encoding"), .init(name: "Range", value: "bytes=0-4")], acceptEncoding: []),
    ]

    @Test(
        "A request with Range has Accept-Encoding: identity, unless the caller sets Accept-Encoding", arguments: calls,
        TransportUnderTest.allCases)
    func range(_ call: Call, _ transport: TransportUnderTest) async throws {
        try await withServer(.text("hello")) { (server: MockServer) async throws in
            let session = transport.session(.init(headers: call.sessionHeaders))
            let request = session.request(server.url(), method: call.method, headers: call.headers)
            #expect(await request.serializing(Data.self).response.statusCode == 200)
            let sent = try await server.takeRequest().headers.values(for: "Accept-Encoding")
            if let expected = call.acceptEncoding {
                #expect(sent == expected)
            } else {
                #expect(sent.count == 1 && sent[0].contains("gzip"))
            }
        }
    }

    @Test(
        "A stream with Range has Accept-Encoding: identity, also after a redirect",
        arguments: TransportUnderTest.allCases)
    func stream(_ transport: TransportUnderTest) async throws {
        try await withServer(.redirect(to: "/b", status: 302), .text("hello")) { (server: MockServer) async throws in
            let stream = transport.session().stream(server.url("/a"), headers: ["Range": "bytes=0-4"])
            var received = Data()
            for try await chunk in stream.chunks { received += chunk }
            #expect(received == Data("hello".utf8))
            for _ in 0..<2 {
                #expect(try await server.takeRequest().headers.values(for: "Accept-Encoding") == ["identity"])
            }
        }
    }

    @Test("A Range that an adapter adds leads to Accept-Encoding: identity")
    func adapter() async throws {
        let stub = StubTransport { _ in .text("hello") }
        let session = Session(transport: stub, configuration: .init(interceptors: [Ranging()]))
        #expect(try await session.request("http://a/").serializing(String.self).value == "hello")
        #expect(stub.requests.last?.headers.values(for: "Accept-Encoding") == ["identity"])
    }

    private struct Ranging: RequestAdapter {
        func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
            var request = request
            request.setValue("bytes=0-4", forHTTPHeaderField: "Range")
            return request
        }
    }

    /// No library below AsyncNet adds a header to the caller's of the same name, nor one that AsyncNet does not know of.
    @Test("Every header of the caller's is sent once, with the caller's value", arguments: TransportUnderTest.allCases)
    func callersHeaders(_ transport: TransportUnderTest) async throws {
        let own: HTTPHeaders = [
            "Accept": "image/png", "Accept-Language": "tlh", "Accept-Encoding": "identity", "User-Agent": "mine",
            "Content-Type": "x/y", "Cache-Control": "max-age=5", "If-None-Match": "\"v\"", "Connection": "keep-alive",
        ]
        try await withServer(.text("a")) { (server: MockServer) async throws in
            let request = transport.session().upload(.data(Data("b".utf8)), to: server.url(), headers: own)
            #expect(try await request.serializing(String.self).value == "a")
            let sent = try await server.takeRequest().headers
            for header in own { #expect(sent.values(for: header.name) == [header.value]) }
            let others = sent.filter { !own.contains(name: $0.name) }.map { $0.name.lowercased() }
            #expect(Set(others) == ["host", "content-length"])
        }
    }
}
