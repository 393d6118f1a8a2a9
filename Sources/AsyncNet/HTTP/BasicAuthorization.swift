import Foundation

/// The Basic scheme (RFC 7617).
enum BasicAuthorization {
    /// The value of `Authorization` or `Proxy-Authorization`: user and password in UTF-8, normalized to NFC (§2.1).
    /// Throws `.invalidRequest`, which shows neither, for a colon in the user name, and for control characters (§2).
    static func header(user: String, password: String) throws(AsyncNetError) -> String {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw AsyncNetError(
                .invalidRequest, "The user's name contains a colon, which Basic authentication cannot send")
        }
        guard !user.hasControlCharacter, !password.hasControlCharacter else {
            throw AsyncNetError(
                .invalidRequest,
                "The user's name or password contains a control character, which Basic authentication cannot send")
        }
        let pair = "\(user):\(password)".normalized
        return "Basic \(Data(pair.utf8).base64EncodedString())"
    }
}

extension String {
    var hasControlCharacter: Bool { utf8.contains { $0 < 0x20 || $0 == 0x7F } }
}
