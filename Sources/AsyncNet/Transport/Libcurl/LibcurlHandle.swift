import CLibcurl
import Foundation

/// One of libcurl's easy handles with the buffers of the transfer that it carries; used again for the next one.
///
/// Belongs to its loop's thread, like everything it calls in the exchange. libcurl calls back with a pointer to it,
/// only while the loop is inside libcurl, and the loop holds it for as long as libcurl knows the pointer. Nothing here
/// blocks, throws into C or runs user code; what goes wrong is kept in `failure` and ends the transfer.
final class LibcurlHandle {
    private(set) var easy: EasyHandle
    unowned let loop: LibcurlLoop
    private let template: LibcurlTemplate
    private let errorText: UnsafeMutablePointer<CChar>
    private var headerList = HeaderList()
    private let headerLimit: Int

    private(set) var exchange: LibcurlExchange?
    private var sending = ResendPolicy(isIdempotent: true)
    private var knownConnections = 0
    /// Where a request was sent that must not be sent again.
    private var connectionName: String?
    /// This side's port of the connection.
    private var port: Int32 = 0
    /// The transfer's HTTP/2 stream, where libcurl was asked to say it.
    private var stream: UInt32?
    private var isRefused = false
    /// libcurl says what it does with this transfer.
    var isRemarked = false
    private var parser: HTTPHeadParser
    private var head: HTTPResponseHead?
    private var body = BodyBuffer()
    private var failure: AsyncNetError?
    private var isHeadDelivered = false
    /// The body's reader waits for the whole.
    private var isWhole = false
    private var isTouched = false
    private var hasHeadBytes = false
    /// The answer is complete whatever libcurl makes of it.
    private var isAnswered = false
    /// The body has nothing to send now, and libcurl is paused.
    private var isAwaitingBody = false
    /// Meanwhile the server has closed the connection.
    private var isPeerGone = false
    private var receivedBytes: Int64 = 0
    private var sentBytes: Int64 = 0

    /// `nil` without memory.
    init?(_ loop: LibcurlLoop, _ template: LibcurlTemplate, headerLimit: Int) {
        guard let easy = template.copy() else { return nil }
        self.easy = easy
        self.loop = loop
        self.template = template
        self.headerLimit = headerLimit
        parser = HTTPHeadParser(limit: headerLimit)
        errorText = .allocate(capacity: Int(LC_ERROR_BUFFER_SIZE))
        errorText.pointee = 0
        self.easy.setUser(self, errorText: errorText)
    }

    deinit { errorText.deallocate() }

    /// Replaces libcurl's handle, which carries one transfer only; `false` without memory.
    func renew() -> Bool {
        guard let easy = template.copy() else { return false }
        self.easy = easy
        self.easy.setUser(self, errorText: errorText)
        return true
    }

    static func at(_ pointer: UnsafeMutableRawPointer) -> LibcurlHandle {
        Unmanaged<LibcurlHandle>.fromOpaque(pointer).takeUnretainedValue()
    }

    // MARK: Begin and end

    func begin(_ exchange: LibcurlExchange) throws(AsyncNetError) {
        if let failure = template.failure { throw failure }
        self.exchange = exchange
        isWhole = exchange.request.delivery == .whole
        sending = ResendPolicy(isIdempotent: exchange.request.head.isIdempotent)
        try setRequest(exchange, &headerList)
    }

    /// The same request once more, on a connection of its own.
    ///
    /// - Throws: ``AsyncNetError`` if its body cannot be sent again.
    func beginAgain() throws(AsyncNetError) {
        guard let exchange else { return }
        let (isBodyTouched, sending) = (sentBytes > 0, sending)
        reset()
        guard renew() else { throw AsyncNetError(.transportFailed, "libcurl has no memory for another transfer") }
        if isBodyTouched, exchange.request.body.data == nil, !exchange.restartReading() {
            throw AsyncNetError(
                .connectionLost, "The server closed a kept connection, and the request's body can be sent only once")
        }
        (self.exchange, self.sending) = (exchange, sending)
        isWhole = exchange.request.delivery == .whole
        try setRequest(exchange, &headerList)
        easy.set(LC_FRESH_CONNECT, 1)
    }

