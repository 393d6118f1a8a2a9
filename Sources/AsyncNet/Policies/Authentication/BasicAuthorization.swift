import Foundation

/// The Basic scheme (RFC 7617).
package enum BasicAuthorization {
    /// What stands in `Authorization` or `Proxy-Authorization`: user and password in UTF-8, normalized as §2.1 says
    /// (NFC).
    ///
    /// - Throws: `.invalidRequest` for a name with a colon, which a server would take for the end of the name, and for
    ///   control characters in either (§2). The message holds neither.
    package static func header(user: String, password: String) throws(AsyncNetError) -> String {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw AsyncNetError(
                .invalidRequest, "The user's name holds a colon, which Basic authentication cannot send")
        }
        guard !user.hasControlCharacter, !password.hasControlCharacter else {
            throw AsyncNetError(
                .invalidRequest,
                "The user's name or password holds a control character, which Basic authentication cannot send")
        }
        let pair = "\(user):\(password)".normalized
        return "Basic \(Data(pair.utf8).base64EncodedString())"
    }
}

extension String {
    /// Whether any of ASCII's is in it.
    var hasControlCharacter: Bool { utf8.contains { $0 < 0x20 || $0 == 0x7F } }
}
