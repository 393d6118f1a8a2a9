/// Text as HTML, see WHATWG HTML §13.1.2.
enum HTML {
    /// Foreign text as the content of an element or of an attribute in quotes.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        // By scalars: a quote with a combining mark is another character, but ends an attribute.
        for scalar in Texts.printable(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;".unicodeScalars
            case "<": result += "&lt;".unicodeScalars
            case ">": result += "&gt;".unicodeScalars
            case "\"": result += "&quot;".unicodeScalars
            case "'": result += "&#39;".unicodeScalars
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// An element with escaped attributes around HTML.
    static func element(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ content: String) -> String
    {
        "<\(name)\(text(of: attributes))>\(content)</\(name)>"
    }

    private static func text(of attributes: KeyValuePairs<String, String>) -> String {
        attributes.map { " \($0.key)=\"\(lines($0.value))\"" }.joined()
    }

    /// Line breaks, which titles may have, stay.
    private static func lines(_ value: String) -> String {
        value.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) }.joined(
            separator: "&#10;")
    }
}
