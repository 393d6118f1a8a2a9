import CLibcurl
import Foundation

/// Bodies of up to this size go out together with the head, in one packet if it fits.
private let smallBody = 16 * 1024

/// As fast as larger ones. libcurl decodes all of it even when it is told to pause, up to 1030 times as much, and gives up above 64 MiB.
private let receiveBuffer = 32 * 1024

extension LibcurlHandle {
    /// What stays the same from request to request.
    func setOptions(_ configuration: LibcurlTransport.Configuration) throws(AsyncNetError) {
        set(LC_NOSIGNAL, 1)
        set(LC_QUICK_EXIT, 1)
        set(LC_PROTOCOLS, LC_PROTOCOL_HTTP | LC_PROTOCOL_HTTPS)
        set(LC_PATH_AS_IS, 1)
        set(LC_SUPPRESS_CONNECT_HEADERS, 1)
        set(LC_BUFFERSIZE, receiveBuffer)
        set(LC_ACCEPT_ENCODING, "")
        set(LC_CONNECTTIMEOUT_MS, configuration.connectTimeout.milliseconds)
        set(LC_EXPECT_100_TIMEOUT_MS, configuration.expectContinueTimeout.milliseconds)
        set(LC_MAXAGE_CONN, max(1, configuration.idleTimeout.milliseconds / 1000))
        try setRoute(configuration)
        try setProxy(configuration.proxy)
        try setTLS(configuration.tls)
    }

    private func setRoute(_ configuration: LibcurlTransport.Configuration) throws(AsyncNetError) {
        if let path = configuration.unixSocket { try set(LC_UNIX_SOCKET_PATH, path, orRefuse: "a unix socket") }
        if let interface = configuration.localInterface { try set(LC_INTERFACE, interface, orRefuse: "a local interface") }
        switch configuration.ipVersion {
        case .any: break
        case .v4: set(LC_IPRESOLVE, 1)
        case .v6: set(LC_IPRESOLVE, 2)
        }
        if let list = loop.addresses { lc_set_list(easy, Int32(LC_RESOLVE), list) }
    }

    /// An empty proxy keeps libcurl from looking into the environment.
    private func setProxy(_ proxy: ProxyConfiguration) throws(AsyncNetError) {
        switch proxy.kind {
        case .none: return try set(LC_PROXY, "", orRefuse: "a proxy")
        case .environment: return
        case .url(let url): try set(LC_PROXY, url, orRefuse: "a proxy")
        }
        try set(LC_NOPROXY, proxy.bypassedHosts.joined(separator: ","), orRefuse: "hosts that bypass the proxy")
        if let username = proxy.username { try set(LC_PROXYUSERNAME, username, orRefuse: "a proxy's user") }
        if let password = proxy.password { try set(LC_PROXYPASSWORD, password, orRefuse: "a proxy's password") }
        if proxy.alwaysTunnels { try check(lc_set_long(easy, Int32(LC_HTTPPROXYTUNNEL), 1), "a tunnel through a proxy") }
    }

    private func setTLS(_ tls: TLSConfiguration) throws(AsyncNetError) {
        switch tls.trust.kind {
        case .system: break
        case .disabled: try check(lc_set_long(easy, Int32(LC_SSL_VERIFYPEER), 0), "TLS without verification")
        case .anchors(let data):
            clearTrust()
            try set(LC_CAINFO_BLOB, data, orRefuse: "trust anchors in memory")
        case .file(let path):
            clearTrust()
            try set(LC_CAINFO, path, orRefuse: "trust anchors")
        }
        let isHostVerified = if case .disabled = tls.trust.kind { false } else { tls.verifiesHostName }
        set(LC_SSL_VERIFYHOST, isHostVerified ? 2 : 0)
        try check(lc_set_long(easy, Int32(LC_SSLVERSION), minimum(tls.minimumVersion)), "a minimum version of TLS")
        if !tls.pins.isEmpty { try set(LC_PINNEDPUBLICKEY, tls.pins.joined(separator: ";"), orRefuse: "pins") }
        if let identity = tls.clientIdentity { try setIdentity(identity) }
    }

    /// Without this the system's folder of certificates would be trusted besides.
    private func clearTrust() {
        lc_set_string(easy, Int32(LC_CAPATH), nil)
        lc_set_string(easy, Int32(LC_CAINFO), nil)
    }

    private func setIdentity(_ identity: TLSConfiguration.ClientIdentity) throws(AsyncNetError) {
        switch identity.kind {
        case .memory(let certificate, let key):
            try set(LC_SSLCERT_BLOB, certificate, orRefuse: "a client identity in memory")
            try set(LC_SSLKEY_BLOB, key, orRefuse: "a client identity in memory")
        case .files(let certificate, let key):
            try set(LC_SSLCERT, certificate, orRefuse: "a client identity")
            try set(LC_SSLKEY, key, orRefuse: "a client identity")
        }
        // Without one OpenSSL would ask whoever sits at the terminal.
        try set(LC_KEYPASSWD, identity.password ?? "", orRefuse: "a client identity")
    }

    private func minimum(_ version: TLSConfiguration.Version) -> Int {
        switch version {
        case .tls10: LC_TLS_1_0
        case .tls11: LC_TLS_1_1
        case .tls12: LC_TLS_1_2
        case .tls13: LC_TLS_1_3
        }
    }