    /// Lets go of the exchange, so that the next one finds nothing of it.
    func reset() {
        exchange = nil
        head = nil
        failure = nil
        parser = HTTPHeadParser(limit: headerLimit)
        errorText.pointee = 0
        (knownConnections, connectionName, port, stream, isRefused) = (0, nil, 0, nil, false)
        body.removeAll()
        (isHeadDelivered, isTouched, hasHeadBytes, isAnswered) = (false, false, false, false)
        (isAwaitingBody, isPeerGone) = (false, false)
        (receivedBytes, sentBytes) = (0, 0)
    }

    /// What follows from libcurl's result.
    func end(_ result: Int32) -> ResendPolicy.End {
        guard exchange?.pipe.isEnded == false else { return .deliver }
        if result == Self.sendFailed || result == Self.receiveFailed, head == nil {
            receive(loop.connections.takeLeftBehind(easy.pointer))
        }
        return sending.end(
            hasConnectionFailed: LibcurlErrors.isConnectionFailure(result), hasResponse: hasHeadBytes || head != nil)
    }

    /// Tells the exchange how its transfer ended.
    func finish(_ result: Int32, isLost: Bool) {
        guard let exchange else { return }
        if isLost, !isAnswered { failure = Self.lost }
        var metrics = lc_metrics()
        lc_read_metrics(easy.pointer, &metrics)
        if !exchange.pipe.isEnded {
            tellOfSmallBody(metrics.sent_body)
            tellOfTrailers()
            exchange.request.onEvent?(.metrics(TransportMetrics(metrics)))
        }
        exchange.pipe.finish(isHeadDelivered ? nil : head, body.take(), end(result, metrics))
    }

    /// Looks whether anybody is there who waits for the body too; libcurl does not while it is paused. `false` if that
    /// is not the question any more.
    func checkPeer() -> Bool {
        guard isAwaitingBody, let exchange else { return false }
        // What the server said before it closed is read to its end first.
        guard !exchange.pipe.isPaused, loop.connections.isPeerGone(easy.pointer) else { return true }
        isPeerGone = true
        lc_pause(easy.pointer, Int32(LC_PAUSE_NOTHING))
        return false
    }

    private static let (sendFailed, receiveFailed) = (Int32(55), Int32(56))

    /// The server may have answered before it closed the connection under our hands.
    private func receive(_ leftBehind: Data?) {
        guard let exchange, let bytes = leftBehind,
            let (head, rest) = LeftBehind.response(in: bytes, to: exchange.request.head.url, limit: headerLimit)
        else { return }
        self.head = head
        isAnswered = rest.withUnsafeBytes { body.append($0) }
        receivedBytes = Int64(rest.count)
    }

    var hasHead: Bool { head != nil }
    var isHTTP2: Bool { head?.httpVersion == "HTTP/2" }

    private func end(_ result: Int32, _ metrics: lc_metrics) -> Result<Void, AsyncNetError> {
        if let failure { return .failure(failure) }
        if head != nil, result == 0 || isAnswered { return .success(()) }
        if let error = exchange?.bodyFailure { return .failure(error) }
        // The server had answered, closed, and so kept the rest of the request from being sent.
        let isSendingOver = result == Self.sendFailed || result == Self.receiveFailed || isPeerGone
        if isSendingOver, let head, head.isComplete(afterBytes: metrics.received_body) { return .success(()) }
        if isPeerGone {
            return .failure(
                AsyncNetError(
                    .connectionLost, "The server closed the connection while the request's body was waited for"))
        }
        let text = String(cString: errorText)
        if head == nil, metrics.first_byte > 0, let error = LibcurlErrors.headError(for: result, text) {
            return .failure(error)
        }
        guard result == 0 else {
            return .failure(
                LibcurlErrors.error(
                    for: result,
                    .init(
                        text: text, verifyResult: metrics.verify_result, connectStatus: metrics.connect_status,
                        proxyHost: loop.proxyHost, unixSocket: loop.unixSocket)))
        }
        guard head != nil else {
            return .failure(
                AsyncNetError(.connectionLost, "The server closed the connection inside the response's head"))
        }
        return .success(())
    }

    // MARK: Sending on a connection

    private static var lost: AsyncNetError {
        AsyncNetError(
            .connectionLost,
            "The server closed a kept connection without a response; it may have processed the request, which is not sent again since its "
                + "method is not idempotent")
    }

