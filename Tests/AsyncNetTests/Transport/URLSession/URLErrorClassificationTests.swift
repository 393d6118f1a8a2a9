import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// FoundationNetworking gives most failures the code -1 and says in libcurl's words what they are; the words of
/// libcurl 7.88 as they were seen, with OpenSSL.
@Suite("URLError classification", .timeLimit(.minutes(5)))
struct URLErrorClassificationTests {
    @Test(
        "The code and text of a URLError decide the error code",
        arguments: [
            (-1004, "Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server", .cannotConnect),
            (-1004, "", .cannotConnect),
            (
                -1004, "SSL certificate OpenSSL verify result: unable to get local issuer certificate (20)",
                .certificateNotTrusted
            ),
            (-1004, "SSL certificate OpenSSL verify result: certificate has expired (10)", .certificateExpired),
            (
                -1004, "SSL: no alternative certificate subject name matches target hostname 'localhost'",
                .certificateHostMismatch
            ),
            (
                -1, "SSL: certificate subject name 'connection died' does not match target host name 'h'",
                .certificateHostMismatch
            ),
            (-1, "Received HTTP code 407 from proxy after CONNECT", .proxyFailed),
            (
                -1, "Unsupported proxy syntax in 'user:hunter2@proxy:8x': Port number was not a decimal number",
                .invalidConfiguration
            ),
            (-1004, "TLS connect error: error:0A00010B:SSL routines::wrong version number", .tlsHandshakeFailed),
            (-1003, "Could not resolve host: nowhere.invalid", .hostNotFound),
            (-1, "Could not resolve proxy: p", .proxyNotFound),
            (-1, "SSL certificate problem: unable to get local issuer certificate", .certificateNotTrusted),
            (-1, "SSL certificate problem: self-signed certificate", .certificateNotTrusted),
            (-1, "SSL certificate problem: self-signed certificate in certificate chain", .certificateNotTrusted),
            (-1, "SSL certificate problem: certificate has expired", .certificateExpired),
            (-1, "SSL certificate problem: certificate is not yet valid", .certificateExpired),
            (-1, "SSL: no alternative certificate subject name matches target host name 'h'", .certificateHostMismatch),
            (-1, "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", .tlsHandshakeFailed),
            (
                -1, "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
                .tlsHandshakeFailed
            ),
            (-1, "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h:443", .tlsHandshakeFailed),
            (-1, "SSL connect error", .tlsHandshakeFailed),
            (-1, "TLS connect error: error:00000000:lib(0)::reason(0)", .tlsHandshakeFailed),
            (
                -1,
                "OpenSSL SSL_read: OpenSSL/3.0.19: error:0A000126:SSL routines::unexpected eof while reading, errno 0",
                .connectionLost
            ),
            (-1, "Connection closed abruptly", .connectionLost),
            (-1, "SSL: unable to obtain common name from peer certificate", .certificateHostMismatch),
            (-1, "SSL peer certificate or SSH remote key was not OK", .certificateNotTrusted),
            (-1, "CONNECT tunnel failed, response 403", .proxyFailed), (-1, "Proxy CONNECT aborted", .proxyFailed),
            (-1, "proxy handshake error", .proxyFailed),
            (-1, "Send failure: Broken pipe", .connectionLost), (-1, "Failed sending HTTP request", .connectionLost),
            (-1, "Failure when receiving data from the peer", .connectionLost),
            (-1, "Failed sending data to the peer", .connectionLost),
            (-1, "Connection died, tried 5 times before giving up", .connectionLost),
            (-1, "Server returned nothing (no headers, no data)", .emptyReply),
            (-1, "Connection timed out after 1000 milliseconds", .timedOut),
            (-1, "end of response with 7 bytes missing", .bodyEndedEarly),
            (-1, "Transferred a partial file", .bodyEndedEarly),
            (-1, "Malformed encoding found in chunked-encoding", .badServerResponse),
            (-1, "Too long hexadecimal number in chunked-encoding", .badServerResponse),
            (-1, "invalid chunk size: 'x'", .badServerResponse),
            (-1, "Bad content-encoding found in chunked-encoding", .badContentEncoding),
            (-1, "trailers exceeded header limit", .badServerResponse),
            (-1, "Failed reading the chunked-encoded stream", .badServerResponse),
            (-1, "Unsolicited Transfer-Encoding (x) found", .badServerResponse),
            (-1, "A Transfer-Encoding (gzip) was listed after chunked", .badServerResponse),
            (-1, "Reject response due to 'chunked' not being the last Transfer-Encoding", .badServerResponse),
            (-1, "Unrecognized or bad HTTP Content or Transfer-Encoding", .badContentEncoding),
            (-1, "Reject response due to more than 5 content encodings", .badContentEncoding),
            (-1, "Reject response exceeding limit of 5 content encodings", .badContentEncoding),
            (-1, "Multi-member gzip response not supported", .badContentEncoding),
            (-1, "Unrecognized content encoding type", .badContentEncoding),
            (-1, "A libcurl function was given a bad argument", .badServerResponse),
            (-1, "A value or data field grew larger than allowed", .badServerResponse),
            (-1, "Invalid Content-Length: value", .badServerResponse),
            (-1, "Overflow Content-Length: value", .badServerResponse),
            (-1, "Unsupported Content-Length value", .badServerResponse),
            (-1, "Carriage return found in header", .badServerResponse),
            (-1, "Invalid response header", .badServerResponse), (-1, "Invalid status line", .badServerResponse),
            (-1, "NUL byte in header", .badServerResponse),
            (-1, "Multiple Location headers", .badServerResponse),
            (-1, "Too many response headers, 5000 is max", .badServerResponse),
            (-1, "Lying server, not serving HTTP/2", .badServerResponse),
            (-1, "Version mismatch (from HTTP/1 to HTTP/2)", .badServerResponse),
            (-1, "server sent 101 response while not talking HTTP/1.1", .badServerResponse),
            (-1, "Weird server reply", .badServerResponse),
            (-1, "Unsupported HTTP/1 subversion in response", .badServerResponse),
            (-1, "Unsupported HTTP version (9.1) in response", .badServerResponse),
            (-1, "Failure writing output to destination, passed 5 returned 0", .badServerResponse),
            (-1, "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)", .connectionLost),
            (
                -1,
                "HTTP/2 stream 1 was closed cleanly, but before getting  all response header fields, treated as error",
                .badServerResponse
            ),
            (-1, "HTTP/2 stream 1 refused by server, try again on a new connection", .connectionLost),
            (-1, "Error in the HTTP2 framing layer", .badServerResponse),
            (-1, "Stream error in the HTTP/2 framing layer", .connectionLost),
            (-1, "process_pending_input: nghttp2_session_mem_recv() returned -505:x", .badServerResponse),
            (-1, "Failed sending HTTP2 data", .connectionLost),
            (-1, "http/2: No new requests allowed", .connectionLost),
            (-1001, "", .timedOut), (-1011, "Empty reply from server", .emptyReply),
            (-1005, "Recv failure: Connection reset by peer", .connectionLost),
            (-1, "transfer closed with 990 bytes remaining to read", .bodyEndedEarly),
            (-1, "transfer closed with outstanding read data remaining", .bodyEndedEarly),
            (-1, "Illegal or missing hexadecimal sequence in chunked-encoding", .badServerResponse),
            (
                -1,
                "Unrecognized content encoding type. libcurl understands deflate, gzip, br, zstd content encodings.",
                .badContentEncoding
            ),
            (-1, "Error while processing content unencoding: incorrect header check", .badContentEncoding),
            (-1, "Failed writing received data to disk/application", .badContentEncoding),
            (-1, "Failed writing header", .badServerResponse),
            (-1004, "error adding trust anchors from file: /etc/pki/tls/certs/ca-bundle.crt", .invalidConfiguration),
            (-1, "end of response with 990 bytes missing", .bodyEndedEarly),
            (-1, "chunk hex-length char not a hex digit: 0x7a", .badServerResponse),
            (-1, "NUL byte in header", .badServerResponse),
            (-1, "Failure writing output to destination, passed 2 returned 0", .badServerResponse),
            (-1, "A value or data field grew larger than allowed", .badServerResponse),
            (-1, "Multiple Location headers", .badServerResponse),
            (-1, "Reject response due to 'chunked' not being the last Transfer-Encoding", .badServerResponse),
            (-1, "Reject response exceeding limit of 5 content encodings", .badContentEncoding),
            (-1, "Header without colon", .badServerResponse), (-1, "Nul byte in header", .badServerResponse),
            (-1, "Out of memory", .badServerResponse),
            (-1, "Too large response headers: 307547 > 307200", .badServerResponse),
            (-1002, "Unsupported response code in HTTP response", .badServerResponse),
            (-1002, "Received HTTP/0.9 when not allowed", .badServerResponse),
            (-1002, "unsupported URL", .unsupportedScheme), (-1000, "", .malformedURL),
            (-999, "cancelled", .cancelled), (-1, "something new", .transportFailed),
            (NSURLErrorServerCertificateUntrusted, "", .certificateNotTrusted),
            (NSURLErrorServerCertificateHasBadDate, "", .certificateExpired),
            (NSURLErrorServerCertificateNotYetValid, "", .certificateExpired),
            (NSURLErrorServerCertificateHasUnknownRoot, "", .certificateNotTrusted),
            (NSURLErrorSecureConnectionFailed, "", .tlsHandshakeFailed),
            (NSURLErrorCannotParseResponse, "", .badServerResponse),
            (NSURLErrorNotConnectedToInternet, "", .cannotConnect),
        ] as [(Int, String, AsyncNetError.Code)])
    func codes(_ code: Int, _ text: String, _ expected: AsyncNetError.Code) {
        #expect(URLErrorClassification.code(for: code, text: text) == expected)
    }

