import AsyncNet
import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

/// The transports that are held to the same.
enum TransportUnderTest: String, CaseIterable, Codable, Sendable {
    case urlSession, libcurl, sockets
    /// Sockets over HTTP/2, which test servers speak too.
    case http2

    static let allCases: [TransportUnderTest] = [.urlSession, .libcurl, .sockets]
    static let withHTTP2 = allCases + [.http2]
    /// For what URLSession on Linux does not do, see ``URLSessionTransport``.
    static let withoutURLSession: [TransportUnderTest] = [.libcurl, .sockets]

    func session(_ configuration: SessionConfiguration = SessionConfiguration()) -> Session {
        Session(transport: make(), configuration: configuration)
    }

    func make() -> any Transport {
        switch self {
        case .urlSession: URLSessionTransport()
        // On a busy machine more than the default's minute may pass between two requests of a test.
        case .libcurl: .libcurl(.init(idleTimeout: .seconds(600)))
        case .sockets: .sockets(.init(idleTimeout: .seconds(600)))
        case .http2: .sockets(.init(httpVersion: .http2, idleTimeout: .seconds(600)))
        }
    }

    /// Those that take a ``ProxyConfiguration``.
    static let withProxies: [TransportUnderTest] = [.libcurl, .sockets]

    func make(proxy: ProxyConfiguration) -> any Transport {
        self == .sockets ? .sockets(proxy: proxy) : .libcurl(proxy: proxy)
    }
}

/// A server's reply, and how the request must end.
struct Exchange: Sendable, CustomTestStringConvertible {
    enum End {
        case value(Int, String)
        /// One of these.
        case error([AsyncNetError.Code])
    }

    let testDescription: String
    let reply: MockResponse
    let method: HTTPMethod
    let end: End
    /// Transports that this is not asked of, with the reason.
    let exclusions: [TransportUnderTest: String]

    private init(
        _ name: String, _ reply: MockResponse, _ method: HTTPMethod, _ end: End,
        not exclusions: [TransportUnderTest: String]
    ) {
        testDescription = name
        self.reply = reply
        self.method = method
        self.end = end
        self.exclusions = exclusions
    }

    /// Every exchange with every transport that it is asked of.
    static let onEveryTransport: [(Exchange, TransportUnderTest)] = (values + errors).flatMap { exchange in
        TransportUnderTest.withHTTP2.filter { transport in
            // Bytes of HTTP/1.1 mean nothing over HTTP/2, whose frames have cases of their own.
            exchange.exclusions[transport] == nil && !(transport == .http2 && exchange.reply.rawBytes != nil)
        }.map { (exchange, $0) }
    }

    private static func value(
        _ name: String, _ reply: MockResponse, _ status: Int, _ body: String, by method: HTTPMethod = .get,
        not exclusions: [TransportUnderTest: String] = [:]
    ) -> Exchange {
        Exchange(name, reply, method, .value(status, body), not: exclusions)
    }

    private static func error(
        _ name: String, _ reply: MockResponse, _ codes: AsyncNetError.Code...,
        not exclusions: [TransportUnderTest: String] = [:]
    ) -> Exchange {
        Exchange(name, reply, .get, .error(codes), not: exclusions)
    }

    /// FoundationNetworking ends the process at such a response.
    private static let crash: [TransportUnderTest: String] = [
        .urlSession: "a server can crash FoundationNetworking with this"
    ]
    private static let refusal: [TransportUnderTest: String] = [
        .urlSession: "FoundationNetworking refuses this head, which HTTP allows"
    ]

    private static func challenge(_ value: String, body: String = "no", status: Int = 401) -> MockResponse {
        .status(status, headers: [status == 401 ? "WWW-Authenticate" : "Proxy-Authenticate": value], body: body)
    }

    private static func length(_ text: String) -> MockResponse {
        .raw("HTTP/1.1 200 OK\r\nContent-Length: \(text)\r\n\r\nhello")
    }

