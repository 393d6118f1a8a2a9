/// A value in which a request differs from a recorded request.
struct FieldDifference: Equatable, Sendable {
    /// Such as `query page` or `body.address.city`.
    let field: String
    /// Such as `2 ≠ 1`: the request's value, and the recorded value.
    let values: String
    /// How much it makes the requests different.
    let weight: Int

    var text: String { "\(field): \(values)" }

    /// A value of which both texts are known; a missing value has none.
    init(_ field: String, _ sent: String?, _ recorded: String?, weight: Int = 1) {
        // The rule of the recording made this a secret, so the value that is no secret by this rule is not shown.
        let isHidden = recorded.map(Self.isMark) == true && sent.map(Self.isMark) == false
        let shown = isHidden ? "(hidden)" : sent.map(ShortText.of)
        (self.field, self.weight) = (field, weight)
        values = "\(shown ?? "(missing)") ≠ \(recorded.map(ShortText.of) ?? "(missing)")"
    }

    /// A text about both values.
    init(_ field: String, describing values: String, weight: Int = 1) {
        (self.field, self.values, self.weight) = (field, values, weight)
    }

    /// Whether a value is what stands in the place of a secret, as a string of JSON too.
    private static func isMark(_ text: String) -> Bool { text == "REDACTED" || text == "\"REDACTED\"" }
}

/// Texts of values for a line of a difference.
enum ShortText {
    private static let longest = 80

    /// The text without line breaks; of a long text, its beginning and its length.
    static func of(_ text: String) -> String {
        let plain = String(text.prefix(longest)).map { $0.isNewline ? "\\n" : String($0) }.joined()
        return text.count <= longest ? plain : "\(plain)… (\(text.count) characters)"
    }
}
