import AsyncNet
import CAsyncNetLibcurl
import Foundation

/// One of libcurl's easy handles with the state of the transfer that it carries.
///
/// The handle is used only on its loop's thread. libcurl calls back with an unretained pointer to the handle. That is
/// safe: libcurl does so only while the worker calls libcurl, and the worker retains the handle meanwhile. No callback
/// blocks, throws into C or runs user code; an error in a callback is stored in `failure` and ends the transfer.
final class LibcurlHandle {
    let easy: EasyHandle
    private(set) var exchange: LibcurlExchange?
    unowned let worker: LoopWorker
    let template: LibcurlTemplate
    private let errorText: UnsafeMutablePointer<CChar>
    var headers: CurlList?

    var resendPolicy = ResendPolicy(isIdempotent: true)
    /// How many connections libcurl had made for the transfer when the request was last sent.
    var connectionCount = 0
    /// The local port of the connection on which the request was sent; 0 before.
    var localPort: Int32 = 0
    var response: ResponseProgress
    private var tunnel: TunnelResponse
    var body = Data()
    var upload = UploadProgress()
    /// The offer of HTTP/3 that the transfer uses, until it is known whether the offer works.
    var http3: HTTP3Use?
    /// Whether an offer of HTTP/3 has failed for this transfer.
    var avoidsOffers = false
    var connectTo: CurlList?
    /// Whether the body is delivered as a whole when it is complete.
    var isWhole = false
    var needsFlush = false
    /// The error that a callback has stored.
    var failure: AsyncNetError?

    /// How much of the response has been received.
    struct ResponseProgress {
        var parser: HTTPHeadParser
        var head: HTTPResponseHead?
        var isHeadDelivered = false
        var hasHeadBytes = false
        /// Whether the transfer ended early with a response that is delivered, whatever libcurl reports.
        var isComplete = false
        var receivedBytes: Int64 = 0

        init(headerLimit: Int) { parser = HTTPHeadParser(limit: headerLimit) }
    }

    /// How much of the request's body has been sent.
    struct UploadProgress {
        var sentBytes: Int64 = 0
        /// Whether sending is paused until the body has more bytes.
        var isAwaitingBody = false
        /// Whether the server closed the connection while sending was paused.
        var isPeerGone = false
        /// How many bytes libcurl had sent at the last check; `nil` until the response is complete.
        var sentAtResponse: Int64?
        /// How many checks in a row have found that libcurl sent nothing.
        var quietChecks = 0
        /// How many rounds the loop had made at the last check.
        var roundsAtCheck = 0
    }

    /// Fails if there is no memory.
    init?(_ worker: LoopWorker, _ template: LibcurlTemplate) {
        guard let easy = template.copy() else { return nil }
        self.easy = easy
        self.worker = worker
        self.template = template
        response = ResponseProgress(headerLimit: worker.configuration.maximumHeaderBytes)
        tunnel = TunnelResponse(limit: worker.configuration.maximumHeaderBytes)
        errorText = .allocate(capacity: Int(LC_ERROR_BUFFER_SIZE))
        errorText.pointee = 0
        self.easy.setUser(self, errorText: errorText)
    }

    deinit { errorText.deallocate() }

    static func at(_ pointer: UnsafeMutableRawPointer) -> LibcurlHandle {
        Unmanaged<LibcurlHandle>.fromOpaque(pointer).takeUnretainedValue()
    }
}

// MARK: Begin and end

extension LibcurlHandle {
    func begin(_ exchange: LibcurlExchange) throws(AsyncNetError) {
        if let failure = template.failure { throw failure }
        try refuseUnlistedHost(exchange)
        resendPolicy = ResendPolicy(isIdempotent: exchange.request.head.isIdempotent)
        try set(exchange)
    }

    /// Begins a transfer again on a new connection, with this new handle: a handle carries a transfer only once.
    ///
    /// - Throws: `AsyncNetError` with code `.connectionLost` if the request's body cannot be sent again.
    func begin(_ exchange: LibcurlExchange, after earlier: LibcurlHandle) throws(AsyncNetError) {
        (resendPolicy, avoidsOffers) = (earlier.resendPolicy, earlier.avoidsOffers)
        if earlier.upload.sentBytes > 0, exchange.request.body.data == nil, !exchange.restartReading() {
            throw AsyncNetError(
                .connectionLost, "The server closed a kept connection, and the request's body can be sent only once")
        }
        try set(exchange)
        easy.set(LC_FRESH_CONNECT, 1)
    }

