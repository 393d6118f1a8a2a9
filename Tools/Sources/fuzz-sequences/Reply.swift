import Foundation

/// What a server does with a connection once it has read a request.
struct Reply {
    enum End {
        /// The next request is read.
        case keep
        /// No more is sent, and what the client sends is read until it goes.
        case endWriting
        case close
        case reset
        /// Nothing happens until the client goes.
        case silence
    }

    /// Sent one after the other, with a pause between them if `isSlow`.
    var pieces: [Data]
    var isSlow = false
    var end = End.keep

    init(_ data: Data, end: End = .keep) {
        pieces = [data]
        self.end = end
    }

    /// The same bytes, sometimes in pieces, and sometimes with another end than was meant.
    func scattered(_ random: inout Randomness) -> Reply {
        var copy = self
        if random.chance(0.25) {
            copy.pieces = pieces.flatMap { Self.cut($0, &random) }
            copy.isSlow = random.chance(0.3)
        }
        if random.chance(0.05) { copy.end = random.pick([.keep, .endWriting, .close, .reset]) }
        return copy
    }

    private static func cut(_ data: Data, _ random: inout Randomness) -> [Data] {
        var (pieces, rest) = ([Data](), data[...])
        while !rest.isEmpty, pieces.count < 12 {
            let count = max(1, random.size(upTo: rest.count))
            pieces.append(Data(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return rest.isEmpty ? pieces : pieces + [Data(rest)]
    }

    /// Does it. `true` if the connection goes on.
    func play(on socket: Socket) -> Bool {
        for (index, piece) in pieces.enumerated() {
            if isSlow, index > 0 { usleep(300) }
            guard socket.send(piece) else { return false }
        }
        switch end {
        case .keep: return true
        case .close: return false
        case .reset:
            socket.willReset()
            return false
        case .endWriting:
            socket.endWriting()
            while socket.receive() != nil {}
            return false
        case .silence:
            while socket.receive() != nil {}
            return false
        }
    }
}
