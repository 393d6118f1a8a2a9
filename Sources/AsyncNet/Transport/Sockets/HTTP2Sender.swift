import Foundation

/// Writes one request's body to DATA frames, as the windows allow it. Used only under its loop's lock.
final class HTTP2Sender {
    enum Progress {
        case wrote
        /// The sender waits: for room in the peer's window, for bytes of the body, for a 100 response, or until the
        /// rate allows more bytes.
        case waits
        case failed(AsyncNetError)
    }

    private let transfer: SocketTransfer
    private let source: BodySource?
    /// Whether the body's source has been started, which is possible only once for some bodies.
    private(set) var hasBegun = false
    /// Whether the body's source has no bytes at the moment.
    var isStarved = false
    private(set) var sentBody: Int64 = 0
    var awaitsContinue: Bool
    private(set) var isDone: Bool

    init(_ transfer: SocketTransfer) {
        self.transfer = transfer
        source = transfer.source
        isDone = transfer.request.body.isNone
        awaitsContinue = transfer.expectsContinue
    }

    func stop() {
        source?.stop()
        isDone = true
    }

    /// Writes at most one frame, with at most `limit` bytes, which the rate allows now.
    func write(
        to machine: inout HTTP2Machine, _ stream: HTTP2Stream, _ scratch: UnsafeMutableRawBufferPointer,
        atMost limit: Int
    ) -> Progress {
        if isDone { return .wrote }
        if awaitsContinue || isStarved { return .waits }
        let room = machine.room(of: stream)
        // The end of the body needs no room in the window.
        guard sentBody == transfer.bodyLength || room > 0 && limit > 0 else { return .waits }
        let most = min(room, limit, scratch.count)
        guard let data = transfer.request.body.data else {
            return writeSource(to: &machine, stream, UnsafeMutableRawBufferPointer(rebasing: scratch[..<max(1, most)]))
        }
        let count = min(most, data.count - Int(sentBody))
        let isLast = Int(sentBody) + count == data.count
        data.withUnsafeBytes { bytes in
            let part = UnsafeRawBufferPointer(rebasing: bytes[Int(sentBody)...].prefix(count))
            machine.sendData(stream, part, isLast: isLast)
        }
        return wrote(Int64(count), isLast: isLast)
    }

    private func writeSource(
        to machine: inout HTTP2Machine, _ stream: HTTP2Stream, _ scratch: UnsafeMutableRawBufferPointer
    ) -> Progress {
        guard let source else { return .wrote }
        if !hasBegun { source.start() }
        hasBegun = true
        switch source.read(into: scratch) {
        case .bytes(let count):
            machine.sendData(stream, UnsafeRawBufferPointer(rebasing: scratch[..<count]), isLast: false)
            return wrote(Int64(count), isLast: false)
        case .end:
            let trailers = source.trailers
            if trailers.isEmpty {
                machine.sendData(stream, UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
            } else {
                machine.sendTrailers(stream, trailers)
            }
            return wrote(0, isLast: true)
        case .pause:
            isStarved = true
            transfer.request.onEvent?(.awaitingBody)
            return .waits
        case .failure: return .failed(source.failure ?? AsyncNetError(.bodyStreamFailed))
        }
    }

    private func wrote(_ count: Int64, isLast: Bool) -> Progress {
        sentBody += count
        if isLast { isDone = true }
        if count > 0 || isLast && transfer.bodyLength == nil {
            let total = transfer.bodyLength ?? (isLast ? sentBody : nil)
            transfer.request.onEvent?(.sentBody(bytes: sentBody, total: total))
        }
        return .wrote
    }
}
