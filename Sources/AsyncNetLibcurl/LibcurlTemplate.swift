import AsyncNet
import CAsyncNetLibcurl
import Foundation

/// The size of libcurl's receive buffer in bytes. A larger buffer was measured to be no faster.
private let receiveBuffer = 32 * 1024

/// For how many seconds libcurl keeps the certificates of a file that it has read. libcurl's own 24 hours are long for
/// a program that runs while the system's certificates are updated.
private let trustLifetime = 600

/// The easy handle with the options that all of a loop's transfers with the same TLS settings have in common. Each
/// transfer's handle is a copy of it.
///
/// A handle carries a single transfer and is freed. libcurl keeps state in a handle that neither the next transfer nor
/// `curl_easy_reset` clears: 7.83 to 8.0 keep a pointer into freed memory, which a server can make libcurl write to,
/// and all versions keep the number of times that a transfer was repeated, which fails a transfer at five.
final class LibcurlTemplate {
    private let easy: EasyHandle
    private let addresses: CurlList
    /// Certificates and keys, which libcurl reads as long as a copy of the handle exists.
    private var blobs: [UnsafeMutableRawPointer] = []
    /// The error with which each request ends if this libcurl refused an option; `nil` if it refused none.
    private(set) var failure: AsyncNetError?
    let tls: TLSConfiguration
    /// Whether connections may be made through a proxy: the configuration names one, or uses the environment, which
    /// named one when the template was made.
    let mayUseProxy: Bool
    /// Whether a proxy's responses to CONNECT are received as heads. They can be distinguished from the response to the
    /// request only if libcurl reports when it sends the request, as 7.80 and newer do.
    var showsTunnels: Bool { mayUseProxy && lc_version_number() >= 0x07_50_00 }
    private let receiveRate: Int64?
    private let sendRate: Int64?

    init?(
        _ configuration: LibcurlTransport.Configuration, _ tls: TLSConfiguration, _ sockets: OpenedSockets
    ) {
        guard let easy = EasyHandle() else { return nil }
        self.easy = easy
        self.tls = tls
        mayUseProxy = configuration.proxy.mayBeUsed(isTLS: true) || configuration.proxy.mayBeUsed(isTLS: false)
        (receiveRate, sendRate) = (configuration.maximumReceiveRate, configuration.maximumSendRate)
        addresses = CurlList(configuration.addresses.map { "\($0.key):\($0.value.joined(separator: ","))" })
        self.easy.setCallbacks(for: sockets)
        do { try setOptions(configuration) } catch { failure = error }
    }

    deinit {
        for blob in blobs { blob.deallocate() }
    }

    /// A handle for one transfer; `nil` if there is no memory.
    func copy() -> EasyHandle? {
        guard let copy = EasyHandle(copying: easy) else { return nil }
        setRates(of: copy)
        return copy
    }

    private func setOptions(_ configuration: LibcurlTransport.Configuration) throws(AsyncNetError) {
        easy.set(LC_NOSIGNAL, 1)
        easy.set(LC_QUICK_EXIT, 1)
        easy.set(LC_PROTOCOLS, LC_PROTOCOL_HTTP | LC_PROTOCOL_HTTPS)
        easy.set(LC_PATH_AS_IS, 1)
        easy.set(LC_SUPPRESS_CONNECT_HEADERS, showsTunnels ? 0 : 1)
        easy.set(LC_BUFFERSIZE, receiveBuffer)
        easy.set(LC_CONNECTTIMEOUT_MS, configuration.connectTimeout.milliseconds)
        easy.set(LC_EXPECT_100_TIMEOUT_MS, configuration.expectContinueTimeout.milliseconds)
        easy.set(LC_MAXAGE_CONN, max(1, configuration.idleTimeout.milliseconds / 1000))
        if let seconds = configuration.keepAliveSeconds {
            easy.set(LC_TCP_KEEPALIVE, 1)
            for option in [LC_TCP_KEEPIDLE, LC_TCP_KEEPINTVL] { easy.set(option, Int(seconds)) }
        }
        // libcurl may fill its buffer a hundred times before it checks the rate: a slow rate needs a small buffer.
        if let rate = receiveRate {
            easy.set(LC_BUFFERSIZE, Int(clamping: min(max(rate / 100, 1024), Int64(receiveBuffer))))
        }
        try setRoute(configuration)
        try setProxy(configuration.proxy)
        try setTLS()
    }

    /// Newer versions of libcurl (seen with 8.23) do not copy the rates with the handle.
    private func setRates(of copy: borrowing EasyHandle) {
        if let receiveRate { lc_set_offset(copy.pointer, Int32(LC_MAX_RECV_SPEED_LARGE), receiveRate) }
        if let sendRate { lc_set_offset(copy.pointer, Int32(LC_MAX_SEND_SPEED_LARGE), sendRate) }
    }

    private func setRoute(_ configuration: LibcurlTransport.Configuration) throws(AsyncNetError) {
        if let path = configuration.unixSocket { try easy.set(LC_UNIX_SOCKET_PATH, path, orRefuse: "a unix socket") }
        if let interface = configuration.localInterface {
            try easy.set(LC_INTERFACE, interface, orRefuse: "a local interface")
        }
        switch configuration.ipVersion {
        case .any: break
        case .v4: easy.set(LC_IPRESOLVE, 1)
        case .v6: easy.set(LC_IPRESOLVE, 2)
        }
        lc_set_list(easy.pointer, Int32(LC_RESOLVE), addresses.first)
    }