    private static let values = [
        value("text", .text("hello"), 200, "hello"),
        value("chunks", .chunked(["he", "llo"]), 200, "hello"),
        value("204", .status(204), 204, ""),
        value("205", .status(205), 205, ""),
        value("304", .status(304), 304, ""),
        value("HEAD", .text("hello"), 200, "", by: .head),
        value("DELETE", .text("hello"), 200, "hello", by: .delete),
        value("OPTIONS", .text("hello"), 200, "hello", by: .options),
        value("103 first", .text("hello").after(informational: 103), 200, "hello"),
        value("100 and 102 first", .text("hello").after(informational: 100).after(informational: 102), 200, "hello"),
        value("599", .status(599, body: "x"), 599, "x"),
        value("401 Basic", challenge("Basic realm=\"r\""), 401, "no"),
        value("401 Basic without a body", challenge("Basic realm=\"r\"", body: ""), 401, ""),
        value("401 without a challenge", .status(401, body: "no"), 401, "no"),
        value("401 Basic without a realm", challenge("Basic"), 401, "no"),
        value("401 Digest", challenge("Digest realm=\"r\", nonce=\"n\""), 401, "no"),
        value("401 Bearer", challenge("Bearer"), 401, "no"),
        value("407", challenge("Basic realm=\"r\"", status: 407), 407, "no"),
        value("a body that drips", .text("hello").with(.drip(bytes: 1, every: .milliseconds(1))), 200, "hello"),
        value("300", .status(300, body: "several"), 300, "several"),
        value(
            "302 without a target", .status(302, body: "nowhere"), 302, "nowhere",
            not: [.urlSession: "FoundationNetworking loses its body"]),
        value(
            "an unknown encoding", .raw("HTTP/1.1 200 OK\r\nContent-Encoding: klingon\r\nContent-Length: 1\r\n\r\nx"),
            200, "x", not: [.urlSession: "its libcurl decodes, and refuses what it does not know"]),
        value("204 with a body", .raw("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello"), 204, ""),
        value("HTTP/1.0 until the end", .raw("HTTP/1.0 200 OK\r\n\r\nuntil the end"), 200, "until the end"),
        value("no reason phrase", .raw("HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok"), 200, "ok"),
        value("nothing after the status", .raw("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok"), 200, "ok", not: refusal),
        value(
            "no space after the colon", .raw("HTTP/1.1 200 OK\r\nX:1\r\nContent-Length:2\r\n\r\nok"), 200, "ok",
            not: refusal),
        value("a Latin-1 header", .raw("HTTP/1.1 200 OK\r\nX: caf\u{E9}\r\nContent-Length: 2\r\n\r\nok"), 200, "ok"),
        value("a continued header", .raw("HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\nok"), 200, "ok"),
        value("bare line feeds", .raw("HTTP/1.1 200 OK\nContent-Length: 2\n\nok"), 200, "ok", not: refusal),
        value("trailers", .chunked(["hello"], trailers: ["X-Sum": "1"]), 200, "hello", not: crash),
        value(
            "the same length twice", .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok"), 200,
            "ok"),
        value("a list of one length", .raw("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok"), 200, "ok"),
        value(
            "lengths that differ, of no body", .raw("HTTP/1.1 304 X\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n"),
            304, ""),
    ]

