import Foundation

/// The bytes that a connection has still to send, in the pieces that its tasks wrote.
struct OutgoingPieces {
    private var pieces: ArraySlice<Data> = []
    private var sent = 0

    var isEmpty: Bool { pieces.isEmpty }

    mutating func append(_ data: [Data]) { pieces += data }

    mutating func removeAll() { (pieces, sent) = ([], 0) }

    /// Sends the next bytes: a long piece from where it is, several short ones together in `buffer`, which saves system
    /// calls. Returns how many bytes were sent, at most as many as fit in `buffer`.
    mutating func sendNext(
        _ buffer: UnsafeMutableRawBufferPointer, _ send: (UnsafeRawBufferPointer) throws(AsyncNetError) -> Int
    ) throws(AsyncNetError) -> Int {
        guard let first = pieces.first else { return 0 }
        let count: Int
        if pieces.count == 1 || first.count - sent >= buffer.count {
            count = try first.withBytes { bytes throws(AsyncNetError) in
                try send(UnsafeRawBufferPointer(rebasing: bytes[sent...].prefix(buffer.count)))
            }
        } else {
            count = try send(UnsafeRawBufferPointer(rebasing: buffer[..<gather(in: buffer)]))
        }
        advance(count)
        return count
    }

    private func gather(in buffer: UnsafeMutableRawBufferPointer) -> Int {
        var (filled, start) = (0, sent)
        for piece in pieces where filled < buffer.count {
            let part = piece.dropFirst(start).prefix(buffer.count - filled)
            part.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            filled += part.count
            start = 0
        }
        return filled
    }

    private mutating func advance(_ count: Int) {
        sent += count
        while let first = pieces.first, sent >= first.count {
            sent -= first.count
            _ = pieces.takeFirst(leaving: Data())
        }
    }
}
