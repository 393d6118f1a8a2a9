import AsyncNet
import CAsyncNetLibcurl

/// A server that is not trusted: what its certificates say.
extension LibcurlHandle {
    /// Why the server was not trusted, and what was measured until then.
    ///
    /// libcurl gives no certificates after a failed verification. So the handle connects once more, over TCP, but
    /// without verification and client certificate, and with CURLOPT_CONNECT_ONLY: the connection ends after the handshake
    /// without a byte of a request. Whatever becomes of it, the request ends with the first error.
    struct TrustFailure {
        let error: AsyncNetError
        let metrics: TransportMetrics
        let expectedPins: [String]
    }

    /// Whether the request needs the certificates of a new connection.
    var wantsCertificates: Bool {
        worker.configuration.reportsCertificates || exchange?.request.interests?.certificates == true
    }

    /// - Throws: `AsyncNetError` with code `.certificateNotTrusted` if the settings for the URL's host are
    ///   `TLSConfiguration.refused`.
    func refuseUnlistedHost(_ exchange: LibcurlExchange) throws(AsyncNetError) {
        try worker.loop.hosts.check(exchange.request.head.urlText)
        guard template.tls.isRefused, exchange.request.head.urlText.isTLS else { return }
        let host = HostName(ofURL: exchange.request.head.urlText)?.text ?? "the host"
        throw .unlisted(host)
    }

    /// Whether this result means that the server was not trusted, and its certificates are not known yet; keeps the
    /// failure then.
    func mayInspect(after result: Int32) -> Bool {
        guard trustFailure == nil, failure == nil, !hasHead, [51, 60, 90, 91].contains(result),
            exchange?.pipe.isEnded == false
        else { return false }
        // A listener for HTTP/3 that is not trusted is left for the origin's own, which is trusted or inspected.
        if case .http3 = http3?.route { return false }
        var metrics = lc_metrics()
        lc_read_metrics(easy.pointer, &metrics)
        guard case .failure(let error) = outcome(result, metrics) else { return false }
        let isPinned = error.code == .certificatePinMismatch
        let shown = isPinned ? easy.certificates : []
        let found = TrustFailure(
            error: error, metrics: TransportMetrics(metrics, shown), expectedPins: isPinned ? template.tls.pins : [])
        trustFailure = found
        return shown.isEmpty
    }

    /// Makes the second connection's handle from a template that verifies nothing; `false` if there is no memory.
    func beginInspection(_ template: LibcurlTemplate) -> Bool {
        guard let exchange, let trustFailure, template.failure == nil, let inspecting = template.copy() else {
            return false
        }
        // The handle's own template stays: a request is never sent with that of the inspection.
        replaceHandle(with: inspecting)
        inspectionTemplate = template
        easy.set(LC_URL, exchange.request.head.urlText)
        bypassProxy(for: exchange.request.head.url)
        for option in [LC_CONNECT_ONLY, LC_CERTINFO, LC_FRESH_CONNECT] { easy.set(option, 1) }
        easy.set(LC_SSL_SESSIONID_CACHE, 0)
        let time = max(worker.configuration.leastTimeToInspect, trustFailure.timeOfHandshake * 3)
        easy.set(LC_TIMEOUT_MS, time.milliseconds)
        return true
    }

    /// The certificates that the second connection, or a handshake with a wrong key, has shown.
    func certificates(after result: Int32) -> [String] {
        guard let trustFailure else { return [] }
        let known = trustFailure.metrics.certificates
        return !known.isEmpty || result != 0 ? known : easy.certificates
    }

    /// Ends the exchange with the error of the first connection.
    func finish(_ failure: TrustFailure, _ certificates: [String]) {
        guard let exchange else { return }
        var metrics = failure.metrics
        metrics.certificates = certificates
        if !exchange.pipe.isEnded { exchange.request.onEvent?(.metrics(metrics)) }
        let trust = ServerTrustFailure(
            certificates: metrics.serverCertificates, expectedPins: failure.expectedPins)
        exchange.pipe.finish(nil, nil, .failure(failure.error.with(trust)))
    }
}

extension LibcurlHandle.TrustFailure {
    /// What the first connection took; the server needs about as long for another.
    fileprivate var timeOfHandshake: Duration { metrics.timings?.total ?? .zero }
}