    /// Asked before the request is sent, and again when libcurl wants to repeat it.
    func maySend(from address: UnsafePointer<CChar>?, _ port: Int32) -> Bool {
        guard let exchange else { return true }
        let connections = lc_new_connections(easy.pointer)
        let connection = loop.connections.connection(fromPort: port, isNew: connections > knownConnections)
        let permission = sending.maySend(on: connection, isUnprocessed: isRefused || isUnprocessed)
        guard permission != .refuse, permission == .send || rewindBody() else {
            if let name = connectionName { receive(loop.connections.takeLeftBehind(at: name)) }
            return false
        }
        (knownConnections, self.port, stream, isRefused) = (connections, port, nil, false)
        if permission == .sendAgain { exchange.request.onEvent?(.repeated) }
        _ = loop.connections.takeLeftBehind(at: Self.name(address, port))
        if !sending.isIdempotent { connectionName = Self.name(address, port) }
        return true
    }

    /// The server said that it did not process the transfer's stream.
    private var isUnprocessed: Bool { stream.map { loop.connections.isUnprocessed($0, onPort: port) } ?? false }

    /// libcurl asks for the body's start again only if it had sent some of it: what it had read and not sent is gone.
    private func rewindBody() -> Bool {
        guard let exchange, sentBytes > 0 else { return true }
        guard exchange.request.body.data != nil || exchange.restartReading() else {
            sending.cannotSendAgain()
            return false
        }
        sentBytes = 0
        return true
    }

    /// What libcurl says of its work, where it is asked to.
    func receive(_ remark: UnsafeRawBufferPointer) {
        switch GoAwayLog.Remark(remark) {
        case .stream(let stream): self.stream = stream
        case .goAway(let lastStream): loop.connections.noteGoAway(lastStream: lastStream, onPort: port)
        // Later libcurl may say so of an earlier sending.
        case .refused: isRefused = isRefused || sending.sendings == 1
        case .connectionDied:
            isRefused = isRefused || isUnprocessed
            port = 0
        case nil: break
        }
    }

    /// As libcurl tells connections apart, see `LeftBehind`.
    private static func name(_ address: UnsafePointer<CChar>?, _ port: Int32) -> String {
        "\(address.map { String(cString: $0) } ?? "") \(port)"
    }

    // MARK: Receiving

    /// One line, or several where libcurl kept them back during a pause.
    func receiveHeader(_ lines: UnsafeRawBufferPointer) -> Bool {
        hasHeadBytes = true
        var rest = lines.bindMemory(to: UInt8.self)[...]
        do throws(AsyncNetError) {
            while !rest.isEmpty {
                let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
                if try parser.receive(HTTPHeadParser.Line(rebasing: rest[..<end])) { endBlock() }
                rest = rest[end...]
                if isAnswered || failure != nil { return false }
            }
            return true
        } catch {
            failure = error
            return false
        }
    }

    private func endBlock() {
        guard let exchange else { return }
        guard head == nil else { return tellOfTrailers() }
        let received = parser.head(url: exchange.request.head.url)
        parser.beginBlock()
        if 100..<200 ~= received.statusCode, received.statusCode != 101 {
            exchange.request.onEvent?(.informational(received))
        } else {
            do throws(AsyncNetError) { try received.checkLength(answering: exchange.request.head.method) } catch {
                return failure = error
            }
            head = received
            if received.httpVersion?.hasPrefix("HTTP/1") == true { loop.connections.noteHTTP1(onPort: port) }
            if received.headers.contains(name: "Content-Encoding") {
                isWhole = false
                exchange.pipe.expectEncodedBody()
            }
            // libcurl would drop the body and send the request again, without the header. That is not for a transport
            // to decide.
            isAnswered = received.statusCode == 417 && exchange.request.head.headers.contains(name: "Expect")
            touch()
            // A refusal ends the sending, which libcurl notices only once it is asked to go on.
            if isAwaitingBody { loop.post(.send(exchange)) }
        }
    }

    func receiveBody(_ piece: UnsafeRawBufferPointer) -> Int {
        guard let exchange, !exchange.pipe.isEnded else { return 0 }
        if exchange.pipe.isPaused || exchange.isSuspended { return Int(LC_CALLBACK_PAUSE) }
        if piece.count > body.room { deliverBody() }
        guard body.append(piece) else {
            failure = AsyncNetError(.transportFailed, "There is no memory for the response's body")
            return 0
        }
        receivedBytes += Int64(piece.count)
        touch()
        return piece.count
    }

    private func touch() {
        guard !isTouched else { return }
        isTouched = true
        loop.touched(self)
    }

