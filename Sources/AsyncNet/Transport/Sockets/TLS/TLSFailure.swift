enum TLSFailure {
    static func error(ofVerifyResult result: Int, _ words: String) -> AsyncNetError {
        error(code(ofVerifyResult: result), verifyResults[result], words)
    }

    /// The error of a handshake, or of a connection after its handshake, by OpenSSL's reason.
    static func error(ofReason reason: Int32, isConnected: Bool = false, _ words: String) -> AsyncNetError {
        error(code(ofReason: reason, isConnected: isConnected), reasons[reason] ?? alerts[reason], words)
    }

    private static func error(_ code: AsyncNetError.Code, _ meaning: String?, _ words: String) -> AsyncNetError {
        let text = code.summary + (meaning.map { ": \($0)" } ?? "")
        return AsyncNetError(code, words.isEmpty ? text : "\(text) (\(words))")
    }

    static func code(ofVerifyResult result: Int) -> AsyncNetError.Code {
        switch result {
        case 9, 10: .certificateExpired
        case 23: .certificateRevoked
        case 62, 64: .certificateHostMismatch
        default: .certificateNotTrusted
        }
    }

    static func code(ofReason reason: Int32, isConnected: Bool = false) -> AsyncNetError.Code {
        switch reason {
        // With TLS 1.3 a server looks at the client's certificate after the handshake is complete for the client.
        case 1042...1046, 1048, 1049, 1116: .tlsHandshakeFailed
        default: isConnected ? .connectionLost : .tlsHandshakeFailed
        }
    }

    static let verifyResults: [Int: String] = [
        2: "an issuer is missing: the server does not send an intermediate certificate, or its authority is unknown",
        3: "the revocation lists have none of the certificate's issuer",
        7: "the signature of a certificate is wrong",
        8: "the signature of a revocation list is wrong: it is of another authority with the same name",
        9: "a certificate is not valid yet: check this machine's clock",
        10: "a certificate has expired",
        11: "a revocation list is not valid yet: check this machine's clock",
        12: "a revocation list is out of date: fetch its next issue",
        18: "the certificate is self-signed, and is not an anchor",
        19: "the chain ends with a root that is not trusted",
        20:
            "its issuer is unknown: the server does not send an intermediate certificate, or its authority is not trusted",
        21: "its issuer is unknown: the server sends one certificate only, and its authority is not trusted",
        23: "a certificate of the chain is on a revocation list",
        24: "a certificate of the chain is issued by one that is no authority",
        25: "the chain has more intermediate certificates than its authority allows",
        26: "the certificate is not for servers (extended key usage)",
        28: "the system's trust settings reject the certificate",
        34: "a certificate has a critical extension that OpenSSL does not know",
        47: "its authority may not issue certificates for this name (name constraints)",
        48: "its authority must not issue certificates for this name (name constraints)",
        62: "the name in the URL, or serverName, is none of the certificate's",
        64: "the address in the URL, or serverName, is none of the certificate's",
        66: "the certificate's key is too small for this machine's security level: the server needs a larger one",
        67: "the key of an authority in the chain is too small for this machine's security level",
        68: "a certificate of the chain is signed with SHA-1 or MD5, which this machine's security level forbids",
        79: "a certificate of the chain is issued by one that is no authority",
    ]

    static let reasons: [Int32: String] = [
        101: "the server chose a group of the key exchange that was not offered",
        118: "the client certificate's key has no signature algorithm that the server accepts",
        123: "the server's signature is wrong: its certificate and key do not belong together",
        149: "the handshake was changed on its way, or the server computes wrongly",
        152: "the server's certificates are too large: OpenSSL accepts 100 KB",
        156: "the server answered without TLS: the port is one for http, or a proxy answers on it",
        181:
            "no cipher suite is left to offer: those of cipherSuites are forbidden by this machine's security level or do "
            + "not fit the versions of TLS",
        191:
            "no version of TLS is left to offer: this machine's OpenSSL configuration forbids those of minimumVersion and "
            + "maximumVersion",
        198: "the server answered without TLS, or with a record that is too long",
        244: "the server sent a message that does not belong there",
        258: "the server speaks only versions of TLS older than minimumVersion, or than this machine allows",
        261: "the server chose a cipher suite that was not offered",
        266: "the server chose a version of TLS that was not offered",
        267: "the server answered without TLS: the port is one for http, or a proxy answers on it",
        281: "a record was damaged or changed on its way",
        333: "the server signs with an old algorithm such as SHA-1, which this machine's security level forbids",
        338: "the server has no secure renegotiation (RFC 5746), which OpenSSL 3 requires: it needs an update",
        370: "the server signs with an algorithm that was not offered",
        378: "the server chose a group of the key exchange that was not offered",
        394: "the server's Diffie-Hellman key is too small: it needs 2048 bits, or suites with ECDHE",
        399: "a key is too small for this machine's security level",
    ]

    /// The meanings of the server's alerts (RFC 8446 §6), by OpenSSL's number, which is the alert's plus 1000.
    static let alerts: [Int32: String] = [
        1010: "the server did not expect a message",
        1020: "the server received a damaged record: something on the way changes the connection",
        1022: "the server received a record that is too long",
        1040: "the server accepts none of the offered cipher suites, groups and signatures, or requires a client "
            + "certificate",
        1042: "the server does not accept the client certificate, or requires one",
        1043: "the server does not support the client certificate's kind or key",
        1044: "the client certificate is revoked",
        1045: "the client certificate has expired: renew it, or check the clocks",
        1046: "the server does not accept the client certificate, and does not say why",
        1047: "the server holds a value of the handshake for invalid",
        1048: "the server does not know the client certificate's authority: the identity may lack its intermediate "
            + "certificates",
        1049: "the client certificate is valid, and its holder has no access",
        1050: "the server cannot read a message of the handshake",
        1051: "the server cannot verify the handshake: the client's certificate and key may not belong together",
        1070: "the server speaks none of the offered versions of TLS: see minimumVersion and maximumVersion",
        1071: "the server requires stronger cipher suites than the offered ones",
        1080: "the server has an internal error",
        1086: "the server speaks a newer version of TLS than it was asked for, and holds that for an attack",
        1090: "the server was told to stop",
        1109: "the server misses a part of the handshake",
        1110: "the server was sent a part of the handshake that it did not ask for",
        1112: "the server has no site of this name: check the URL's host, or serverName",
        1113: "the server does not accept a stapled status",
        1116: "the server requires a client certificate: set clientIdentity",
        1120: "the server speaks none of the offered protocols, such as HTTP/2 and HTTP/1.1",
    ]
}
