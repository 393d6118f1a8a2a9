extension URLEncodedFormEncoder {
    /// Which characters of keys and values stay as they are.
    ///
    /// All others are written as `%` and two upper-case hexadecimal digits for each byte of their UTF-8. ASCII letters
    /// and digits always stay; control characters, spaces, `%`, `&`, `=`, `+`, `#` and all that is not ASCII never do.
    public struct Escaping: Hashable, Sendable {
        /// The unreserved characters, `?` and `/`: no delimiter of a query or form among them (RFC 3986 §3.4).
        public static let rfc3986 = Escaping(keeping: "-._~?/")

        /// What the URL Standard's application/x-www-form-urlencoded percent-encode set leaves: letters, digits and
        /// `*-._`.
        ///
        /// Browsers send forms so; they write spaces as ``SpaceEncoding/plusReplaced``.
        public static let whatwg = Escaping(keeping: "*-._")

        private static let never = "%&=+#\u{7F}"

        private let kept: UInt128

        /// Letters, digits and the ASCII punctuation in this text.
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
