import AsyncNet
import CAsyncNetLibcurl
import Foundation

/// Decides whether the request may be sent on the connection that libcurl picked, and reports the connection.
extension LibcurlHandle {
    /// Called before libcurl sends the request: the first time, and each time it sends the request again.
    ///
    /// - Parameter port: The connection's local port.
    func maySend(onPort port: Int32) -> Bool {
        guard let exchange else { return true }
        let count = lc_new_connections(easy.pointer)
        let permission = resendPolicy.maySend(
            on: count > connectionCount ? .new : worker.isUsable(exchange, port) ? .kept : .unusable)
        guard permission != .refuse, permission == .send || rewindBody() else { return false }
        connectionCount = count
        localPort = port
        http3?.isSent = true
        if exchange.request.isHeadObserved { reportHeads(true) }
        if permission == .sendAgain { exchange.request.onEvent?(.repeated) }
        return true
    }

    /// Whether the request needs the certificates of a new connection.
    var wantsCertificates: Bool {
        worker.configuration.reportsCertificates || exchange?.request.interests?.certificates == true
    }

    /// - Throws: `AsyncNetError` with code `.certificateNotTrusted` if the settings for the URL's host are
    ///   `TLSConfiguration.refused`.
    func refuseUnlistedHost(_ exchange: LibcurlExchange) throws(AsyncNetError) {
        let url = exchange.request.head.urlText
        try worker.loop.hosts.check(url)
        if template.tls.isRefused, url.isTLS { throw .unlisted(HostName(ofURL: url)?.text ?? "the host") }
    }

    /// Reports the connection when the response's head has arrived, since only then the HTTP version is known.
    func reportConnection(_ exchange: LibcurlExchange, _ head: HTTPResponseHead) {
        guard let interests = exchange.request.interests else { return }
        var port = 0
        let address = lc_peer(easy.pointer, &port)
        let info = ConnectionInfo(
            isReused: lc_new_connections(easy.pointer) == 0, httpVersion: head.httpVersion,
            remoteAddress: address.map { String(cString: $0) }, remotePort: port > 0 ? port : nil,
            certificates: interests.certificates ? easy.certificates : [])
        exchange.request.onEvent?(.connected(info))
    }

    /// Goes back to the body's start; `false` if that is impossible. libcurl itself goes back only if it had sent bytes
    /// of the body: bytes that it had read and not sent would be lost.
    private func rewindBody() -> Bool {
        guard let exchange, upload.sentBytes > 0 else { return true }
        guard exchange.request.body.data != nil || exchange.restartReading() else {
            resendPolicy.cannotSendAgain()
            return false
        }
        upload.sentBytes = 0
        return true
    }

    /// Called with libcurl's verbose output: only the request's head is used.
    func receive(verbose output: UnsafeRawBufferPointer, _ kind: Int32) {
        guard kind == LC_INFO_HEADER_OUT, let request = exchange?.request, request.isHeadObserved else { return }
        request.onEvent?(.sentHead(SentHead(output)))
        if output.suffix(4).elementsEqual("\r\n\r\n".utf8) { reportHeads(false) }
    }

    /// Turns libcurl's verbose output on right before the head is sent, and off after the head: libcurl would also
    /// write about everything else that it does, which takes as long as all events of a request. With a proxy the
    /// output is always on, since the head of a CONNECT is sent earlier.
    private func reportHeads(_ isOn: Bool) {
        if !template.mayUseProxy { easy.set(LC_VERBOSE, isOn ? 1 : 0) }
    }
}
