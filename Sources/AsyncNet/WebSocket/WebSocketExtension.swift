/// An element of `Sec-WebSocket-Extensions` (RFC 6455 §9.1).
package struct WebSocketExtension: Equatable, Sendable {
    /// The name in lower case, as those of the parameters.
    let name: String
    let parameters: [Parameter]

    struct Parameter: Equatable, Sendable {
        let name: String
        let value: String?
    }

    /// The elements of a field; `nil` if it is malformed.
    package static func list(_ text: String) -> [WebSocketExtension]? {
        var scanner = WebSocketExtensionScanner(rest: text[...].utf8)
        return scanner.list()
    }
}

private struct WebSocketExtensionScanner: ByteScanner {
    var rest: Substring.UTF8View

    mutating func list() -> [WebSocketExtension]? {
        var found: [WebSocketExtension] = []
        repeat {
            skipSpace()
            // Empty elements are allowed in lists (RFC 9110 §5.6.1.2).
            if rest.isEmpty || rest.first == UInt8(ascii: ",") { continue }
            guard let element = element() else { return nil }
            found.append(element)
        } while take(",")
        return rest.isEmpty ? found : nil
    }

    private mutating func element() -> WebSocketExtension? {
        guard let name = token() else { return nil }
        var parameters: [WebSocketExtension.Parameter] = []
        skipSpace()
        while take(";") {
            skipSpace()
            guard let parameter = parameter() else { return nil }
            parameters.append(parameter)
            skipSpace()
        }
        return WebSocketExtension(name: name.lowercased(), parameters: parameters)
    }

    private mutating func parameter() -> WebSocketExtension.Parameter? {
        guard let name = token() else { return nil }
        skipSpace()
        guard take("=") else { return WebSocketExtension.Parameter(name: name.lowercased(), value: nil) }
        skipSpace()
        guard let value = rest.first == UInt8(ascii: "\"") ? quotedToken() : token() else { return nil }
        return WebSocketExtension.Parameter(name: name.lowercased(), value: value)
    }

    private mutating func token() -> String? {
        let token = skip(while: HTTPSyntax.isTokenByte)
        return token.isEmpty ? nil : String(Substring(token))
    }

    /// A quoted string whose content is a token.
    private mutating func quotedToken() -> String? {
        var bytes: [UInt8] = []
        guard take("\"") else { return nil }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                let text = String(decoding: bytes, as: UTF8.self)
                return HTTPSyntax.isToken(text) ? text : nil
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                bytes.append(escaped)
            default: bytes.append(byte)
            }
        }
        return nil
    }

    private mutating func skipSpace() { skip { $0 == 0x20 || $0 == 0x09 } }
}
