import AsyncNet
import CAsyncNetLibcurl
import Foundation

/// Picks the HTTP version of a transfer, and starts the transfer again without HTTP/3 if an offer fails.
extension LibcurlHandle {
    /// Picks the version for this request. Without TLS no server can offer HTTP/2 or HTTP/3, so `.automatic` and
    /// `.http3Preferred` mean HTTP/1.1 there.
    ///
    /// - Throws: `AsyncNetError` with code `.unsupportedByTransport` for `.http3` without TLS.
    func version(for exchange: LibcurlExchange, isTLS: Bool) throws(AsyncNetError) -> Int {
        switch worker.configuration.httpVersion {
        case .automatic: return isTLS ? automaticVersion(exchange) : LC_HTTP_1_1
        case .http1: return LC_HTTP_1_1
        case .http2: return LC_HTTP_2_PRIOR_KNOWLEDGE
        case .http3Preferred: return !isTLS ? LC_HTTP_1_1 : mayUseQUIC ? LC_HTTP_3 : LC_HTTP_2_TLS
        case .http3:
            guard isTLS else {
                throw AsyncNetError(
                    .unsupportedByTransport, "HTTP/3 always uses TLS; the URL must have the scheme https")
            }
            guard mayUseQUIC else {
                throw AsyncNetError(
                    .unsupportedByTransport, "Pins over HTTP/3 need a libcurl with OpenSSL; use another HTTP version")
            }
            return LC_HTTP_3_ONLY
        }
    }

    /// Versions of libcurl with GnuTLS and wolfSSL do not check pins over QUIC (CVE-2025-13034, CVE-2025-5025).
    private var mayUseQUIC: Bool {
        template.tls.pins.isEmpty || lc_tls_library().map { String(cString: $0).hasPrefix("OpenSSL/") } == true
    }

    private func automaticVersion(_ exchange: LibcurlExchange) -> Int {
        let request = exchange.request
        guard let offers = worker.loop.offers, !avoidsOffers, mayUseQUIC else { return LC_HTTP_2_TLS }
        http3 = offers.use(for: request.head.url, mayTry: request.body.replay != .once)
        switch http3?.route {
        case nil, .origin: return LC_HTTP_2_TLS
        case .race: return LC_HTTP_3
        case .http3:
            let limit = min(worker.configuration.connectTimeout, HTTP3Use.connectTimeout)
            easy.set(LC_CONNECTTIMEOUT_MS, limit.milliseconds)
            connect(toPort: http3?.otherPort)
            return LC_HTTP_3_ONLY
        }
    }

    /// Connects to another port of the origin's host. The certificate must still be valid for that host.
    private func connect(toPort port: Int?) {
        guard let port else { return }
        let list = CurlList([":::\(port)"])
        lc_set_list(easy.pointer, Int32(LC_CONNECT_TO), list.first)
        connectTo = list
    }

    /// The header that names the alternative which the request is sent to.
    var alternativeUsed: HTTPHeader? { http3?.alternative.map { HTTPHeader(name: "Alt-Used", value: $0) } }

    /// Called with each response's head: stores the offers in it, and whether the used offer worked.
    func noteOffers(_ head: HTTPResponseHead, to request: HTTPRequestHead) {
        guard let offers = worker.loop.offers, request.urlText.isTLS else { return }
        if let use = http3.take() { offers.responded(use, head) }
        offers.receive(head, from: request.url)
    }

    /// Whether the transfer failed before the request was sent over HTTP/3, so that it starts again without the offer.
    func leavesOffer(_ result: Int32) -> Bool {
        guard let use = http3, case .http3 = use.route, result != 0, !use.isSent, !hasHead, failure == nil,
            exchange?.pipe.isEnded == false
        else { return false }
        worker.loop.offers?.failed(use)
        (http3, avoidsOffers) = (nil, true)
        return true
    }

    /// Called when the transfer ends with libcurl's result: a failed connection counts against the offer.
    func noteFailure(_ result: Int32) {
        guard let use = http3, use.isSent, !hasHead, LibcurlErrors.isConnectionFailure(result) else { return }
        worker.loop.offers?.failed(use)
        http3 = nil
    }

    /// Called when the transfer is over, also by a cancellation.
    func endOffer() {
        if let use = http3.take() { worker.loop.offers?.ended(use) }
        connectTo = nil
    }
}