    // MARK: One request

    /// What the last request set is set back by `HTTPGET`, or set again.
    func setRequest(_ exchange: LibcurlExchange, _ list: inout HeaderList) throws(AsyncNetError) {
        let request = exchange.request
        let url = request.head.urlText
        set(LC_URL, url)
        setVersion(isTLS: url.utf8.dropFirst(4).first.map { $0 | 0x20 } == UInt8(ascii: "s"), isOnce: request.body.replay == .once)
        set(LC_HTTPGET, 1)
        let (method, body) = (request.head.method, request.body)
        var own: [StaticString] = []
        if method == .head {
            guard body.isNone else { throw AsyncNetError(.unsupportedByTransport, "A HEAD request cannot have a body") }
            set(LC_NOBODY, 1)
        } else if let data = body.data ?? (method.expectsBody && body.isNone ? Data() : nil), data.count <= smallBody {
            setSmallBody(data)
            if !request.head.headers.contains(name: "Content-Type") { own.append("Content-Type:") }
        } else if !body.isNone {
            set(LC_UPLOAD, 1)
            lc_set_offset(easy, Int32(LC_INFILESIZE_LARGE), exchange.bodyLength ?? -1)
        }
        if !body.isNone, !request.head.headers.contains(name: "Expect") { own.append("Expect:") }
        let isPlain = body.isNone && (method == .get || method == .head)
        if isPlain { lc_set_string(easy, Int32(LC_CUSTOMREQUEST), nil) } else { set(LC_CUSTOMREQUEST, method.rawValue) }
        lc_set_list(easy, Int32(LC_HTTPHEADER), list.fill(request.head.headers, except: Self.isFraming, own: own))
    }

    /// Where a connection may be shared, others wait to see whether it can be; without TLS nobody would ever find out.
    private func setVersion(isTLS: Bool, isOnce: Bool) {
        let version =
            switch loop.httpVersion {
            case .automatic: isTLS ? LC_HTTP_2_TLS : LC_HTTP_1_1
            case .http1: LC_HTTP_1_1
            case .http2: LC_HTTP_2_PRIOR_KNOWLEDGE
            }
        set(LC_HTTP_VERSION, version)
        // libcurl 7.88 breaks a connection that it uses again for HTTP/2 without TLS.
        let isSingle = !isTLS && version == LC_HTTP_2_PRIOR_KNOWLEDGE && lc_version_number() >> 8 == 0x0758
        // A body that can be sent once only must not go out on a connection that may turn out closed.
        set(LC_FRESH_CONNECT, isSingle || isOnce && (!isTLS || version == LC_HTTP_1_1) ? 1 : 0)
        set(LC_FORBID_REUSE, isSingle ? 1 : 0)
        set(LC_PIPEWAIT, version == LC_HTTP_1_1 || isSingle ? 0 : 1)
    }

    private func setSmallBody(_ data: Data) {
        set(LC_POST, 1)
        lc_set_offset(easy, Int32(LC_POSTFIELDSIZE_LARGE), Int64(data.count))
        data.withUnsafeBytes { bytes in
            withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { nothing in
                _ = lc_set_pointer(easy, Int32(LC_COPYPOSTFIELDS), bytes.baseAddress ?? UnsafeRawPointer(nothing.baseAddress))
            }
        }
    }

    /// How the body is framed is this transport's to say (RFC 9112 §6).
    private static func isFraming(_ header: HTTPHeader) -> Bool {
        header.hasName("Content-Length") || header.hasName("Transfer-Encoding")
    }

    // MARK: Kinds of values

    private func set(_ option: Int, _ value: Int) { lc_set_long(easy, Int32(option), value) }
    /// Without the copy that a String passed as a nullable pointer would be.
    private func set(_ option: Int, _ value: String) { value.withCString { _ = lc_set_string(easy, Int32(option), $0) } }

    /// Settings that no request may go without: a libcurl that does not know one is not to be used at all.
    private func check(_ result: Int32, _ what: String) throws(AsyncNetError) {
        guard result != 0 else { return }
        throw AsyncNetError(.unsupportedByTransport, "This libcurl does not take \(what) (\(String(cString: lc_error_text(result))))")
    }

    private func set(_ option: Int, _ value: String, orRefuse what: String) throws(AsyncNetError) {
        try check(value.withCString { lc_set_string(easy, Int32(option), $0) }, what)
    }

    private func set(_ option: Int, _ value: Data, orRefuse what: String) throws(AsyncNetError) {
        let result = value.withUnsafeBytes { bytes in
            bytes.baseAddress.map { lc_set_blob(easy, Int32(option), $0, bytes.count) } ?? 0
        }
        try check(result, what)
    }
}

extension HTTPMethod {
    /// Whose requests say how long their body is even if there is none (RFC 9110 §8.6).
    fileprivate var expectsBody: Bool { self == .post || self == .put || self == .patch }
}

extension Duration {
    /// Whole ones, at least one if there is anything, and no more than libcurl can count.
    var milliseconds: Int {
        self <= .zero ? 0 : max(1, Int(min(self / .milliseconds(1), 2_000_000_000)))
    }
}
