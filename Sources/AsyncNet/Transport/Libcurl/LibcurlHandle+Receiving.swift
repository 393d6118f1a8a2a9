import CLibcurl
import Foundation

/// What libcurl receives: the response's head, body and trailers.
extension LibcurlHandle {
    /// Called with a line of the head, or with several lines that libcurl stored during a pause; `false` ends the
    /// transfer.
    func receiveHeader(_ lines: UnsafeRawBufferPointer) -> Bool {
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
        if head.httpVersion?.hasPrefix("HTTP/1") == true { worker.connections.noteHTTP1(onPort: connection.port) }
        if head.headers.contains(name: "Content-Encoding") {
            isWhole = false
            exchange.pipe.expectEncodedBody()
        }
        // libcurl would drop the body of a 417 response and send the request again without `Expect`; a transport must
        // not.
        response.isComplete = head.statusCode == 417 && request.headers.contains(name: "Expect")
        flushAtEndOfRound()
        // An error status ends the sending, which libcurl notices only when it continues.
        if upload.isAwaitingBody { worker.loop.post(.send(exchange)) }
    }

    func receiveBody(_ piece: UnsafeRawBufferPointer) -> Int {
        guard let exchange, !exchange.pipe.isEnded else { return 0 }
        if exchange.pipe.isPaused || exchange.isSuspended { return Int(LC_CALLBACK_PAUSE) }
        if piece.count > body.room { deliverBody() }
        guard body.append(piece) else {
            failure = AsyncNetError(.transportFailed, "There is no memory for the response's body")
            return 0
        }
        response.receivedBytes += Int64(piece.count)
        flushAtEndOfRound()
        return piece.count
    }

    private func flushAtEndOfRound() {
        guard !needsFlush else { return }
        needsFlush = true
        worker.flushAtEndOfRound(self)
    }

    /// Delivers the bytes that arrived in this round; called only for a transfer that has not ended in the round.
    func flush() {
        needsFlush = false
        guard let exchange, let head = response.head, !exchange.pipe.isEnded else { return }
        if isWhole, !response.isHeadDelivered { exchange.request.onEvent?(.receivedHead(head)) }
        deliverHead()
        // A head that must be delivered at once changes the delivery.
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
        if let chunk = body.take() { _ = exchange?.pipe.receive(chunk) }
    }

    func reportTrailers() {
        guard hasHead, !response.parser.headers.isEmpty else { return }
        exchange?.request.onEvent?(.trailers(response.parser.headers))
        response.parser.beginBlock()
    }

    /// Takes the response from bytes that were unread when the connection was closed, if they hold a whole response.
    func receive(_ unread: Data?) {
        guard let exchange, let unread,
            let (head, rest) = UnreadResponses.response(
                in: unread, to: exchange.request.head.url, limit: headerLimit)
        else { return }
        response.head = head
        response.isComplete = rest.withUnsafeBytes { body.append($0) }
        response.receivedBytes = Int64(rest.count)
    }
}
