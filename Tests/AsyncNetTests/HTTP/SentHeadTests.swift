import Foundation
import Testing

@testable import AsyncNet

@Suite("Heads of requests as sent")
struct SentHeadTests {
    @Test(
        "A sent head is parsed into its request line and headers, which keep order, repetitions and spelling",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1", []),
            (
                "GET /a?b HTTP/2\r\nHost: a:1\r\nb: 1\r\nB:2 \r\nEmpty:\r\nno header\r\n\r\n", "GET /a?b HTTP/2",
                ["Host: a:1", "b: 1", "B: 2", "Empty: "]
            ),
            ("", "", []),
        ])
    func parts(_ text: String, _ line: String, _ headers: [String]) {
        let head = Data(text.utf8).withUnsafeBytes { SentHead($0) }
        #expect(head.requestLine == line)
        #expect(head.headers.map { "\($0.name): \($0.value)" } == headers)
    }

    @Test(
        "The description of a sent head shows no secret header, query or userinfo",
        arguments: [
            ("GET /a?token=secret HTTP/1.1", "GET /a?<redacted> HTTP/1.1"),
            ("GET http://a:secret@b/c HTTP/1.1", "GET http://b/c HTTP/1.1"),
            ("CONNECT a:443 HTTP/1.1", "CONNECT a:443 HTTP/1.1"), ("GET /a secret HTTP/1.1", "<redacted>"),
        ])
    func redaction(_ line: String, _ shown: String) {
        let head = SentHead(
            requestLine: line, headers: [.authorization(bearerToken: "secret"), .init(name: "A", value: "b")])
        #expect(head.description == "\(shown)\nAuthorization: <redacted>\nA: b")
        #expect(!String(reflecting: Mirror(reflecting: head).children.map { "\($0)" }).contains("secret"))
    }
}