    private func set(_ exchange: LibcurlExchange) throws(AsyncNetError) {
        self.exchange = exchange
        isWhole = exchange.request.delivery == .whole
        try setRequest(exchange)
    }

    /// Releases the exchange, which the handle no longer carries.
    func drop() {
        endOffer()
        exchange = nil
    }

    /// What follows libcurl's result: the transfer ends, starts again, or has lost its connection.
    func end(_ result: Int32) -> ResendPolicy.End {
        guard exchange?.pipe.isEnded == false else { return .deliver }
        if leavesOffer(result) { return .restart }
        let end = resendPolicy.end(
            hasConnectionFailed: LibcurlErrors.isConnectionFailure(result),
            hasResponse: response.hasHeadBytes || hasHead)
        if end != .restart { noteFailure(result) }
        return end
    }

    /// Ends the exchange with the outcome of its transfer.
    func finish(_ result: Int32, isLost: Bool) {
        guard let exchange else { return }
        if isLost, !response.isComplete { failure = .possiblyProcessed }
        var metrics = lc_metrics()
        lc_read_metrics(easy.pointer, &metrics)
        let measured = TransportMetrics(metrics, wantsCertificates || isUntrusted(result) ? easy.certificates : [])
        if !exchange.pipe.isEnded {
            reportSmallBody(metrics.sent_body)
            reportTrailers()
            exchange.request.onEvent?(.metrics(measured))
        }
        let outcome = outcome(result, metrics).mapError { error in
            isUntrusted(result) ? error.with(trustFailure(error, measured)) : error
        }
        exchange.pipe.finish(response.isHeadDelivered ? nil : response.head, takeBody(), outcome)
    }

    /// Whether the result means that the server was not trusted.
    private func isUntrusted(_ result: Int32) -> Bool {
        !hasHead && failure == nil && [51, 60, 90, 91].contains(result)
    }

    /// The certificates for an error of trust. libcurl has them only after a finished handshake, such as with a wrong
    /// pin, and not if it refused the chain.
    private func trustFailure(_ error: AsyncNetError, _ measured: TransportMetrics) -> ServerTrustFailure {
        ServerTrustFailure(
            certificates: measured.serverCertificates,
            expectedPins: error.code == .certificatePinMismatch ? template.tls.pins : [])
    }

    private func outcome(_ result: Int32, _ metrics: lc_metrics) -> Result<Void, AsyncNetError> {
        let outcome = LibcurlOutcome(
            result: result, head: response.head, receivedBytes: metrics.received_body,
            hasFirstByte: metrics.first_byte > 0, isComplete: response.isComplete, isPeerGone: upload.isPeerGone,
            failure: failure,
            bodyFailure: exchange?.bodyFailure)
        return outcome.end(
            LibcurlErrors.Circumstances(
                text: String(cString: errorText), verifyResult: metrics.verify_result,
                refusal: exchange.flatMap { tunnel.refusal(metrics.connect_status, $0.request.head.url) },
                systemError: worker.sockets.systemError(metrics),
                proxyHost: worker.configuration.proxy.host,
                unixSocket: worker.configuration.unixSocket))
    }

    var hasHead: Bool { response.head != nil }
    var isHTTP2: Bool { response.head?.httpVersion == "HTTP/2" }
    /// Whether the connection carries several requests at the same time.
    var isMultiplexed: Bool { isHTTP2 || response.head?.httpVersion == "HTTP/3" }
}

/// What libcurl receives: the response's head, body and trailers.
extension LibcurlHandle {
    /// Called with a line of the head, or with several lines that libcurl stored during a pause; `false` ends the
    /// transfer.
    func receiveHeader(_ lines: UnsafeRawBufferPointer) -> Bool {
        if isTunnelAwaited, let exchange {
            tunnel.receive(lines, for: exchange.request.head.url)
            return true
        }
        response.hasHeadBytes = true
        var rest = lines.bindMemory(to: UInt8.self)[...]
        do throws(AsyncNetError) {
            while !rest.isEmpty {
                let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
                if try response.parser.receive(HTTPHeadParser.Line(rebasing: rest[..<end])) { endBlock() }
                rest = rest[end...]
                if response.isComplete || failure != nil { return false }
            }
            return true
        } catch {
            failure = error
            return false
        }
    }

