import Testing

@testable import AsyncNet

@Suite("Sec-WebSocket-Extensions")
struct WebSocketExtensionTests {
    typealias Parameter = WebSocketExtension.Parameter

    static let lists: [(String, [WebSocketExtension]?)] = [
        ("", []), (" , ,", []), ("a", [WebSocketExtension(name: "a", parameters: [])]),
        (
            "Foo, bar; baz=2",
            [
                WebSocketExtension(name: "foo", parameters: []),
                WebSocketExtension(name: "bar", parameters: [Parameter(name: "baz", value: "2")]),
            ]
        ),
        (
            "a ;\tb ; c = \"1\\0\"",
            [WebSocketExtension(name: "a", parameters: [.init(name: "b", value: nil), .init(name: "c", value: "10")])]
        ),
        ("a;", nil), ("a b", nil), ("a; =1", nil), ("a; b=", nil), ("a; b=\"\"", nil), ("a; b=\"1", nil),
        ("a; b=\"1 2\"", nil), ("a; b=\"1\\", nil), (";", nil), ("a/b", nil), ("a; b=\"1\"c", nil),
    ]

    @Test("Lists of extensions are parsed by RFC 6455 §9.1", arguments: lists)
    func list(text: String, expected: [WebSocketExtension]?) {
        #expect(WebSocketExtension.list(text) == expected)
    }

    @Test(
        "Invalid parameters of permessage-deflate are refused",
        arguments: [
            "deflate", "permessage-deflate; x", "permessage-deflate; server_no_context_takeover=1",
            "permessage-deflate; client_no_context_takeover=1", "permessage-deflate; server_max_window_bits",
            "permessage-deflate; server_max_window_bits=7", "permessage-deflate; server_max_window_bits=16",
            "permessage-deflate; server_max_window_bits=09", "permessage-deflate; client_max_window_bits=+9",
            "permessage-deflate; client_max_window_bits=99999999999999999999",
            "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
        ])
    func invalid(text: String) {
        let parameters = WebSocketExtension.list(text)?.first.flatMap(WebSocketDeflateParameters.init)
        #expect(parameters == nil)
    }

    @Test(
        "Valid parameters of permessage-deflate are written as they were parsed",
        arguments: [
            "permessage-deflate", "permessage-deflate; client_max_window_bits",
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=8; "
                + "client_max_window_bits=15",
        ])
    func written(text: String) {
        let parameters = WebSocketExtension.list(text)?.first.flatMap(WebSocketDeflateParameters.init)
        #expect(parameters?.text == text)
    }
}
