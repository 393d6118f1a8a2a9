/// The values of parameters whose names end in `*`, as in `filename*` and `title*` (RFC 8187).
enum ExtendedValue {
    /// Decodes `charset'language'percent-encoded` (RFC 8187 §3.2) in UTF-8 or ISO-8859-1; `nil` for invalid text.
    static func decoded(_ text: String) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].allSatisfy({ $0 < 0x80 }), PercentEncoding.isValid(Substring(parts[2])) else {
            return nil
        }
        let bytes = PercentBytes.decoded(ArraySlice(parts[2]), plus: UInt8(ascii: "+"))
        switch Substring(parts[0]).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}
