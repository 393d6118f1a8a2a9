/// The checksums of a response, as in `Repr-Digest` and `Content-Digest` (RFC 9530).
enum DigestFields {
    /// Parses `sha-256=:base64:, sha-512=:base64:`, in the order of first occurrence.
    ///
    /// Other algorithms are ignored as too weak (RFC 9530 §5) or unknown, and so are digests of a wrong length or type,
    /// and parameters. Of repeated algorithms the last is used. A field that is not a valid dictionary of Structured
    /// Fields is ignored as a whole (RFC 9651 §4.2).
    static func checksums(_ fieldValue: String) -> [Checksum] {
        var scanner = StructuredFieldScanner(fieldValue)
        guard let members = scanner.dictionary() else { return [] }
        return members.compactMap { member in
            guard let algorithm = HashAlgorithm(rawValue: member.key), [.sha256, .sha512].contains(algorithm) else {
                return nil
            }
            return member.bytes.flatMap { Checksum(algorithm, bytes: $0) }
        }
    }
}