    /// Hands on what came in this round of a transfer that goes on.
    func flush() {
        isTouched = false
        guard let exchange, let head, !exchange.pipe.isEnded else { return }
        if isWhole, !isHeadDelivered { exchange.request.onEvent?(.receivedHead(head)) }
        deliverHead()
        // The head may have made the body wanted as it arrives.
        if isWhole { isWhole = exchange.pipe.delivery == .whole }
        guard isWhole else { return deliverBody() }
        if receivedBytes > 0 { exchange.request.onEvent?(.receivedBody(bytes: receivedBytes, head)) }
    }

    private func deliverHead() {
        guard !isHeadDelivered, let head else { return }
        isHeadDelivered = true
        exchange?.pipe.receive(head)
    }

    private func deliverBody() {
        deliverHead()
        if let chunk = body.take() { _ = exchange?.pipe.receive(chunk) }
    }

    private func tellOfTrailers() {
        guard head != nil, !parser.headers.isEmpty else { return }
        exchange?.request.onEvent?(.trailers(parser.headers))
        parser.beginBlock()
    }

    // MARK: Sending

    func provideBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let exchange, !exchange.pipe.isEnded else { return Int(LC_READ_ABORT) }
        if isPeerGone { return Int(LC_READ_ABORT) }
        isAwaitingBody = false
        if exchange.isSuspended { return Int(LC_CALLBACK_PAUSE) }
        let piece: UploadFeed.Piece
        if let data = exchange.request.body.data {
            let rest = data.dropFirst(Int(sentBytes))
            piece = rest.isEmpty ? .end : .bytes(rest.copyBytes(to: buffer))
        } else {
            piece = exchange.readBody(into: buffer)
        }
        switch piece {
        case .end:
            if exchange.bodyLength == nil { exchange.request.onEvent?(.sentBody(bytes: sentBytes, total: sentBytes)) }
            return 0
        case .pause:
            isAwaitingBody = true
            loop.awaitsBody(self)
            exchange.request.onEvent?(.awaitingBody)
            return Int(LC_CALLBACK_PAUSE)
        case .failure: return Int(LC_READ_ABORT)
        case .bytes(let count):
            sentBytes += Int64(count)
            exchange.request.onEvent?(.sentBody(bytes: sentBytes, total: exchange.bodyLength))
            return count
        }
    }

    /// A connection that was kept alive broke before anything came back, and libcurl starts over on a new one.
    func seekBody(_ offset: Int64, _ origin: Int32) -> Int32 {
        guard origin == 0, offset >= 0 else { return Int32(LC_SEEK_FAIL) }
        guard let exchange, offset != sentBytes else { return Int32(LC_SEEK_OK) }
        guard exchange.request.body.data != nil || offset == 0 && exchange.restartReading() else {
            return Int32(LC_SEEK_FAIL)
        }
        sentBytes = offset
        return Int32(LC_SEEK_OK)
    }

    /// A small body goes with the head and asks for no callback.
    private func tellOfSmallBody(_ bytes: Int64) {
        guard let exchange, exchange.request.body.data != nil, sentBytes == 0, bytes > 0 else { return }
        sentBytes = bytes
        exchange.request.onEvent?(.sentBody(bytes: bytes, total: exchange.bodyLength))
    }
}

extension TransportMetrics {
    init(_ metrics: lc_metrics) {
        let isReused = metrics.new_connections == 0 && metrics.first_byte > 0
        // What libcurl says of a connection that was there is when it was found, not made.
        func whenNew(_ microseconds: Int64) -> Duration { isReused ? .zero : .microseconds(microseconds) }
        self.init(
            httpVersion: Self.version(metrics.http_version),
            isConnectionReused: metrics.first_byte > 0 ? isReused : nil,
            remoteAddress: metrics.address.flatMap { $0.pointee == 0 ? nil : String(cString: $0) },
            timings: TransferTimings(
                nameLookup: whenNew(metrics.name_lookup), connect: whenNew(metrics.connect),
                tlsHandshake: whenNew(metrics.tls),
                firstByte: .microseconds(metrics.first_byte), total: .microseconds(metrics.total)),
            wireBytes: WireBytes(
                sentHead: Int64(metrics.sent_head), sentBody: metrics.sent_body,
                receivedHead: Int64(metrics.received_head),
                receivedBody: metrics.received_body))
    }

    private static func version(_ number: Int) -> String? {
        switch number {
        case 1: "HTTP/1.0"
        case 2: "HTTP/1.1"
        case 3: "HTTP/2"
        case 30: "HTTP/3"
        default: nil
        }
    }
}
