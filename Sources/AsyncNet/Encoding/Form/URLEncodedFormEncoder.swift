/// Encodes values as `application/x-www-form-urlencoded` text, for queries and bodies.
///
///     struct Search: Encodable { var text: String; var tags: [String]; var page: Page }
///
///     try URLEncodedFormEncoder().encode(Search(text: "a b", tags: ["x", "y"], page: Page(size: 20)))
///     // page%5Bsize%5D=20&tags%5B%5D=x&tags%5B%5D=y&text=a%20b, which reads page[size]=20&tags[]=x&tags[]=y&text=a b
///
/// The same value gives the same text: members are sorted, elements of arrays keep their order. What is encoded must
/// have names at its top, so be a struct, a class, a dictionary with keys that are text or whole numbers, or a JSON
/// object. A URL is written as its text, a `Decimal` with all its digits, a number in a ``JSON`` value as JSON writes
/// it, an empty struct, dictionary or array as nothing. Of two values for one key the later counts. The time is linear
/// in the length of the text.
public struct URLEncodedFormEncoder: Sendable {
    /// How elements of arrays are named; `k[]` by default.
    public var arrayEncoding: ArrayEncoding
    /// How `Bool` is written; `1` and `0` by default.
    public var boolEncoding: BoolEncoding
    /// How `Data` is written; Base64 by default.
    public var dataEncoding: DataEncoding
    /// How `Date` is written; as it encodes itself by default.
    public var dateEncoding: DateEncoding
    /// How each key of a path is changed; not at all by default.
    public var keyEncoding: KeyEncoding
    /// How the keys of nested values are joined; `a[b][c]` by default.
    public var keyPathEncoding: KeyPathEncoding
    /// What becomes of `nil`; it is left out by default.
    public var nilEncoding: NilEncoding
    /// How spaces are written; `%20` by default.
    public var spaceEncoding: SpaceEncoding
    /// Which characters stay as they are; those of an RFC 3986 query by default.
    public var escaping: Escaping
    /// Whether the members of each level are in the order of their written names' UTF-8 bytes; `true` by default.
    ///
    /// `false` keeps the order in which they are encoded, which for dictionaries differs from run to run.
    public var sortsKeys: Bool
    /// What `encode(to:)` finds in its encoder's `userInfo`; empty by default.
    public var userInfo: [CodingUserInfoKey: any Sendable]

    public init(
        arrayEncoding: ArrayEncoding = .brackets, boolEncoding: BoolEncoding = .numeric,
        dataEncoding: DataEncoding = .base64,
        dateEncoding: DateEncoding = .deferredToDate, keyEncoding: KeyEncoding = .useDefaultKeys,
        keyPathEncoding: KeyPathEncoding = .brackets, nilEncoding: NilEncoding = .dropKey,
        spaceEncoding: SpaceEncoding = .percentEscaped, escaping: Escaping = .rfc3986, sortsKeys: Bool = true,
        userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) {
        self.arrayEncoding = arrayEncoding
        self.boolEncoding = boolEncoding
        self.dataEncoding = dataEncoding
        self.dateEncoding = dateEncoding
        self.keyEncoding = keyEncoding
        self.keyPathEncoding = keyPathEncoding
        self.nilEncoding = nilEncoding
        self.spaceEncoding = spaceEncoding
        self.escaping = escaping
        self.sortsKeys = sortsKeys
        self.userInfo = userInfo
    }

    /// The value as `key=value` pairs between `&`, all ASCII; empty if there are none.
    ///
    /// Nesting is limited to 128 levels, each call of `encode(to:)` inside another being one: a value that contains
    /// itself is an error and no stack overflow.
    ///
    /// - Throws: `EncodingError.invalidValue` for a value without names at its top, for NaN and the infinities, and for
    ///   what is nested too deep; and what the value's own `encode(to:)` or a custom encoding throws.
    public func encode(_ value: some Encodable) throws -> String {
        let state = FormState(self)
        let place = FormPlace(state: state, node: FormNode(), path: nil)
        try place.encode(value)
        if let failure = state.failure { throw failure }
        guard case .members = place.node.content else { throw Self.rootError(value) }
        var writer = FormWriter(encoder: self)
        writer.write(place.node, at: nil)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func rootError(_ value: some Encodable) -> EncodingError {
        let reason = """
            \(type(of: value)) has no names at its top that a form could use; encode a struct, a dictionary with String or Int \
            keys, or a JSON object that holds it
            """
        return .invalidValue(value, .init(codingPath: [], debugDescription: reason))
    }
}
