import CLibcurl
import Foundation

/// Bodies of up to this size go out together with the head, in one packet if it fits.
private let smallBody = 16 * 1024

extension LibcurlHandle {
    /// What stays the same from request to request.
    func setOptions(_ configuration: LibcurlTransport.Configuration) {
        set(LC_NOSIGNAL, 1)
        set(LC_QUICK_EXIT, 1)
        set(LC_PROTOCOLS, LC_PROTOCOL_HTTP | LC_PROTOCOL_HTTPS)
        set(LC_PATH_AS_IS, 1)
        set(LC_SUPPRESS_CONNECT_HEADERS, 1)
        set(LC_BUFFERSIZE, BodyBuffer.capacity)
        set(LC_ACCEPT_ENCODING, "")
        set(LC_CONNECTTIMEOUT_MS, configuration.connectTimeout.milliseconds)
        set(LC_EXPECT_100_TIMEOUT_MS, configuration.expectContinueTimeout.milliseconds)
        set(LC_MAXAGE_CONN, max(1, configuration.idleTimeout.milliseconds / 1000))
        setRoute(configuration)
        setProxy(configuration.proxy)
        setTLS(configuration.tls)
    }

    private func setRoute(_ configuration: LibcurlTransport.Configuration) {
        if let path = configuration.unixSocket { set(LC_UNIX_SOCKET_PATH, path) }
        if let interface = configuration.localInterface { set(LC_INTERFACE, interface) }
        switch configuration.ipVersion {
        case .any: break
        case .v4: set(LC_IPRESOLVE, 1)
        case .v6: set(LC_IPRESOLVE, 2)
        }
        if let list = loop.addresses { lc_set_list(easy, Int32(LC_RESOLVE), list) }
    }

    /// An empty proxy keeps libcurl from looking into the environment.
    private func setProxy(_ proxy: ProxyConfiguration) {
        switch proxy.kind {
        case .none: set(LC_PROXY, "")
        case .environment: return
        case .url(let url): set(LC_PROXY, url)
        }
        set(LC_NOPROXY, proxy.bypassedHosts.joined(separator: ","))
        if let username = proxy.username { set(LC_PROXYUSERNAME, username) }
        if let password = proxy.password { set(LC_PROXYPASSWORD, password) }
        if proxy.alwaysTunnels { set(LC_HTTPPROXYTUNNEL, 1) }
    }

    private func setTLS(_ tls: TLSConfiguration) {
        switch tls.trust.kind {
        case .system: break
        case .disabled: set(LC_SSL_VERIFYPEER, 0)
        case .anchors(let data): replaceTrust { set(LC_CAINFO_BLOB, data) }
        case .file(let path): replaceTrust { set(LC_CAINFO, path) }
        }
        let isHostVerified = if case .disabled = tls.trust.kind { false } else { tls.verifiesHostName }
        set(LC_SSL_VERIFYHOST, isHostVerified ? 2 : 0)
        set(LC_SSLVERSION, minimum(tls.minimumVersion))
        if !tls.pins.isEmpty { set(LC_PINNEDPUBLICKEY, tls.pins.joined(separator: ";")) }
        if let identity = tls.clientIdentity { setIdentity(identity) }
    }

    /// Without this the system's folder of certificates would be trusted besides.
    private func replaceTrust(_ set: () -> Void) {
        lc_set_string(easy, Int32(LC_CAPATH), nil)
        lc_set_string(easy, Int32(LC_CAINFO), nil)
        set()
    }

    private func setIdentity(_ identity: TLSConfiguration.ClientIdentity) {
        switch identity.kind {
        case .memory(let certificate, let key):
            set(LC_SSLCERT_BLOB, certificate)
            set(LC_SSLKEY_BLOB, key)
        case .files(let certificate, let key):
            set(LC_SSLCERT, certificate)
            set(LC_SSLKEY, key)
        }
        if let password = identity.password { set(LC_KEYPASSWD, password) }
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
    func setRequest(_ request: TransportRequest, _ list: inout HeaderList) throws(AsyncNetError) {
        let url = request.head.url.absoluteString
        set(LC_URL, url)
        setVersion(isTLS: url.utf8.dropFirst(4).first.map { $0 | 0x20 } == UInt8(ascii: "s"))
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
            lc_set_offset(easy, Int32(LC_INFILESIZE_LARGE), body.length ?? -1)
        }
        if !body.isNone, !request.head.headers.contains(name: "Expect") { own.append("Expect:") }
        let isPlain = body.isNone && (method == .get || method == .head)
        if isPlain { lc_set_string(easy, Int32(LC_CUSTOMREQUEST), nil) } else { set(LC_CUSTOMREQUEST, method.rawValue) }
        lc_set_list(easy, Int32(LC_HTTPHEADER), list.fill(request.head.headers, except: Self.isFraming, own: own))
    }

    /// Where a connection may be shared, others wait to see whether it can be; without TLS nobody would ever find out.
    private func setVersion(isTLS: Bool) {
        let version =
            switch loop.httpVersion {
            case .automatic: isTLS ? LC_HTTP_2_TLS : LC_HTTP_1_1
            case .http1: LC_HTTP_1_1
            case .http2: LC_HTTP_2_PRIOR_KNOWLEDGE
            }
        set(LC_HTTP_VERSION, version)
        set(LC_PIPEWAIT, version == LC_HTTP_1_1 ? 0 : 1)
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

    private func set(_ option: Int, _ value: Data) {
        value.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { _ = lc_set_blob(easy, Int32(option), base, bytes.count) }
        }
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
