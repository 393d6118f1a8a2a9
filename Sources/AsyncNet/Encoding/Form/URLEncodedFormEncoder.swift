/// Encodes values as `application/x-www-form-urlencoded` text, for queries and bodies.
///
///     struct Search: Encodable { var text: String; var tags: [String]; var page: Page }
///
///     try URLEncodedFormEncoder().encode(Search(text: "a b", tags: ["x", "y"], page: Page(size: 20)))
///     // page%5Bsize%5D=20&tags%5B%5D=x&tags%5B%5D=y&text=a%20b: page[size]=20&tags[]=x&tags[]=y&text=a b
///
/// Equal values give equal text: members are sorted, elements of arrays keep their order. The value must have named
/// members: a struct, a class, a dictionary with keys of text or integers, or a JSON object. A URL is encoded as its
/// text, a `Decimal` with all its digits, a number of a ``JSON`` value as in JSON; an empty struct, dictionary or array
/// is omitted. The time is linear in the length of the text.
///
/// If a key is encoded twice, the later value is used. Containers of one kind for one key are joined; of a keyed and an
/// unkeyed container for one key, the container that is filled later replaces the other. A superclass encodes beside
/// its subclass: `superEncoder()` encodes into the place of its container, so that a class gives `base=1&own=2`. All
/// this is as in Alamofire, which however does not join two unkeyed containers.
public struct URLEncodedFormEncoder: Sendable {
    /// How elements of arrays are named; `k[]` by default.
    public var arrayEncoding: ArrayEncoding
    /// How `Bool` is encoded; `1` and `0` by default.
    public var boolEncoding: BoolEncoding
    /// How `Data` is encoded; Base64 by default.
    public var dataEncoding: DataEncoding
    /// How `Date` is encoded; by default as in `2001-01-01T00:00:00Z` (RFC 3339).
    public var dateEncoding: DateEncoding
    /// How each key of a path is changed; unchanged by default.
    public var keyEncoding: KeyEncoding
    /// How the keys of nested values are joined; `a[b][c]` by default.
    public var keyPathEncoding: KeyPathEncoding
    /// How `nil` is encoded; omitted by default.
    public var nilEncoding: NilEncoding
    /// How spaces are encoded; `%20` by default.
    public var spaceEncoding: SpaceEncoding
    /// The characters that are not percent-encoded; by default those of an RFC 3986 query.
    public var escaping: Escaping
    /// Whether the members of each level are sorted by the UTF-8 bytes of their written names; `true` by default.
    ///
    /// `false` keeps the order of encoding, which for dictionaries differs between runs.
    public var sortsKeys: Bool
    /// The `userInfo` of the `Encoder` that is passed to `encode(to:)`; empty by default.
    public var userInfo: [CodingUserInfoKey: any Sendable]
    /// Whether sorting compares written pairs instead of names.
    private(set) var comparesPairs = false

    /// An encoder with the defaults of Alamofire's `URLEncodedFormEncoder`, for servers that expect its text.
    ///
    /// Dates are seconds since 2001, such as `23.0`. The pairs of each level, elements of arrays among them, are sorted
    /// as they are written: `[10, 2]` stays, `[2, 1]` becomes `[1, 2]`. ``sortsKeys`` with `false` keeps their order.
    public static let alamofire: URLEncodedFormEncoder = {
        var encoder = URLEncodedFormEncoder(dateEncoding: .deferredToDate)
        encoder.comparesPairs = true
        return encoder
    }()

    /// Creates an encoder. Each argument sets the property with the same name.
    public init(
        arrayEncoding: ArrayEncoding = .brackets, boolEncoding: BoolEncoding = .numeric,
        dataEncoding: DataEncoding = .base64,
        dateEncoding: DateEncoding = .iso8601, keyEncoding: KeyEncoding = .useDefaultKeys,
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

    /// Encodes a value as `key=value` pairs joined by `&`, in ASCII; empty if there are none.
    ///
    /// Nesting is limited to 128 levels of `encode(to:)`, so that a value that contains itself is an error.
    ///
    /// - Throws: `EncodingError.invalidValue` for a value without named members, for NaN and infinities, and for values
    ///   nested too deeply; and the errors of `encode(to:)` and of custom encodings.
    public func encode(_ value: some Encodable) throws -> String {
        let state = FormState(self)
        try FormPlace(state: state, path: nil).encode(value)
        if let failure = state.failure { throw failure }
        guard case .members = state.root.content else { throw Self.rootError(value) }
        var writer = FormWriter(encoder: self)
        writer.write(state.root, at: nil)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func rootError(_ value: some Encodable) -> EncodingError {
        let reason = """
            \(type(of: value)) has no names at its top that a form could use; encode a struct, a dictionary with \
            String or Int keys, or a JSON object that holds it
            """
        return .invalidValue(value, .init(codingPath: [], debugDescription: reason))
    }
}
