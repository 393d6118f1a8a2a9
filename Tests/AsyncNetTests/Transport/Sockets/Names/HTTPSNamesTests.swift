import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// DNS over HTTPS with a server on loopback.
@Suite("DNS over HTTPS", .timeLimit(.minutes(1)))
struct HTTPSNamesTests {
    /// - Parameter reply: What the server responds to a question.
    private func withNames<Value>(
        speaks: MockServer.Versions = .both, _ reply: @escaping @Sendable (DNSQuestion) async throws -> MockResponse,
        body: (StandardResolver, MockServer) async throws -> Value
    ) async throws -> Value {
        let server = try await MockServer.start(tls: .selfSigned, speaks: speaks)
        await server.route("/dns-query") { request in
            guard request.headers["Accept"] == "application/dns-message", let question = DNSQuestion(request) else {
                return .status(400)
            }
            return try await reply(question)
        }
        let resolver = StandardResolver.https(
            "https://localhost:\(server.port)/dns-query", addresses: ["127.0.0.1"],
            tls: .init(trust: .anchors([server.anchor])))
        let value = try await body(resolver, server)
        await server.stop()
        return value
    }

    private static func response(_ answer: DNSAnswer, _ question: DNSQuestion, age: Int? = nil) -> MockResponse {
        var headers: HTTPHeaders = ["Content-Type": "application/dns-message"]
        if let age { headers.add(name: "Age", value: "\(age)") }
        return MockResponse(headers: headers, body: Data(answer.message(to: question)))
    }

    private static let v4: [UInt8] = [127, 0, 0, 1]
    private static let v6 = [UInt8](repeating: 0, count: 15) + [1]

    /// 127.0.0.1 and ::1.
    private static func loopback(_ question: DNSQuestion) -> DNSAnswer {
        DNSAnswer(records: [.address("a.test", question.kind == .a ? v4 : v6, 60)])
    }

    private static func texts(_ resolver: StandardResolver) async throws -> [String] {
        try await resolver.addresses(of: "a.test").map { "\($0.text) \($0.timeToLive / .seconds(1))" }
    }

    @Test("The queries for A and AAAA are sent at the same time, over HTTP/1.1 and HTTP/2", arguments: [false, true])
    func both(_ isHTTP2: Bool) async throws {
        // Neither is answered before both are asked.
        let (asked, gate) = (Counter(), Gate())
        try await withNames(speaks: isHTTP2 ? .both : .http1) { question in
            if asked.next() == 2 { gate.open() }
            await gate.wait()
            return Self.response(Self.loopback(question), question)
        } body: { (resolver, server) async throws in
            #expect(try await Self.texts(resolver) == ["::1 60.0", "127.0.0.1 60.0"])
            #expect(server.requests.map(\.httpVersion) == Array(repeating: isHTTP2 ? "HTTP/2" : "HTTP/1.1", count: 2))
        }
    }

    @Test("The Age of a response is subtracted from the time to live", arguments: [(0, 60.0), (20, 40.0), (90, 0.0)])
    func age(_ age: Int, _ expected: Double) async throws {
        try await withNames {
            Self.response(Self.loopback($0), $0, age: age)
        } body: { (resolver, _) async throws in
            #expect(try await Self.texts(resolver) == ["::1 \(expected)", "127.0.0.1 \(expected)"])
        }
    }

    @Test("A name with IPv4 addresses is found although the query for AAAA is empty or fails")
    func oneKind() async throws {
        for other in [DNSAnswer(), DNSAnswer(code: 2), DNSAnswer(code: 3)] {
            try await withNames {
                Self.response($0.kind == .a ? Self.loopback($0) : other, $0)
            } body: { (resolver, _) async throws in
                #expect(try await Self.texts(resolver) == ["127.0.0.1 60.0"])
            }
        }
    }

    @Test("A DNS server that fails leads to .hostNotFound with the reason")
    func failures() async throws {
        let rows: [(reply: @Sendable (DNSQuestion) -> MockResponse, reason: String)] = [
            ({ Self.response(DNSAnswer(code: 3), $0) }, "the name does not exist"),
            ({ Self.response(DNSAnswer(), $0) }, "the name has no addresses"),
            ({ Self.response(DNSAnswer(code: 2), $0) }, "SERVFAIL"),
            ({ Self.response(DNSAnswer(code: $0.kind == .a ? 0 : 5), $0) }, "REFUSED"),
            ({ Self.response(DNSAnswer(records: [.bytes([])]), $0) }, "ends early"),
            ({ _ in .status(404) }, "its status is 404"), ({ _ in .redirect(to: "/other") }, "its status is 302"),
            ({ _ in .text("hello") }, "content type"), ({ _ in .fault(.closeBeforeHead) }, "could not be asked"),
            (
                { _ in
                    MockResponse(
                        headers: ["Content-Type": "application/dns-message"], body: Data(repeating: 0, count: 70_000))
                }, "could not be asked"
            ),
        ]
        for (reply, reason) in rows {
            try await withNames(speaks: .http1) {
                reply($0)
            } body: { (resolver, _) async throws in
                let error = await #expect(throws: AsyncNetError.self) { try await Self.texts(resolver) }
                #expect(error?.code == .hostNotFound)
                #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
            }
        }
    }

    @Test(".hostNotFound has the TLS or connection error of the DNS server as its underlying error")
    func unreachable() async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        let url = "https://localhost:\(server.port)/dns-query"
        let untrusted = await #expect(throws: AsyncNetError.self) {
            try await Self.texts(.https(url, addresses: ["127.0.0.1"]))
        }
        #expect(untrusted?.code == .hostNotFound)
        #expect((untrusted?.underlyingError as? AsyncNetError)?.code == .certificateNotTrusted)
        await server.stop()
        let refused = await #expect(throws: AsyncNetError.self) {
            try await Self.texts(.https(url, addresses: ["127.0.0.1"]))
        }
        #expect(refused?.code == .hostNotFound)
        #expect((refused?.underlyingError as? AsyncNetError)?.code == .cannotConnect)
    }

    @Test("A request to a name that DNS cannot have ends with .hostNotFound without a query")
    func invalidNames() async throws {
        try await withNames {
            Self.response(Self.loopback($0), $0)
        } body: { (resolver, server) async throws in
            for name in ["", "a..test", String(repeating: "a", count: 64)] {
                let error = await #expect(throws: AsyncNetError.self) { try await resolver.addresses(of: name) }
                #expect(error?.code == .hostNotFound)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("A session sends the queries for a name once for three connections")
    func session() async throws {
        try await withNames {
            Self.response(Self.loopback($0), $0)
        } body: { resolver, names in
            try await withServer { server in
                await server.route("/") { _ in .status(200, headers: ["Connection": "close"]) }
                let session = Session(transport: .sockets(.init(ipVersion: .v4, resolver: resolver)))
                for _ in 0..<3 {
                    _ = try await session.request("http://a.test:\(server.port)/").serializing(Data.self).value
                }
                #expect(await server.connectionCount == 3)
                await session.finish()
            }
            #expect(names.requests.count == 2)
        }
    }
}
