/// An element of `Sec-WebSocket-Extensions` (RFC 6455 §9.1).
package struct WebSocketExtension: Equatable, Sendable {
    /// The name, in lower case like the names of the parameters.
    let name: String
    let parameters: [Parameter]

    struct Parameter: Equatable, Sendable {
        let name: String
        let value: String?
    }

    /// The elements of the field's value; `nil` if the value is malformed.
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
            skipSpaces()
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
        skipSpaces()
        while take(";") {
            skipSpaces()
            guard let parameter = parameter() else { return nil }
            parameters.append(parameter)
            skipSpaces()
        }
        return WebSocketExtension(name: name.lowercased(), parameters: parameters)
    }

    private mutating func parameter() -> WebSocketExtension.Parameter? {
        guard let name = token() else { return nil }
        skipSpaces()
        guard take("=") else { return WebSocketExtension.Parameter(name: name.lowercased(), value: nil) }
        skipSpaces()
        // The content of a quoted string is a token (RFC 6455 §9.1).
        guard let value = rest.first == UInt8(ascii: "\"") ? strictQuotedString() : token(), HTTPSyntax.isToken(value)
        else { return nil }
        return WebSocketExtension.Parameter(name: name.lowercased(), value: value)
    }
}