    @Test(
        "A proxy's password in a URLError is not in the error or its dump",
        arguments: ["user:hunter2@proxy:8x", "http://u:p/hunter2@host:8x", "http://u:p'hunter2@host:8x"])
    func secret(_ proxy: String) {
        let text = "Unsupported proxy syntax in '\(proxy)': Port number was not a decimal number"
        let cause = NSError(domain: NSURLErrorDomain, code: -1, userInfo: [NSLocalizedDescriptionKey: text])
        let error = URLErrorClassification.error(
            for: NSError(
                domain: NSURLErrorDomain, code: -1,
                userInfo: [NSUnderlyingErrorKey: cause, NSLocalizedDescriptionKey: text]))
        var dumped = ""
        dump(error, to: &dumped)
        #expect(error.code == .invalidConfiguration)
        #expect(!(dumped + "\(error)").contains("hunter2"))
    }

    @Test(
        "The status of a refused CONNECT is read from libcurl's text in a URLError",
        arguments: [
            ("Received HTTP code 407 from proxy after CONNECT", 407), ("CONNECT tunnel failed, response 502", 502),
            ("Proxy CONNECT aborted", nil),
        ] as [(String, Int?)])
    func tunnelStatus(_ text: String, _ status: Int?) {
        let underlying = NSError(domain: "curl", code: 56, userInfo: [NSLocalizedDescriptionKey: text])
        let error = URLErrorClassification.error(
            for: NSError(domain: NSURLErrorDomain, code: -1, userInfo: [NSUnderlyingErrorKey: underlying]))
        #expect(error.code == .proxyFailed)
        #expect(error.statusCode == status)
        #expect(error.isRefusedByProxy == (status == 407))
    }
}
