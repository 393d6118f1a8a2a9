import Foundation
import Testing

@testable import AsyncNet

@Suite("WebSocket URLs")
struct WebSocketURLTests {
    @Test(
        "The scheme ws becomes http and wss becomes https, and the rest of the URL stays",
        arguments: [
            ("ws://a.example/chat?x=1", "http://a.example/chat?x=1"), ("wss://a.example", "https://a.example"),
            ("WSS://a.example:444/", "https://a.example:444/"), ("http://a.example/ws", "http://a.example/ws"),
            ("https://a.example", "https://a.example"), ("/chat", "/chat"), ("ws/chat", "ws/chat"), ("ws", "ws"),
        ])
    func converted(_ text: String, _ expected: String) throws {
        #expect(try WebSocketURL(url: text).asURL().absoluteString == expected)
    }
}
