import Foundation

/// The checksums of a response, as in `Repr-Digest` and `Content-Digest` (RFC 9530).
enum DigestFields {
    /// Parses `sha-256=:base64:, sha-512=:base64:`, in the order of last occurrence.
    ///
    /// Other algorithms are ignored as too weak (RFC 9530 §5) or unknown, and so are digests of a wrong length. Of
    /// repeated algorithms the last is used. One malformed member does not hide the others, as it would by RFC 9651
    /// §4.2; a comma in a quoted string separates members, which at most hides a digest or adds one to check.
    static func checksums(_ fieldValue: String) -> [Checksum] {
        var found: [Checksum] = []
        for member in fieldValue.split(separator: ",") {
            let pair = String(member.prefix { $0 != ";" }).trimmedHTTPSpace.split(separator: "=", maxSplits: 1)
            guard let algorithm = pair.first.flatMap({ HashAlgorithm(rawValue: String($0)) }),
                [.sha256, .sha512].contains(algorithm)
            else { continue }
            found.removeAll { $0.algorithm == algorithm }
            if pair.count > 1, let checksum = Checksum(algorithm, bytes: bytes(pair[1])) { found.append(checksum) }
        }
        return found
    }

    /// The bytes between colons, whose padding may be missing (RFC 9651 §4.2.7); none for another value.
    private static func bytes(_ value: Substring) -> [UInt8] {
        guard value.count > 2, value.hasPrefix(":"), value.hasSuffix(":") else { return [] }
        let base64 = value.dropFirst().dropLast().prefix { $0 != "=" }
        guard value[base64.endIndex...].dropLast().allSatisfy({ $0 == "=" }) else { return [] }
        let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
        return Data(base64Encoded: base64 + padding).map { [UInt8]($0) } ?? []
    }
}
