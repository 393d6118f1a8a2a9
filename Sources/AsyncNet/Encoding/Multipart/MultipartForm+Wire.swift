import Foundation

/// The bytes of a form (RFC 2046 §5.1, RFC 7578).
extension MultipartForm {
    /// The delimiter and headers before a part; throws `.encodingFailed` for an invalid name or value of a header.
    func opening(_ part: Part) throws(AsyncNetError) -> Data {
        var text = "--\(boundary)\r\n"
        for header in part.headers {
            guard HTTPSyntax.isToken(header.name) else {
                throw AsyncNetError(.encodingFailed, "The name of a part's header is not a token")
            }
            guard HTTPSyntax.isFieldValue(header.value) else {
                let what = header.hasName("Content-Disposition") ? "name or file name" : "header \(header.name)"
                let reason = "A part's \(what) contains a control character, which headers cannot contain"
                throw AsyncNetError(.encodingFailed, reason)
            }
            text += "\(header.name): \(header.value)\r\n"
        }
        return Data("\(text)\r\n".utf8)
    }

    var closing: Data { Data("--\(boundary)--\r\n".utf8) }

    /// Escapes names and file names as browsers do (WHATWG HTML).
    static func escaped(_ name: String) -> String {
        [("\"", "%22"), ("\r", "%0D"), ("\n", "%0A")].reduce(name) { text, pair in
            text.replacingOccurrences(of: pair.0, with: pair.1, options: .literal)
        }
    }

    /// Replaces every line break with CR LF, as browsers do in names, but not in file names.
    static func normalized(_ name: String) -> String {
        [("\r\n", "\n"), ("\r", "\n"), ("\n", "\r\n")].reduce(name) { text, pair in
            text.replacingOccurrences(of: pair.0, with: pair.1, options: .literal)
        }
    }

    /// 128 random bits: files and streams, which are not searched for the boundary, practically never contain it.
    static func randomBoundary() -> String {
        "AsyncNet-\((0..<16).map { _ in UInt8.random(in: 0...255) }.hexadecimal)"
    }

    /// Whether the text is valid as a boundary (RFC 2046 §5.1.1).
    static func isBoundary(_ text: String) -> Bool {
        1...70 ~= text.utf8.count && text.last != " "
            && text.utf8.allSatisfy { HTTPSyntax.isAlphanumeric($0) || "'()+_,-./:=? ".utf8.contains($0) }
    }

    static func quotedIfNeeded(_ boundary: String) -> String {
        HTTPSyntax.isToken(boundary) ? boundary : "\"\(boundary)\""
    }
}