    /// With an empty proxy libcurl ignores the proxy in the environment, and with an empty list of hosts `no_proxy`:
    /// see `ProxyBypass`.
    private func setProxy(_ proxy: ProxyConfiguration) throws(AsyncNetError) {
        switch proxy.kind {
        case .none: return try easy.set(LC_PROXY, "", orRefuse: "a proxy")
        case .environment: break
        case .url(let url): try easy.set(LC_PROXY, url, orRefuse: "a proxy")
        }
        try easy.set(LC_NOPROXY, "", orRefuse: "hosts that bypass the proxy")
        if let username = proxy.username { try easy.set(LC_PROXYUSERNAME, username, orRefuse: "a proxy's user") }
        if let password = proxy.password { try easy.set(LC_PROXYPASSWORD, password, orRefuse: "a proxy's password") }
        if proxy.alwaysTunnels {
            try easy.check(lc_set_long(easy.pointer, Int32(LC_HTTPPROXYTUNNEL), 1), "a tunnel through a proxy")
        }
    }

    private func setTLS() throws(AsyncNetError) {
        easy.set(LC_CA_CACHE_TIMEOUT, trustLifetime)
        try setSystemTrust()
        switch tls.trust.kind {
        case .system, .refused: break
        case .disabled:
            try easy.check(lc_set_long(easy.pointer, Int32(LC_SSL_VERIFYPEER), 0), "TLS without verification")
        case .anchors(let data):
            clearTrust()
            try setBlob(LC_CAINFO_BLOB, data, orRefuse: "trust anchors in memory")
        case .file(let path):
            clearTrust()
            try easy.set(LC_CAINFO, path, orRefuse: "trust anchors")
        }
        let isHostVerified = if case .disabled = tls.trust.kind { false } else { tls.verifiesHostName }
        easy.set(LC_SSL_VERIFYHOST, isHostVerified ? 2 : 0)
        try easy.check(
            lc_set_long(easy.pointer, Int32(LC_SSLVERSION), minimum(tls.minimumVersion)), "a minimum version of TLS")
        if !tls.pins.isEmpty { try easy.set(LC_PINNEDPUBLICKEY, tls.pins.joined(separator: ";"), orRefuse: "pins") }
        if tls.requiresStapledStatus {
            try easy.check(lc_set_long(easy.pointer, Int32(LC_SSL_VERIFYSTATUS), 1), "a required OCSP response")
        }
        if let identity = tls.clientIdentity { try setIdentity(identity) }
    }

    /// Sets the system's certificates for a libcurl that was built for another system and does not find them. An HTTPS
    /// proxy's certificate is always checked against them.
    ///
    /// libcurl keeps the certificates of a file in memory, since 7.87, but only if no folder is searched too. With both,
    /// as in Debian's libcurl, it would parse the whole file for each new connection, which takes longer than all the
    /// rest of the handshake.
    private func setSystemTrust() throws(AsyncNetError) {
        if lc_is_ca_folder_needless() != 0 {
            for option in [LC_CAPATH, LC_PROXY_CAPATH] { lc_set_string(easy.pointer, Int32(option), nil) }
        }
        guard let path = lc_ca_file() else { return }
        for option in [LC_CAINFO, LC_PROXY_CAINFO] {
            try easy.set(option, String(cString: path), orRefuse: "the system's trust anchors")
        }
    }

    /// Removes the system's certificates, which libcurl would otherwise trust besides the configured certificates.
    private func clearTrust() {
        lc_set_string(easy.pointer, Int32(LC_CAPATH), nil)
        lc_set_string(easy.pointer, Int32(LC_CAINFO), nil)
    }

    private func setIdentity(_ identity: TLSConfiguration.ClientIdentity) throws(AsyncNetError) {
        switch identity.kind {
        case .memory(let certificate, let key):
            try setBlob(LC_SSLCERT_BLOB, certificate, orRefuse: "a client identity in memory")
            try setBlob(LC_SSLKEY_BLOB, key, orRefuse: "a client identity in memory")
        case .files(let certificate, let key):
            try easy.set(LC_SSLCERT, certificate, orRefuse: "a client identity")
            try easy.set(LC_SSLKEY, key, orRefuse: "a client identity")
        // The configuration's checks have refused these.
        case .pkcs12, .pkcs12File: return
        }
        // Without a password OpenSSL would read one from the terminal.
        try easy.set(LC_KEYPASSWD, identity.password ?? "", orRefuse: "a client identity")
    }

    private func minimum(_ version: TLSConfiguration.Version) -> Int {
        switch version {
        case .tls10: LC_TLS_1_0
        case .tls11: LC_TLS_1_1
        case .tls12: LC_TLS_1_2
        case .tls13: LC_TLS_1_3
        }
    }

    private func setBlob(_ option: Int, _ value: Data, orRefuse what: String) throws(AsyncNetError) {
        let blob = UnsafeMutableRawPointer.allocate(byteCount: max(1, value.count), alignment: 1)
        blobs.append(blob)
        value.copyBytes(to: UnsafeMutableRawBufferPointer(start: blob, count: value.count))
        try easy.check(lc_set_blob(easy.pointer, Int32(option), blob, value.count), what)
    }
}
