import AsyncNet
import CAsyncNetLibcurl
import Foundation

/// Passes the request's body to libcurl.
extension LibcurlHandle {
    /// Called when libcurl can send more of the body.
    func provideBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let exchange, !exchange.pipe.isEnded, !upload.isPeerGone else { return Int(LC_READ_ABORT) }
        upload.isAwaitingBody = false
        if exchange.isSuspended { return Int(LC_CALLBACK_PAUSE) }
        switch readBody(of: exchange, into: buffer) {
        case .end:
            if exchange.bodyLength == nil { reportSent(total: upload.sentBytes) }
            return 0
        case .pause:
            awaitBody(of: exchange)
            return Int(LC_CALLBACK_PAUSE)
        case .failure: return Int(LC_READ_ABORT)
        case .bytes(let count):
            upload.sentBytes += Int64(count)
            reportSent(total: exchange.bodyLength)
            return count
        }
    }

    private func readBody(
        of exchange: LibcurlExchange, into buffer: UnsafeMutableRawBufferPointer
    ) -> UploadFeed.Piece {
        guard let data = exchange.request.body.data else { return exchange.readBody(into: buffer) }
        let rest = data.dropFirst(Int(upload.sentBytes))
        return rest.isEmpty ? .end : .bytes(rest.copyBytes(to: buffer))
    }

    private func awaitBody(of exchange: LibcurlExchange) {
        upload.isAwaitingBody = true
        worker.checkUpload(of: self)
        exchange.request.onEvent?(.awaitingBody)
    }

    private func reportSent(total: Int64?) {
        exchange?.request.onEvent?(.sentBody(bytes: upload.sentBytes, total: total))
    }

    /// libcurl passes a small body in memory to the network together with the head, without a call of `provideBody`.
    func reportSmallBody(_ bytes: Int64) {
        guard let exchange, exchange.request.body.data != nil, upload.sentBytes == 0, bytes > 0 else { return }
        upload.sentBytes = bytes
        reportSent(total: exchange.bodyLength)
    }

    /// Called when libcurl sends the body again on a new connection, because a kept connection was closed before a byte
    /// of the response.
    func seekBody(_ offset: Int64, _ origin: Int32) -> Int32 {
        guard origin == 0, offset >= 0 else { return Int32(LC_SEEK_FAIL) }
        guard let exchange, offset != upload.sentBytes else { return Int32(LC_SEEK_OK) }
        guard exchange.request.body.data != nil || offset == 0 && exchange.restartReading() else {
            return Int32(LC_SEEK_FAIL)
        }
        upload.sentBytes = offset
        return Int32(LC_SEEK_OK)
    }

    /// Finds out whether the server takes no more of the request's body, which libcurl does not notice.
    func checkUpload() -> UploadChecks.Finding {
        guard let exchange else { return .settled }
        guard upload.isAwaitingBody else { return checkProgress(of: exchange) }
        // The response that the server sent before it closed the connection is read to its end first.
        guard !exchange.pipe.isPaused, worker.sockets.isClosed(port: localPort) else { return .open }
        upload.isPeerGone = true
        lc_pause(easy.pointer, Int32(LC_PAUSE_NOTHING))
        return .settled
    }

    /// Called at the end of a round in which bytes arrived and the transfer did not end. A server may respond over
    /// HTTP/2 and close the stream before it has received the whole request (RFC 9113 §8.1). libcurl 7.88 does not read
    /// the frame that closes the stream once it has the whole response, and tries to send for ever.
    func watchSendingAfterResponse() {
        guard upload.sentAtResponse == nil, isHTTP2, let exchange, !exchange.request.body.isNone,
            response.head?.isComplete(afterBytes: response.receivedBytes) == true
        else { return }
        upload.sentAtResponse = sentBytes
        worker.checkUpload(of: self)
    }

    /// Once the response is complete, the transfer is over if several checks found that libcurl tried to send all the
    /// time and sent no byte.
    private func checkProgress(of exchange: LibcurlExchange) -> UploadChecks.Finding {
        guard let last = upload.sentAtResponse else { return .settled }
        let (sent, rounds) = (sentBytes, worker.rounds - upload.roundsAtCheck)
        (upload.sentAtResponse, upload.roundsAtCheck) = (sent, worker.rounds)
        // A server that only pauses closes the flow-control window: libcurl then waits, and the loop sleeps.
        let isFutile = sent == last && rounds > Self.mostQuietRounds && !exchange.isSuspended && !worker.limitsSending
        upload.quietChecks = isFutile ? upload.quietChecks + 1 : 0
        guard upload.quietChecks == Self.mostQuietChecks else { return .open }
        response.isComplete = true
        return .over
    }

    /// How many checks in a row without progress end the transfer. At 250 ms between checks, this is one second.
    private static let mostQuietChecks = 4
    /// How many rounds of the loop between two checks are normal; a libcurl that sends for ever causes thousands.
    private static let mostQuietRounds = 200

    private var sentBytes: Int64 {
        var metrics = lc_metrics()
        lc_read_metrics(easy.pointer, &metrics)
        return metrics.sent_body
    }
}
