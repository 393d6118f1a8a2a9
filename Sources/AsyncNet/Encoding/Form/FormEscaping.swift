extension URLEncodedFormEncoder {
    /// The characters of keys and values that are not percent-encoded.
    ///
    /// Other characters are written as `%` and two upper-case hexadecimal digits for each byte of their UTF-8. ASCII
    /// letters and digits are never encoded; control characters, spaces, `%`, `&`, `=`, `+`, `#` and all non-ASCII
    /// characters always are.
    public struct Escaping: Hashable, Sendable {
        /// Keeps the unreserved characters, `?` and `/`, which are no delimiters of a query or form (RFC 3986 §3.4).
        public static let rfc3986 = Escaping(keeping: "-._~?/")

        /// Keeps letters, digits and `*-._`, as the URL Standard's application/x-www-form-urlencoded percent-encode
        /// set.
        ///
        /// Browsers send forms like this, with spaces as ``SpaceEncoding/plusReplaced``.
        public static let whatwg = Escaping(keeping: "*-._")

        private static let never = "%&=+#\u{7F}"

        private let kept: UInt128

        /// Keeps letters, digits and the ASCII punctuation of this text.
        public init(keeping punctuation: String) {
            let alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
            let bytes = (alphanumeric + punctuation).utf8.filter {
                $0 > 0x20 && $0 < 0x80 && !Self.never.utf8.contains($0)
            }
            kept = bytes.reduce(0) { $0 | UInt128(1) << UInt128($1) }
        }

        func keeps(_ byte: UInt8) -> Bool { byte < 0x80 && kept & UInt128(1) << UInt128(byte) != 0 }
    }
}
