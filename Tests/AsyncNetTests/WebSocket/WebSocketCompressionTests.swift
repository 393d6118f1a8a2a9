import Testing

@testable import AsyncNet
@testable import AsyncNetTestSupport

@Suite("The agreement on permessage-deflate")
struct WebSocketCompressionTests {
    private static func parameters(_ text: String) -> WebSocketDeflateParameters? {
        WebSocketExtension.list("permessage-deflate" + text)?.first.flatMap(WebSocketDeflateParameters.init)
    }

    /// Context takeover of client and server, window bits of client and server.
    struct Agreed: Equatable, Sendable {
        let clientTakesOver, serverTakesOver: Bool
        let clientBits, serverBits: Int

        init(_ clientTakesOver: Bool, _ serverTakesOver: Bool, _ clientBits: Int, _ serverBits: Int) {
            (self.clientTakesOver, self.serverTakesOver) = (clientTakesOver, serverTakesOver)
            (self.clientBits, self.serverBits) = (clientBits, serverBits)
        }

        init(_ deflate: WebSocketDeflate) {
            self.init(
                deflate.clientContextTakeover, deflate.serverContextTakeover, deflate.clientWindowBits,
                deflate.serverWindowBits)
        }
    }

    static let offers: [(WebSocketCompression, String)] = [
        (.init(), "; client_max_window_bits"),
        (.init(clientContextTakeover: false), "; client_no_context_takeover; client_max_window_bits"),
        (.init(serverContextTakeover: false), "; server_no_context_takeover; client_max_window_bits"),
        (.init(clientWindowBits: 10), "; client_max_window_bits=10"),
        (.init(serverWindowBits: 11), "; server_max_window_bits=11; client_max_window_bits"),
        (.init(clientWindowBits: 8, serverWindowBits: 0), "; server_max_window_bits=9; client_max_window_bits=9"),
        (.init(clientWindowBits: 99, serverWindowBits: .max), "; client_max_window_bits"),
    ]

    @Test("A client offers the parameters of its settings", arguments: offers)
    func offer(settings: WebSocketCompression, expected: String) {
        #expect(settings.offer.text == "permessage-deflate" + expected)
    }

    static let responses: [(WebSocketCompression, String, Agreed?)] = [
        (.init(), "", Agreed(true, true, 15, 15)),
        (.init(), "; server_no_context_takeover", Agreed(true, false, 15, 15)),
        (.init(), "; client_no_context_takeover", Agreed(false, true, 15, 15)),
        (.init(), "; server_max_window_bits=8", Agreed(true, true, 15, 8)),
        (.init(), "; client_max_window_bits=8", Agreed(true, true, 8, 15)),
        (.init(), "; client_max_window_bits=15", Agreed(true, true, 15, 15)),
        (.init(), "; client_max_window_bits", nil),
        (.init(clientWindowBits: 10), "", Agreed(true, true, 10, 15)),
        (.init(clientWindowBits: 10), "; client_max_window_bits=9", Agreed(true, true, 9, 15)),
        (.init(clientWindowBits: 10), "; client_max_window_bits=11", nil), (.init(serverWindowBits: 10), "", nil),
        (.init(serverWindowBits: 10), "; server_max_window_bits=11", nil),
        (.init(serverWindowBits: 10), "; server_max_window_bits=10", Agreed(true, true, 15, 10)),
        (.init(serverContextTakeover: false), "", nil),
        (.init(serverContextTakeover: false), "; server_no_context_takeover", Agreed(true, false, 15, 15)),
        (.init(clientContextTakeover: false), "", Agreed(false, true, 15, 15)),
    ]

    @Test("A client accepts a response within the parameters that it offered, and refuses others", arguments: responses)
    func agreement(settings: WebSocketCompression, response: String, expected: Agreed?) throws {
        let response = try #require(Self.parameters(response))
        #expect(settings.agreement(from: response).map(Agreed.init) == expected)
    }

    static let serverResponses: [(WebSocketCompression, String, String, Agreed)] = [
        (.init(), "", "", Agreed(true, true, 15, 15)),
        (.init(), "; client_max_window_bits", "", Agreed(true, true, 15, 15)),
        (.init(), "; client_max_window_bits=10", "; client_max_window_bits=10", Agreed(true, true, 10, 15)),
        (.init(), "; server_max_window_bits=8", "; server_max_window_bits=8", Agreed(true, true, 15, 8)),
        (.init(), "; server_max_window_bits=15", "; server_max_window_bits=15", Agreed(true, true, 15, 15)),
        (.init(), "; server_no_context_takeover", "; server_no_context_takeover", Agreed(true, false, 15, 15)),
        (.init(), "; client_no_context_takeover", "; client_no_context_takeover", Agreed(false, true, 15, 15)),
        (.init(clientWindowBits: 10), "", "", Agreed(true, true, 15, 15)),
        (
            .init(clientWindowBits: 10), "; client_max_window_bits", "; client_max_window_bits=10",
            Agreed(true, true, 10, 15)
        ),
        (.init(serverWindowBits: 10), "", "; server_max_window_bits=10", Agreed(true, true, 15, 10)),
        (
            .init(clientContextTakeover: false, serverContextTakeover: false), "",
            "; server_no_context_takeover; client_no_context_takeover", Agreed(false, false, 15, 15)
        ),
    ]

    @Test(
        "A server's response has the stricter of offer and settings; the client's window is limited only if offered",
        arguments: serverResponses)
    func response(settings: WebSocketCompression, offer: String, expected: String, agreed: Agreed) throws {
        let response = settings.response(to: try #require(Self.parameters(offer)))
        #expect(response.parameters.text == "permessage-deflate" + expected)
        #expect(Agreed(response.agreed) == agreed)
    }
}
