/// A `Content-Disposition` (RFC 6266).
///
/// Parsed as leniently as by browsers: names with spaces need no quotes, quotes need not be closed, malformed
/// parameters are ignored, and of repeated names the first is used.
package struct ContentDisposition: Hashable, Sendable {
    /// The disposition type in lower case, such as `attachment` or `inline`.
    let type: String
    /// The parameters; names in lower case, values unquoted, otherwise as sent.
    let parameters: [String: String]

    /// Parses `attachment; filename="a.txt"; filename*=UTF-8''%c3%a4.txt`; `nil` if the type is not a token.
    init?(_ text: String) {
        let type = text.utf8.prefix { $0 != UInt8(ascii: ";") }
        self.type = String(Substring(type.trimmedHTTPSpace)).lowercased()
        guard HTTPSyntax.isToken(self.type) else { return nil }
        parameters = HTTPParameters.firstValues(text.utf8[type.endIndex...])
    }

    /// The file name as sent, `filename*` if it can be decoded, else `filename`. It may be a path, see ``FileName``.
    package var fileName: String? {
        let names = [parameters["filename*"].flatMap(ExtendedValue.decoded), parameters["filename"]]
        return names.lazy.compactMap { $0 }.first { !$0.isEmpty }
    }
}
