import Foundation

/// The compact form of JSON web signatures (RFC 7515 §7.1).
enum JSONWebSignature {
    static func compact(header: Data, payload: Data, key: SigningKey) throws -> String {
        let input = "\(base64URL(header)).\(base64URL(payload))"
        return "\(input).\(base64URL(try key.signature(for: Data(input.utf8))))"
    }

    /// Base64 for URLs, without padding (RFC 7515 §2).
    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
