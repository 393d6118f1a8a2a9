/// The checksums that a server sends along, as in `Repr-Digest` and `Content-Digest` (RFC 9530).
package enum DigestFields {
    /// Reads `sha-256=:base64:, sha-512=:base64:`, in the order of the algorithms' first mention.
    ///
    /// Algorithms other than these two are left out, since the others are too weak (RFC 9530 §5) or unknown; so is a
    /// digest of a wrong length or type. Parameters say nothing. Of one algorithm the last digest counts. A field that
    /// is not a dictionary of Structured Fields from its first to its last character is ignored as a whole (RFC 9651
    /// §4.2): it has none.
    package static func checksums(_ fieldValue: String) -> [Checksum] {
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