    private static let errors = [
        error("closed without an answer", .fault(.closeBeforeHead), .emptyReply),
        error("reset without an answer", .fault(.resetBeforeHead), .connectionLost),
        error("reset after the head", .fault(.resetAfterHead), .connectionLost),
        error("reset in the body", .fault(.resetMidBody(after: 10)), .connectionLost),
        error("closed in the body", .fault(.truncate(after: 10)), .bodyEndedEarly),
        error("no HTTP", .fault(.garbage), .badServerResponse),
        error("a status of two digits", .raw("HTTP/1.1 99 X\r\nContent-Length: 0\r\n\r\n"), .badServerResponse),
        error("a status of four digits", .raw("HTTP/1.1 1000 X\r\nContent-Length: 0\r\n\r\n"), .badServerResponse),
        error("a status of letters", .raw("HTTP/1.1 abc X\r\n\r\n"), .badServerResponse),
        error(
            "gzip that is none", .raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"),
            .badContentEncoding),
        error(
            "a chunk's size that is none", .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx"),
            .badServerResponse),
        error(
            "closed in a chunk", .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe"), .bodyEndedEarly),
        error("a NUL in a header", .raw("HTTP/1.1 200 OK\r\nX: \u{0}\r\n\r\n"), .badServerResponse),
        error(
            "a control character in a header", .raw("HTTP/1.1 200 OK\r\nX: \u{1}\r\nContent-Length: 0\r\n\r\n"),
            .badServerResponse, not: [.urlSession: "FoundationNetworking lets it pass"]),
        error(
            "a header without a colon", .raw("HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n"),
            .badServerResponse),
        error(
            "a header without a name", .raw("HTTP/1.1 200 OK\r\n: x\r\nContent-Length: 0\r\n\r\n"), .badServerResponse),
        error(
            "a space before the colon", .raw("HTTP/1.1 200 OK\r\nX : x\r\nContent-Length: 0\r\n\r\n"),
            .badServerResponse),
        error(
            "a mebibyte of headers",
            .raw(
                "HTTP/1.1 200 OK\r\n" + String(repeating: "X: \(String(repeating: "x", count: 1000))\r\n", count: 1049)
                    + "Content-Length: 0\r\n\r\n"), .badServerResponse),
        error(
            "a header of a mebibyte",
            .raw("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 1 << 20))\r\nContent-Length: 0\r\n\r\n"),
            .badServerResponse),
        error("a redirect to mail", .redirect(to: "mailto:a@b"), .redirectFailed),
        error(
            "a scheme-relative redirect to a strange host", .redirect(to: "//127.0.0.1:1%2Fb/"), .redirectFailed,
            not: crash),
        error(
            "a scheme-relative redirect to nobody", .redirect(to: "//[::1]:1/x"), .cannotConnect,
            .unsupportedByTransport, not: crash),
        error("closed inside the head", .raw("HTTP/1.1 200 OK\r\nX: 1\r\n"), .connectionLost, .emptyReply, not: crash),
        error("closed inside the status line", .raw("HTTP/1.1 20"), .emptyReply, .connectionLost, .badServerResponse),
        error("closed after a 103", .raw("HTTP/1.1 103 Early Hints\r\n\r\n"), .connectionLost, .emptyReply, not: crash),
        error(
            "a length near 2^63", .raw("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775800\r\n\r\nx"),
            .bodyEndedEarly, .badServerResponse, not: crash),
        error("a length beyond 2^63", length("92233720368547758000"), .badServerResponse),
        error("a hexadecimal length", length("0x5"), .badServerResponse),
        error("a length with a sign", length("+5"), .badServerResponse),
        error("two numbers for a length", length("5 5"), .badServerResponse),
        error("no number for a length", length(""), .badServerResponse),
        error("a list of lengths that differ", length("3, 6"), .badServerResponse),
        error("lengths that differ", length("3\r\nContent-Length: 6"), .badServerResponse),
        error(
            "a continued line where nothing is to be continued",
            .raw("HTTP/1.1 200 OK\r\n X: y\r\nContent-Length: 0\r\n\r\n"), .badServerResponse),
        error(
            "a carriage return in a header's name", .raw("HTTP/1.1 200 OK\r\nX\rY: y\r\nContent-Length: 0\r\n\r\n"),
            .badServerResponse),
        error(
            "an endless reason phrase", .raw("HTTP/1.1 200 \(String(repeating: "x", count: 300_000))"),
            .badServerResponse),
        error("an endless status", .raw("HTTP/1.1 \(String(repeating: "2", count: 300_000))"), .badServerResponse),
        error(
            "a redirect to two places",
            .raw("HTTP/1.1 302 X\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"), .badServerResponse),
        error(
            "a negative length", .raw("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nx"), .bodyEndedEarly,
            .badServerResponse),
    ]
}
