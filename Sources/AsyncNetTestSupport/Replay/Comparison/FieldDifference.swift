/// One value in which a request differs from a recorded request.
struct FieldDifference: Equatable, Sendable {
    /// Such as `query page` or `body.address.city`.
    let field: String
    /// Such as `2 ≠ 1`: the request's value, and the recorded value.
    let values: String
    /// How much this difference counts when the nearest exchange is looked for.
    let weight: Int

    var text: String { "\(field): \(values)" }

    /// A difference between two values; `nil` is a missing value.
    init(_ field: String, _ sent: String?, _ recorded: String?, weight: Int = 1) {
        // The recorded value was redacted where the request's was not. The request's value may have the same secret, so
        // it is not shown.
        let isHidden = Self.marks(recorded) > Self.marks(sent)
        let shown = isHidden ? sent.map { _ in "(hidden)" } : sent.map(ShortText.of)
        (self.field, self.weight) = (field, weight)
        values = "\(shown ?? "(missing)") ≠ \(recorded.map(ShortText.of) ?? "(missing)")"
    }

    /// A difference that a text about both values describes.
    init(_ field: String, describing values: String, weight: Int = 1) {
        (self.field, self.values, self.weight) = (field, values, weight)
    }

    /// How many redacted secrets a value has.
    private static func marks(_ text: String?) -> Int { text?.ranges(of: "REDACTED").count ?? 0 }
}

/// Shortens values for the line of a difference.
enum ShortText {
    private static let longest = 80

    /// The text without line breaks; of a long text, its beginning and its length.
    static func of(_ text: String) -> String {
        let plain = String(text.prefix(longest)).map { $0.isNewline ? "\\n" : String($0) }.joined()
        return text.count <= longest ? plain : "\(plain)… (\(text.count) characters)"
    }
}
