/// How a response's body is to be treated and what its file is called, as in `Content-Disposition` (RFC 6266).
///
/// Lax where browsers are: names with spaces need no quotes, quotes need not be closed, parameters that make no sense
/// are left out, and of several of one name the first counts.
package struct ContentDisposition: Hashable, Sendable {
    /// In lower case, such as `attachment` or `inline`.
    package let type: String
    /// Names in lower case; values unquoted, otherwise as they were sent.
    package let parameters: [String: String]

    /// Reads `attachment; filename="a.txt"; filename*=UTF-8''%c3%a4.txt`; `nil` if there is no token where the type
    /// stands.
    package init?(_ text: String) {
        let scalars = text[...].unicodeScalars
        let type = Substring(scalars.prefix { $0 != ";" })
        self.type = String(type).trimmedHTTPSpace.lowercased()
        guard HTTPSyntax.isToken(self.type) else { return nil }
        parameters = HTTPParameters.firstValues(scalars[type.endIndex...])
    }

    /// The file's name as the server gave it: `filename*` if it can be decoded, else `filename`; `nil` if neither says
    /// anything.
    ///
    /// Not to be trusted: it may hold a path, see ``FileName``.
    package var fileName: String? {
        let names = [parameters["filename*"].flatMap(Self.decoded), parameters["filename"]]
        return names.lazy.compactMap { $0 }.first { !$0.isEmpty }
    }

    /// `charset'language'percent-encoded` (RFC 8187 §3.2): UTF-8 or ISO-8859-1; the language says nothing about a
    /// file's name.
    private static func decoded(_ text: String) -> String? {
        let parts = text.unicodeScalars.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = percentDecoded(parts[2]) else { return nil }
        switch String(parts[0]).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }

    /// `nil` if a percent sign has no two hex digits after it, or something is not ASCII.
    private static func percentDecoded(_ text: Substring.UnicodeScalarView) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        while let scalar = rest.popFirst() {
            guard scalar.isASCII else { return nil }
            guard scalar == "%" else {
                bytes.append(UInt8(ascii: scalar))
                continue
            }
            guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

extension Unicode.Scalar {
    fileprivate var hexValue: UInt8? {
        switch self {
        case "0"..."9": UInt8(value - 0x30)
        case "A"..."F": UInt8(value - 0x41 + 10)
        case "a"..."f": UInt8(value - 0x61 + 10)
        default: nil
        }
    }
}
