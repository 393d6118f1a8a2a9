import AsyncNet
import Crypto
import Foundation
import RawStructuredFieldValues

/// The field `Content-Digest` (RFC 9530).
enum ContentDigest {
    /// Refuses a body that does not have each digest of an algorithm that is known, and a field without any.
    static func check(_ response: RawResponse) throws {
        let digests = try StructuredFields.dictionary(response.head.value(for: "Content-Digest") ?? "")
        var isChecked = false
        for (name, member) in digests {
            guard let digest = digest(name, response.data) else { continue }
            guard member.bytes == digest else { throw mismatch(response) }
            isChecked = true
        }
        if !isChecked { throw SignatureFailure("The response's Content-Digest has neither sha-256 nor sha-512") }
    }

    private static func digest(_ name: String, _ data: Data) -> Data? {
        switch name {
        case "sha-256": Data(SHA256.hash(data: data))
        case "sha-512": Data(SHA512.hash(data: data))
        default: nil
        }
    }

    private static func mismatch(_ response: RawResponse) -> SignatureFailure {
        let isCoded = response.head.value(for: "Content-Encoding") != nil
        return SignatureFailure(
            "The response's body is not that of its Content-Digest"
                + (isCoded ? ": it was decoded; send Accept-Encoding: identity" : ""))
    }
}
