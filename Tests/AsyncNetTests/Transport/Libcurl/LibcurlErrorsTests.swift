import AsyncNetTesting
import CAsyncNetLibcurl
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

@Suite("libcurl's errors")
struct LibcurlErrorsTests {
    @Test(
        "libcurl's result and text give the error code",
        arguments: [
            (1, "Unsupported HTTP version in response", .badServerResponse),
            (1, "Received HTTP/0.9 when not allowed", .badServerResponse),
            (1, "Protocol \"gopher\" not supported or disabled in libcurl", .unsupportedScheme), (3, "", .malformedURL),
            (5, "", .proxyNotFound),
            (6, "Could not resolve host: x", .hostNotFound), (7, "", .cannotConnect), (8, "", .badServerResponse),
            (16, "", .badServerResponse),
            (18, "transfer closed with 3 bytes remaining to read", .bodyEndedEarly), (28, "", .timedOut),
            (35, "", .tlsHandshakeFailed), (45, "", .cannotConnect),
            (52, "", .emptyReply), (55, "Send failure: Broken pipe", .connectionLost),
            (56, "Recv failure: Connection reset by peer", .connectionLost),
            (56, "Illegal or missing hexadecimal sequence in chunked-encoding", .badServerResponse),
            (56, "CONNECT tunnel failed, response 407", .proxyFailed),
            (7, "Failed to connect to alertmanager port 9093 after 0 ms: Couldn't connect to server", .cannotConnect),
            (60, "Failed to connect to header-service port 443", .certificateNotTrusted),
            (
                56, "OpenSSL SSL_read: OpenSSL/3.6.5: error:0A000126:SSL routines::unexpected eof while reading",
                .connectionLost
            ),
            (
                56, "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
                .tlsHandshakeFailed
            ),
            (58, "", .clientCertificateInvalid),
            (60, "SSL certificate problem: unable to get local issuer certificate", .certificateNotTrusted),
            (60, "SSL certificate problem: certificate has expired", .certificateExpired),
            (60, "SSL certificate problem: certificate is not yet valid", .certificateExpired),
            (60, "SSL: no alternative certificate subject name matches target host name 'a'", .certificateHostMismatch),
            (61, "", .badContentEncoding),
            (77, "", .invalidConfiguration), (90, "", .certificatePinMismatch),
            (92, "HTTP/2 stream 1 was reset", .connectionLost), (97, "", .proxyFailed),
            (1, "Lying server, not serving HTTP/2", .badServerResponse),
            (1, "Version mismatch (from HTTP/1 to HTTP/2)", .badServerResponse),
            (2, "[CONN-3-0] send: no filter connected", .connectionLost),
            (2, "Recv failure: Connection reset by peer", .connectionLost),
            (43, "unable to set private key file: 'key' type PEM", .clientCertificateInvalid),
            (43, "Private key does not match the certificate public key", .clientCertificateInvalid),
            (7, "CONNECT tunnel failed, response 403", .proxyFailed),
            (100, "A value or data field grew larger than allowed", .badServerResponse),
            (27, "Out of memory", .badServerResponse), (43, "", .transportFailed),
        ] as [(Int32, String, AsyncNetError.Code)])
    func codes(_ result: Int32, _ text: String, _ code: AsyncNetError.Code) {
        #expect(LibcurlErrors.code(for: result, .init(text: text)) == code)
    }

    @Test(
        "The error of a failed connection explains the system's error; only ECONNREFUSED says that nothing listens",
        arguments: [
            (ECONNREFUSED, "could not be connected to (x)", "Nothing listens on that port"),
            (EMFILE, "this process has as many files and sockets open as it may (x)", "ulimit -n"),
            (ENFILE, "this system has as many files and sockets open as it can (x)", "system's limit"),
            (ENOBUFS, "no memory", "fewer connections"), (ENOMEM, "no memory", "fewer connections"),
            (EACCES, "does not permit", "firewall, sandbox"), (EPERM, "does not permit", "not a broadcast address"),
            (EADDRNOTAVAIL, "no local address or port", "localInterface"),
            (ENETUNREACH, "no network of this machine", "network of this machine"),
            (ENETDOWN, "no network of this machine", "network of this machine"),
            (EHOSTUNREACH, "no route", "host is up"), (EHOSTDOWN, "no route", "host is up"),
            (EAFNOSUPPORT, "IP version", "other IP version"), (EINVAL, "has no zone", "zone of an interface"),
            (ETIMEDOUT, "did not respond", "drops the packets"),
            (0, "could not be connected to (x)", "Check host and port"),
        ] as [(Int32, String, String)])
    func connectFailures(_ number: Int32, _ message: String, _ advice: String) {
        let error = LibcurlErrors.error(for: 7, .init(text: "x", systemError: number))
        #expect(error.code == .cannotConnect)
        #expect(error.message.contains(message) && error.description.contains(advice), "\(error)")
        #expect(error.description.contains("Nothing listens") == (number == ECONNREFUSED))
        // Causes and contexts that are added later keep the advice.
        #expect(error.with(underlyingError: error).with(.init()).withoutContext.description.contains(advice))
    }

    @Test(
        "The error of a failed connection to a unix socket explains the state of its file",
        arguments: [
            (ENOENT, "no such file", "Check the path"), (ECONNREFUSED, "/s could not be connected to", "at that path"),
            (EACCES, "does not permit", "permissions of the socket's file"),
        ] as [(Int32, String, String)])
    func unixSockets(_ number: Int32, _ message: String, _ advice: String) {
        let error = LibcurlErrors.error(for: 7, .init(text: "x", systemError: number, unixSocket: "/s"))
        #expect(error.message.contains(message) && error.description.contains(advice), "\(error)")
    }