    /// Whether libcurl has made a connection on which the request has not been sent: a head that arrives then is a
    /// proxy's response to CONNECT, see `LibcurlTemplate.showsTunnels`.
    private var isTunnelAwaited: Bool {
        template.showsTunnels && lc_new_connections(easy.pointer) > connectionCount
    }

    /// Called at the end of a block of header lines: a 1xx response, the final response's head, or the trailers.
    private func endBlock() {
        guard let exchange else { return }
        guard !hasHead else { return reportTrailers() }
        let received = response.parser.head(url: exchange.request.head.url)
        response.parser.beginBlock()
        if 100..<200 ~= received.statusCode, received.statusCode != 101 {
            exchange.request.onEvent?(.informational(received))
        } else {
            receive(received, exchange)
        }
    }

    private func receive(_ head: HTTPResponseHead, _ exchange: LibcurlExchange) {
        let request = exchange.request.head
        do throws(AsyncNetError) { try head.checkLength(answering: request.method) } catch { return failure = error }
        response.head = head
        noteOffers(head, to: request)
        reportConnection(exchange, head)
        worker.note(exchange.origin, isMultiplexed: isMultiplexed)
        if head.headers.contains(name: "Content-Encoding") {
            isWhole = false
            exchange.pipe.expectEncodedBody()
        }
        // After a 417 libcurl would send the request again without `Expect`, which a transport must not. So the
        // transfer ends here, without the body, which libcurl drops.
        response.isComplete = head.statusCode == 417 && request.headers.contains(name: "Expect")
        flushAtEndOfRound()
        // libcurl stops sending after an error status, but notices that only when the paused sending continues.
        if upload.isAwaitingBody { worker.loop.post(.send(exchange)) }
    }

    func receiveBody(_ piece: UnsafeRawBufferPointer) -> Int {
        guard let exchange, !exchange.pipe.isEnded else { return 0 }
        if exchange.pipe.isPaused || exchange.isSuspended { return Int(LC_CALLBACK_PAUSE) }
        if body.count + piece.count > Self.longestChunk { deliverBody() }
        body.append(contentsOf: piece)
        response.receivedBytes += Int64(piece.count)
        flushAtEndOfRound()
        return piece.count
    }

    /// libcurl delivers a body in pieces of at most 16 KiB, which are collected into chunks.
    private static let longestChunk = 64 * 1024

    private func flushAtEndOfRound() {
        guard !needsFlush else { return }
        needsFlush = true
        worker.flushAtEndOfRound(self)
    }

    /// Delivers the bytes that arrived in this round, unless the transfer has ended in the round.
    func flush() {
        needsFlush = false
        guard let exchange, let head = response.head, !exchange.pipe.isEnded else { return }
        watchSendingAfterResponse()
        if isWhole, !response.isHeadDelivered { exchange.request.onEvent?(.receivedHead(head)) }
        deliverHead()
        // The pipe changes the delivery if the head must be delivered at once.
        if isWhole { isWhole = exchange.pipe.delivery == .whole }
        guard isWhole else { return deliverBody() }
        guard response.receivedBytes > 0 else { return }
        exchange.request.onEvent?(.receivedBody(bytes: response.receivedBytes, head))
    }

    private func deliverHead() {
        guard !response.isHeadDelivered, let head = response.head else { return }
        response.isHeadDelivered = true
        exchange?.pipe.receive(head)
    }

    private func deliverBody() {
        deliverHead()
        if let chunk = takeBody() { _ = exchange?.pipe.receive(chunk) }
    }

    private func takeBody() -> Data? {
        defer { body = Data() }
        return body.isEmpty ? nil : body
    }

    func reportTrailers() {
        guard hasHead, !response.parser.headers.isEmpty else { return }
        exchange?.request.onEvent?(.trailers(response.parser.headers))
        response.parser.beginBlock()
    }
}
