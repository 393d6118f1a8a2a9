import Foundation
import Testing

@testable import AsyncNet

@Suite("Errors of TLS", .timeLimit(.minutes(5)))
struct TLSFailureTests {
    @Test(
        "Each OpenSSL reason has an error code, during and after the handshake, and a likely cause",
        arguments: [
            (267, .tlsHandshakeFailed, .connectionLost, "without TLS"),
            (156, .tlsHandshakeFailed, .connectionLost, "without TLS"),
            (258, .tlsHandshakeFailed, .connectionLost, "minimumVersion"),
            (338, .tlsHandshakeFailed, .connectionLost, "RFC 5746"),
            (394, .tlsHandshakeFailed, .connectionLost, "2048"),
            (181, .tlsHandshakeFailed, .connectionLost, "cipherSuites"),
            (281, .tlsHandshakeFailed, .connectionLost, "damaged"),
            (1040, .tlsHandshakeFailed, .connectionLost, "cipher suites"),
            (1042, .tlsHandshakeFailed, .tlsHandshakeFailed, "client certificate"),
            (1044, .tlsHandshakeFailed, .tlsHandshakeFailed, "revoked"),
            (1045, .tlsHandshakeFailed, .tlsHandshakeFailed, "expired"),
            (1048, .tlsHandshakeFailed, .tlsHandshakeFailed, "authority"),
            (1049, .tlsHandshakeFailed, .tlsHandshakeFailed, "no access"),
            (1070, .tlsHandshakeFailed, .connectionLost, "versions"),
            (1080, .tlsHandshakeFailed, .connectionLost, "internal"),
            (1112, .tlsHandshakeFailed, .connectionLost, "serverName"),
            (1116, .tlsHandshakeFailed, .tlsHandshakeFailed, "clientIdentity"),
            (1120, .tlsHandshakeFailed, .connectionLost, "HTTP/2"),
        ] as [(Int32, AsyncNetError.Code, AsyncNetError.Code, String)])
    func reasons(_ reason: Int32, _ during: AsyncNetError.Code, _ after: AsyncNetError.Code, _ text: String) {
        for (isConnected, code) in [(false, during), (true, after)] {
            let error = TLSFailure.error(ofReason: reason, isConnected: isConnected, "openssl's words")
            #expect(error.code == code)
            #expect(error.message.hasPrefix("\(code.summary): "))
            #expect(error.message.contains(text))
            #expect(error.message.hasSuffix(" (openssl's words)"))
        }
    }

    @Test(
        "Each verify result has an error code and a likely cause",
        arguments: [
            (10, .certificateExpired, "expired"), (9, .certificateExpired, "clock"),
            (18, .certificateNotTrusted, "self-signed"),
            (20, .certificateNotTrusted, "intermediate"), (23, .certificateRevoked, "list"),
            (3, .certificateNotTrusted, "list"),
            (12, .certificateNotTrusted, "out of date"), (62, .certificateHostMismatch, "serverName"),
            (64, .certificateHostMismatch, "address"), (26, .certificateNotTrusted, "servers"),
            (66, .certificateNotTrusted, "too small"), (68, .certificateNotTrusted, "SHA-1"),
        ] as [(Int, AsyncNetError.Code, String)])
    func verification(_ result: Int, _ code: AsyncNetError.Code, _ text: String) {
        let error = TLSFailure.error(ofVerifyResult: result, "words")
        #expect(error.code == code)
        #expect(error.message.contains(text))
        #expect(error.message.hasSuffix(" (words)"))
    }

    @Test("An unknown OpenSSL reason has a general message with OpenSSL's text")
    func unknown() {
        #expect(TLSFailure.error(ofReason: 999, "words").message == "The TLS handshake failed (words)")
        #expect(TLSFailure.error(ofReason: 0, "").message == "The TLS handshake failed")
        #expect(TLSFailure.error(ofVerifyResult: 99, "words").code == .certificateNotTrusted)
    }

    @Test("The texts for OpenSSL's reasons have no final full stop, and their numbers are in range")
    func sentences() {
        let all = Array(TLSFailure.reasons.values) + TLSFailure.alerts.values + TLSFailure.verifyResults.values
        #expect(all.count > 60)
        for text in all {
            #expect(!text.isEmpty && text.first?.isUppercase == false || text.hasPrefix("TLS"), "\(text)")
            #expect(!text.hasSuffix("."))
        }
        #expect(TLSFailure.reasons.keys.allSatisfy { $0 < 1000 })
        #expect(TLSFailure.alerts.keys.allSatisfy { 1000..<1256 ~= $0 })
    }
}
