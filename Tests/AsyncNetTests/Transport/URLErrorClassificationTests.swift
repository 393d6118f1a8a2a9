@testable import AsyncNet
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Testing

/// FoundationNetworking gives most failures the code -1 and says in libcurl's words what they are; the words of
/// libcurl 7.88 as they were seen, with OpenSSL.
@Suite("URLError classification", .timeLimit(.minutes(5)))
struct URLErrorClassificationTests {
    @Test("Each cause is told apart by its text", arguments: [
        (-1004, "Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server", .cannotConnect),
        (-1003, "Could not resolve host: nowhere.invalid", .hostNotFound), (-1, "Could not resolve proxy: p", .hostNotFound),
        (-1, "SSL certificate problem: unable to get local issuer certificate", .certificateNotTrusted),
        (-1, "SSL certificate problem: self-signed certificate", .certificateNotTrusted),
        (-1, "SSL certificate problem: self-signed certificate in certificate chain", .certificateNotTrusted),
        (-1, "SSL certificate problem: certificate has expired", .certificateExpired),
        (-1, "SSL certificate problem: certificate is not yet valid", .certificateExpired),
        (-1, "SSL: no alternative certificate subject name matches target host name 'h'", .certificateHostMismatch),
        (-1, "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", .tlsHandshakeFailed),
        (-1, "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0", .tlsHandshakeFailed),
        (-1001, "", .timedOut), (-1011, "Empty reply from server", .emptyReply), (-1005, "Recv failure: Connection reset by peer", .connectionLost),
        (-1, "transfer closed with 990 bytes remaining to read", .bodyEndedEarly),
        (-1, "transfer closed with outstanding read data remaining", .bodyEndedEarly),
        (-1, "Illegal or missing hexadecimal sequence in chunked-encoding", .badServerResponse),
        (-1, "Unrecognized content encoding type. libcurl understands deflate, gzip, br, zstd content encodings.", .badContentEncoding),
        (-1, "Error while processing content unencoding: incorrect header check", .badContentEncoding),
        (-1, "Failed writing received data to disk/application", .badContentEncoding), (-1, "Failed writing header", .badServerResponse),
        (-1004, "error adding trust anchors from file: /etc/pki/tls/certs/ca-bundle.crt", .invalidConfiguration),
        (-1, "end of response with 990 bytes missing", .bodyEndedEarly),
        (-1, "chunk hex-length char not a hex digit: 0x7a", .badServerResponse), (-1, "NUL byte in header", .badServerResponse),
        (-1, "Failure writing output to destination, passed 2 returned 0", .badServerResponse),
        (-1, "A value or data field grew larger than allowed", .badServerResponse), (-1, "Multiple Location headers", .badServerResponse),
        (-1, "Reject response due to 'chunked' not being the last Transfer-Encoding", .badServerResponse),
        (-1, "Reject response exceeding limit of 5 content encodings", .badContentEncoding),
        (-1, "Header without colon", .badServerResponse), (-1, "Nul byte in header", .badServerResponse), (-1, "Out of memory", .badServerResponse),
        (-1, "Too large response headers: 307547 > 307200", .badServerResponse), (-1002, "Unsupported response code in HTTP response", .badServerResponse),
        (-1002, "Received HTTP/0.9 when not allowed", .badServerResponse), (-1002, "unsupported URL", .unsupportedScheme), (-1000, "", .malformedURL),
        (-999, "cancelled", .cancelled), (-1, "something new", .transportFailed), (NSURLErrorServerCertificateUntrusted, "", .certificateNotTrusted),
        (NSURLErrorServerCertificateHasBadDate, "", .certificateExpired), (NSURLErrorServerCertificateNotYetValid, "", .certificateExpired),
        (NSURLErrorServerCertificateHasUnknownRoot, "", .certificateNotTrusted), (NSURLErrorSecureConnectionFailed, "", .tlsHandshakeFailed),
        (NSURLErrorCannotParseResponse, "", .badServerResponse), (NSURLErrorNotConnectedToInternet, "", .cannotConnect),
    ] as [(Int, String, AsyncNetError.Code)])
    func codes(_ code: Int, _ text: String, _ expected: AsyncNetError.Code) {
        #expect(URLErrorClassification.code(for: code, text: text) == expected)
    }
}