    @Test("The system's refusal of a socket is the connection's error, unless a later socket was opened")
    func refusedSocket() {
        let sockets = OpenedSockets()
        sockets.opened(-EMFILE)
        #expect(sockets.systemError(lc_metrics()) == EMFILE)
        var metrics = lc_metrics()
        metrics.system_error = Int(ECONNREFUSED)
        #expect(sockets.systemError(metrics) == ECONNREFUSED)
        sockets.opened(100_000)
        #expect(sockets.systemError(lc_metrics()) == 0)
    }

    @Test("The errors of requests and raw streams name a refused connection and a missing unix socket as the cause")
    func refusals() async throws {
        let refusing = try await MockServer.start(isRefusing: true)
        let port = try #require(refusing.url().port)
        for (path, words) in [
            (nil, "Nothing listens on that port"),
            ("/nowhere/s", "The unix socket /nowhere/s could not be connected to: there is no such file"),
        ] as [(String?, String)] {
            let session = Session(transport: .libcurl(unixSocket: path))
            let error = await session.request(refusing.url()).serializing(Data.self).response.error
            #expect(error?.code == .cannotConnect && error?.description.contains(words) == true)
            let sockets = Session(transport: .sockets(.init(unixSocket: path)))
            let opening = await #expect(throws: AsyncNetError.self) {
                try await sockets.connect(to: "127.0.0.1", port: port, tls: .none)
            }
            #expect(opening?.code == .cannotConnect && opening?.description.contains(words) == true)
        }
        await refusing.stop()
    }

    @Test(
        "The error of a head that libcurl refuses names the reason",
        arguments: [
            (27, "", "too large"), (100, "", "too large"), (43, "A libcurl function was given a bad argument", "space"),
            (43, "Private key does not match the certificate public key", nil), (7, "", nil), (56, "", nil),
        ] as [(Int32, String, String?)])
    func heads(_ result: Int32, _ text: String, _ word: String?) {
        let error = LibcurlErrors.headError(for: result, text)
        #expect(error?.code == (word == nil ? nil : .badServerResponse))
        if let word { #expect(error?.message.contains(word) == true) }
    }

    @Test("A proxy's password in libcurl's error text is not in the error")
    func secrets() {
        let error = LibcurlErrors.error(
            for: 5, .init(text: "Unsupported proxy syntax in 'http://ada:hunter2@127.0.0.1:99999'"))
        #expect(error.code == .invalidConfiguration)
        #expect(!error.description.contains("hunter2"))
    }

    @Test(
        "The error of a failed connection names the host or proxy that was not reached",
        arguments: [
            ("http://user:p@proxy.test:1", "proxy.test"), ("proxy.test", "proxy.test"), ("socks5h://[::1]:80/", "::1"),
            ("http://", nil),
        ] as [(String, String?)])
    func proxyHost(_ url: String, _ host: String?) {
        #expect(ProxyConfiguration.url(url).host == host)
        guard let host else { return }
        #expect(
            LibcurlErrors.code(for: 6, .init(text: "Could not resolve host: \(host)", proxyHost: host))
                == .proxyNotFound)
        #expect(
            LibcurlErrors.error(for: 7, .init(text: "Failed to connect to \(host) port 1", proxyHost: host)).message
                .hasPrefix("The proxy"))
        #expect(LibcurlErrors.error(for: 7, .init(text: "x", unixSocket: "/run/a")).message.contains("/run/a"))
    }

    @Test(
        "A request to a host of 256 bytes ends with .malformedURL through a SOCKS5 proxy or the environment's proxy",
        arguments: [
            (ProxyConfiguration.socks5("127.0.0.1", port: 1), 255, false), (.socks5("127.0.0.1", port: 1), 256, true),
            (.url("SOCKS5h://a"), 40_000, true), (.environment, 256, true), (.none, 256, false),
            (.http("a", port: 1), 256, false),
        ])
    func longHost(_ proxy: ProxyConfiguration, _ count: Int, _ isRefused: Bool) throws {
        let url = try "http://\(String(repeating: "a", count: count))/".asURL()
        let refusal = Result { () throws(AsyncNetError) in try proxy.checkHost(of: url) }
        switch refusal {
        case .success: #expect(!isRefused)
        case .failure(let error): #expect(isRefused && error.code == .malformedURL)
        }
    }

    @Test("Where libcurl's text names no cause, OpenSSL's verify result or the proxy's response decides the error code")
    func circumstances() {
        let refusal = HTTPResponseHead(statusCode: 407, url: URL(filePath: "/"))
        #expect(LibcurlErrors.code(for: 60, .init(text: "?", verifyResult: 10)) == .certificateExpired)
        #expect(LibcurlErrors.code(for: 60, .init(text: "?", verifyResult: 9)) == .certificateExpired)
        #expect(LibcurlErrors.code(for: 60, .init(text: "?", verifyResult: 18)) == .certificateNotTrusted)
        #expect(LibcurlErrors.code(for: 56, .init(text: "?", refusal: refusal)) == .proxyFailed)
        #expect(LibcurlErrors.code(for: 7, .init(text: "?", refusal: refusal)) == .proxyFailed)
    }

    @Test(
        "A SOCKS5 failure to authenticate is a refusal by the proxy, a failure to connect is not",
        arguments: [
            ("User was rejected by the SOCKS5 server (1 1).", true),
            ("No authentication method was acceptable.", true),
            ("Can't complete SOCKS5 connection to a.test. (4)", false), ("connection to proxy closed", false),
        ])
    func socks(_ text: String, _ isRefused: Bool) {
        let error = LibcurlErrors.error(for: 97, .init(text: text))
        #expect(error.code == .proxyFailed)
        #expect(error.isRefusedByProxy == isRefused)
    }
}
