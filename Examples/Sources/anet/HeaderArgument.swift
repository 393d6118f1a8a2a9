import AsyncNet

/// One `-H`, as curl reads it: `Name: value`, `Name;` for an empty value, `Name:` to remove a default.
struct HeaderArgument {
    let name: String
    /// `nil` removes the header.
    let value: String?

    init?(_ text: String) {
        if let colon = text.firstIndex(of: ":") {
            let rest = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            (name, value) = (String(text[..<colon]), rest.isEmpty ? nil : String(rest))
        } else if text.hasSuffix(";") {
            (name, value) = (String(text.dropLast()), "")
        } else {
            return nil
        }
        if name.isEmpty { return nil }
    }
}
