/// The parameters of one element with the name `permessage-deflate` (RFC 7692 §7.1), as an offer or a response.
package struct WebSocketDeflateParameters: Equatable, Sendable {
    static let name = "permessage-deflate"

    package var serverNoContextTakeover = false
    package var clientNoContextTakeover = false
    package var serverWindowBits: Int?
    package var clientWindowBits: WindowBits?

    /// `client_max_window_bits`, which an offer may have without a value.
    package enum WindowBits: Equatable, Sendable {
        case any
        case atMost(Int)

        package var bits: Int {
            switch self {
            case .any: 15
            case .atMost(let bits): bits
            }
        }
    }

    package init() {}

    /// `nil` if the element is another extension, or if a parameter is unknown, repeated, or has an invalid value.
    package init?(_ element: WebSocketExtension) {
        guard element.name == Self.name, Set(element.parameters.map(\.name)).count == element.parameters.count else {
            return nil
        }
        for parameter in element.parameters where !take(parameter) { return nil }
    }

    private mutating func take(_ parameter: WebSocketExtension.Parameter) -> Bool {
        switch (parameter.name, parameter.value) {
        case ("server_no_context_takeover", nil): serverNoContextTakeover = true
        case ("client_no_context_takeover", nil): clientNoContextTakeover = true
        case ("client_max_window_bits", nil): clientWindowBits = .any
        case ("client_max_window_bits", let value?):
            guard let bits = Self.windowBits(value) else { return false }
            clientWindowBits = .atMost(bits)
        case ("server_max_window_bits", let value?):
            guard let bits = Self.windowBits(value) else { return false }
            serverWindowBits = bits
        default: return false
        }
        return true
    }

    /// 8 to 15 without leading zeros (RFC 7692 §7.1.2).
    private static func windowBits(_ text: String) -> Int? {
        (8...15).first { "\($0)" == text }
    }

    package var text: String {
        var text = Self.name
        if serverNoContextTakeover { text += "; server_no_context_takeover" }
        if clientNoContextTakeover { text += "; client_no_context_takeover" }
        if let serverWindowBits { text += "; server_max_window_bits=\(serverWindowBits)" }
        switch clientWindowBits {
        case .any: text += "; client_max_window_bits"
        case .atMost(let bits): text += "; client_max_window_bits=\(bits)"
        case nil: break
        }
        return text
    }
}
