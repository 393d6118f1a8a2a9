@testable import AsyncNet
import Testing

@Suite("libcurl's errors")
struct LibcurlErrorsTests {
    @Test("Each result has its code", arguments: [
        (1, "Unsupported HTTP version in response", .badServerResponse), (1, "Received HTTP/0.9 when not allowed", .badServerResponse),
        (1, "Protocol \"gopher\" not supported or disabled in libcurl", .unsupportedScheme), (3, "", .malformedURL), (5, "", .proxyNotFound),
        (6, "Could not resolve host: x", .hostNotFound), (7, "", .cannotConnect), (8, "", .badServerResponse), (16, "", .badServerResponse),
        (18, "transfer closed with 3 bytes remaining to read", .bodyEndedEarly), (28, "", .timedOut), (35, "", .tlsHandshakeFailed), (45, "", .cannotConnect),
        (52, "", .emptyReply), (55, "Send failure: Broken pipe", .connectionLost), (56, "Recv failure: Connection reset by peer", .connectionLost),
        (56, "Illegal or missing hexadecimal sequence in chunked-encoding", .badServerResponse), (56, "CONNECT tunnel failed, response 407", .proxyFailed),
        (56, "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0", .tlsHandshakeFailed),
        (58, "", .clientCertificateInvalid), (60, "SSL certificate problem: unable to get local issuer certificate", .certificateNotTrusted),
        (60, "SSL certificate problem: certificate has expired", .certificateExpired), (60, "SSL certificate problem: certificate is not yet valid", .certificateExpired),
        (60, "SSL: no alternative certificate subject name matches target host name 'a'", .certificateHostMismatch), (61, "", .badContentEncoding),
        (77, "", .invalidConfiguration), (90, "", .certificatePinMismatch), (92, "HTTP/2 stream 1 was reset", .connectionLost), (97, "", .proxyFailed), (43, "", .transportFailed),
    ] as [(Int32, String, AsyncNetError.Code)])
    func codes(_ result: Int32, _ text: String, _ code: AsyncNetError.Code) {
        #expect(LibcurlErrors.code(for: result, .init(text: text)) == code)
    }

    @Test("OpenSSL's own result and a proxy's answer count more than words")
    func circumstances() {
        #expect(LibcurlErrors.code(for: 60, .init(text: "?", verifyResult: 10)) == .certificateExpired)
        #expect(LibcurlErrors.code(for: 60, .init(text: "?", verifyResult: 9)) == .certificateExpired)
        #expect(LibcurlErrors.code(for: 60, .init(text: "?", verifyResult: 18)) == .certificateNotTrusted)
        #expect(LibcurlErrors.code(for: 56, .init(text: "?", connectStatus: 403)) == .proxyFailed)
    }
}
