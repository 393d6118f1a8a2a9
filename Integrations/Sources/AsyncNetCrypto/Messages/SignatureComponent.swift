import RawStructuredFieldValues

/// A part of a message that a signature covers (RFC 9421 §2): a field, or something derived from the message.
///
///     [.method, .targetURI, .queryParameter("id"), "content-digest", .field("accept", .binaryWrapped)]
///
/// A text is the name of a field, in any case. Components are equal if their names and parameters are.
public struct SignatureComponent: Sendable {
    /// The name, which begins with `@` if the component is derived.
    let name: String
    let parameters: OrderedMap<String, RFC9651BareItem>
    /// The type of a structured field; not part of the component's identifier.
    let type: StructuredFieldType?

    init(
        _ name: String, _ parameters: OrderedMap<String, RFC9651BareItem> = [:], type: StructuredFieldType? = nil
    ) {
        self.name = name
        self.parameters = parameters
        self.type = type
    }

    /// The method of the request.
    public static let method = SignatureComponent("@method")
    /// The whole URL of the request, without userinfo and fragment.
    public static let targetURI = SignatureComponent("@target-uri")
    /// Host and port of the request, in lower case, without the scheme's default port.
    public static let authority = SignatureComponent("@authority")
    /// The scheme of the request.
    public static let scheme = SignatureComponent("@scheme")
    /// Path and query, as in a request line. A request over a proxy without a tunnel has another one on the wire.
    public static let requestTarget = SignatureComponent("@request-target")
    /// The path, percent-encoded as sent.
    public static let path = SignatureComponent("@path")
    /// The query with its question mark, percent-encoded as sent; a question mark without a query.
    public static let query = SignatureComponent("@query")
    /// The status of a response.
    public static let status = SignatureComponent("@status")

    /// One parameter of the query, which must occur once.
    ///
    /// - Parameter name: The decoded name.
    public static func queryParameter(_ name: String) -> SignatureComponent {
        SignatureComponent("@query-param", ["name": .string(QueryParameters.encode(name))])
    }

    /// How the value of a field is covered (RFC 9421 §2.1).
    public enum FieldEncoding: Sendable {
        /// As text: the values of all lines, joined by commas.
        case combined
        /// In the strict form of a structured field of this type: `sf`.
        case structured(StructuredFieldType)
        /// Each line as bytes, for fields whose lines must not be joined: `bs`.
        case binaryWrapped
        /// One member of a dictionary: `key`.
        case member(String)
    }

    /// A field.
    public static func field(_ name: String, _ encoding: FieldEncoding = .combined) -> SignatureComponent {
        let name = name.lowercased()
        return switch encoding {
        case .combined: SignatureComponent(name)
        case .structured(let type): SignatureComponent(name, ["sf": .bool(true)], type: type)
        case .binaryWrapped: SignatureComponent(name, ["bs": .bool(true)])
        case .member(let key): SignatureComponent(name, ["key": .string(key)])
        }
    }

    /// This component of the request, in a signature of the response to it: `req`.
    public var ofRequest: SignatureComponent {
        var parameters = parameters
        parameters["req"] = .bool(true)
        return SignatureComponent(name, parameters, type: type)
    }

    func has(_ parameter: String) -> Bool { parameters[parameter] == .bool(true) }

    var item: Item { Item(bareItem: .string(name), parameters: parameters) }
}

/// The type of a structured field (RFC 9651).
public enum StructuredFieldType: Sendable {
    /// One value with parameters.
    case item
    /// Values with parameters, between commas.
    case list
    /// Names with values, between commas.
    case dictionary
}

extension SignatureComponent: Hashable {
    public static func == (one: SignatureComponent, other: SignatureComponent) -> Bool {
        one.name == other.name && one.sortedParameters == other.sortedParameters
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(sortedParameters)
    }

    private var sortedParameters: [String: RFC9651BareItem] {
        Dictionary(parameters.map { ($0.0, $0.1) }, uniquingKeysWith: { $1 })
    }
}

extension SignatureComponent: ExpressibleByStringLiteral, CustomStringConvertible {
    /// A field.
    public init(stringLiteral name: String) { self.init(name.lowercased()) }

    /// The identifier, such as `"content-type";req`.
    public var description: String { (try? item.text) ?? name }
}
