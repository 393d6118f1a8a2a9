import AsyncNet
import CAsyncNetLibcurl
import Foundation

/// Bodies of up to this size are sent together with the head, in the same packet if both fit.
private let smallBody = 16 * 1024

/// The options of one transfer.
extension LibcurlHandle {
    func setRequest(_ exchange: LibcurlExchange) throws(AsyncNetError) {
        let request = exchange.request
        try worker.configuration.proxy.checkHost(of: request.head.url)
        let url = request.head.urlText
        easy.set(LC_URL, url)
        let isTLS = url.isTLS
        bypassProxy(for: request.head.url)
        try setVersion(exchange, isTLS: isTLS)
        if request.isHeadObserved, template.mayUseProxy { easy.set(LC_VERBOSE, 1) }
        if isTLS, wantsCertificates || !template.tls.pins.isEmpty { easy.set(LC_CERTINFO, 1) }
        let (method, body) = (request.head.method, request.body)
        var own: [String] = []
        if method == .head {
            guard body.isNone else { throw AsyncNetError(.unsupportedByTransport, "A HEAD request cannot have a body") }
            easy.set(LC_NOBODY, 1)
        } else if let data = body.data ?? (method.expectsBody && body.isNone ? Data() : nil), data.count <= smallBody {
            setSmallBody(data)
            if !request.head.headers.contains(name: "Content-Type") { own.append("Content-Type:") }
        } else if !body.isNone {
            easy.set(LC_UPLOAD, 1)
            lc_set_offset(easy.pointer, Int32(LC_INFILESIZE_LARGE), exchange.bodyLength ?? -1)
        }
        // `Accept-Encoding` is sent as an ordinary header, since libcurl would decode the body if its option were set:
        // the session decodes, reports truncated bodies as errors, and uses bounded memory.
        if !request.head.headers.contains(name: "Accept-Encoding") {
            own.append("Accept-Encoding: \(ContentDecoding.acceptEncoding)")
        }
        if !body.isNone, !request.head.headers.contains(name: "Expect") { own.append("Expect:") }
        let isPlain = body.isNone && (method == .get || method == .head)
        if !isPlain { easy.set(LC_CUSTOMREQUEST, method.rawValue) }
        var lines = request.head.headers
        if let alternativeUsed { lines.update(alternativeUsed) }
        let list = CurlList(lines.filter { !Self.isFraming($0) }.map(Self.line) + own)
        lc_set_list(easy.pointer, Int32(LC_HTTPHEADER), list.first)
        headers = list
    }

    /// A header's line as libcurl reads it: `Name;` sends the header with an empty value, `Name:` keeps libcurl from
    /// adding this header itself.
    private static func line(_ header: HTTPHeader) -> String {
        if header.isOmission { return "\(header.name):" }
        return header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
    }

    /// Uses no proxy for a host that the configuration excepts. libcurl's own list is not used, see `ProxyBypass`.
    private func bypassProxy(for url: URL) {
        if worker.configuration.proxy.isBypassed(by: url) { easy.set(LC_PROXY, "") }
    }

    /// With `PIPEWAIT` a transfer waits until libcurl knows whether a connection can be shared over HTTP/2.
    private func setVersion(_ exchange: LibcurlExchange, isTLS: Bool) throws(AsyncNetError) {
        let version = try version(for: exchange, isTLS: isTLS)
        let isOnce = exchange.request.body.replay == .once
        easy.set(LC_HTTP_VERSION, version)
        // libcurl 7.88 breaks a connection that it reuses for HTTP/2 without TLS.
        let isSingle = !isTLS && version == LC_HTTP_2_PRIOR_KNOWLEDGE && lc_version_number() >> 8 == 0x0758
        // A body that can be sent only once needs a new connection, since a kept one may be closed. HTTP/2 and HTTP/3
        // over TLS need none.
        let isUnsafe = isOnce && (!isTLS || version == LC_HTTP_1_1)
        let isNew = isSingle || isUnsafe || http3?.route == .race || exchange.request.needsNewConnection
        easy.set(LC_FRESH_CONNECT, isNew ? 1 : 0)
        // libcurl sends the caller's `Connection: close` like any header, but would keep the connection.
        easy.set(LC_FORBID_REUSE, isSingle || exchange.request.head.closesConnection ? 1 : 0)
        easy.set(LC_PIPEWAIT, version == LC_HTTP_1_1 || isSingle ? 0 : 1)
    }

    private func setSmallBody(_ data: Data) {
        easy.set(LC_POST, 1)
        lc_set_offset(easy.pointer, Int32(LC_POSTFIELDSIZE_LARGE), Int64(data.count))
        data.withUnsafeBytes { bytes in
            withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { nothing in
                _ = lc_set_pointer(
                    easy.pointer, Int32(LC_COPYPOSTFIELDS), bytes.baseAddress ?? UnsafeRawPointer(nothing.baseAddress))
            }
        }
    }

    /// Headers that frame the body, which libcurl sets itself (RFC 9112 §6).
    private static func isFraming(_ header: HTTPHeader) -> Bool {
        header.hasName("Content-Length") || header.hasName("Transfer-Encoding")
    }
}

extension Duration {
    /// In whole milliseconds: 0 for zero or less, otherwise at least 1, and at most what libcurl's options hold.
    var milliseconds: Int {
        self <= .zero ? 0 : max(1, Int(min(self / .milliseconds(1), 2_000_000_000)))
    }
}
