import Foundation

/// Writes one request's body to DATA frames, as the windows allow it. Used under its loop's lock only.
final class HTTP2Sender {
    enum Progress {
        /// A frame was written.
        case wrote
        case done
        /// Nothing can be written before something else happens: the peer's window, the body's next bytes, a 100 response.
        case waits
        /// The rate allows no more now.
        case limited
        case failed(AsyncNetError)
    }

    private let transfer: SocketTransfer
    private let source: BodySource?
    private(set) var sentBody: Int64 = 0
    private(set) var awaitsContinue: Bool
    private(set) var isDone: Bool

    /// - Parameter loop: Whose engine resumes the transfer when a body without bytes has some.
    init(_ transfer: SocketTransfer, _ loop: SocketLoop) {
        self.transfer = transfer
        source = transfer.body.map { body in
            BodySource(body, transfer.tasks) { loop.post { SocketEngine.of($0)?.resume(transfer) } }
        }
        isDone = transfer.request.body.isNone
        awaitsContinue = transfer.expectsContinue
        source?.start()
    }

    func continueBody() { awaitsContinue = false }

    /// Sends no more.
    func stop() {
        source?.stop()
        isDone = true
    }

    /// Writes a frame at most.
    ///
    /// - Parameter limit: How many bytes the rate allows now.
    func write(to machine: inout HTTP2Machine, _ stream: HTTP2Stream, atMost limit: Int) -> Progress {
        if isDone { return .done }
        if awaitsContinue { return .waits }
        // The end needs no window.
        let isAtEnd = sentBody == transfer.bodyLength
        let room = machine.room(of: stream)
        guard room > 0 || isAtEnd else { return .waits }
        guard limit > 0 || isAtEnd else { return .limited }
        let most = isAtEnd ? 1 : min(room, limit)
        if let data = transfer.request.body.data {
            return write(data, to: &machine, stream, most)
        }
        return writeSource(to: &machine, stream, most)
    }

    private func write(_ data: Data, to machine: inout HTTP2Machine, _ stream: HTTP2Stream, _ most: Int) -> Progress {
        let start = data.startIndex + Int(sentBody)
        machine.sendData(stream, atMost: most) { place in
            let part = data[start...].prefix(place.count)
            part.copyBytes(to: place)
            return (part.count, start + part.count == data.endIndex)
        }
        return wrote(Int64(min(most, machine.settings.frameSize, data.endIndex - start)), isLast: stream.isRequestSent)
    }

    private func writeSource(to machine: inout HTTP2Machine, _ stream: HTTP2Stream, _ most: Int) -> Progress {
        guard let source else { return .done }
        var piece = UploadFeed.Piece.pause
        machine.sendData(stream, atMost: most) { place in
            piece = source.read(into: place)
            switch piece {
            case .bytes(let count): return (count, false)
            case .end: return (0, source.trailers.isEmpty)
            case .pause, .failure: return (0, false)
            }
        }
        switch piece {
        case .bytes(let count): return wrote(Int64(count), isLast: false)
        case .end:
            if !stream.isRequestSent { send(source.trailers, on: &machine, stream) }
            return wrote(0, isLast: true)
        case .pause:
            transfer.request.onEvent?(.awaitingBody)
            return .waits
        case .failure: return .failed(source.failure ?? AsyncNetError(.bodyStreamFailed))
        }
    }

    private func send(_ trailers: HTTPHeaders, on machine: inout HTTP2Machine, _ stream: HTTP2Stream) {
        machine.sendTrailers(stream) { add in for trailer in trailers { add(trailer.name, trailer.value) } }
    }

    private func wrote(_ count: Int64, isLast: Bool) -> Progress {
        sentBody += count
        if isLast { isDone = true }
        if count > 0 || isLast && transfer.bodyLength == nil {
            transfer.request.onEvent?(
                .sentBody(bytes: sentBody, total: isLast && transfer.bodyLength == nil ? sentBody : transfer.bodyLength)
            )
        }
        return .wrote
    }
}
