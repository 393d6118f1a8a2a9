import AsyncNet
import Foundation

/// Two connections in memory, each of which receives what the other one sends. For an end that reads nothing, at most
/// 256 KiB and one piece wait.
final class PipedPair: Sendable {
    private struct Ends {
        weak var client: PipedConnection?
        weak var server: PipedConnection?
    }

    private let ends = Locked(Ends())
    private let progress = Locked(Progress())

    private struct Progress {
        var isRunning = false
        var isNeeded = false
    }

    /// The pieces for which the receiving end had no room yet. Used only by the call of `work` that moves bytes.
    private let toClient = Locked(PipedDirection())
    private let toServer = Locked(PipedDirection())

    static func make(_ info: ConnectionInfo) -> (client: PipedConnection, server: PipedConnection) {
        let pair = PipedPair()
        let client = PipedConnection(info: info) { pair.work() }
        let server = PipedConnection { pair.work() }
        pair.ends.withLock { $0 = Ends(client: client, server: server) }
        return (client, server)
    }

    /// Moves bytes both ways. A call during another one, on any thread, only makes that one move bytes again.
    private func work() {
        let isFirst = progress.withLock { progress in
            progress.isNeeded = true
            defer { progress.isRunning = true }
            return !progress.isRunning
        }
        guard isFirst else { return }
        while takesNext() { move() }
    }

    private func takesNext() -> Bool {
        progress.withLock { progress in
            progress.isRunning = progress.isNeeded
            defer { progress.isNeeded = false }
            return progress.isNeeded
        }
    }

    private func move() {
        let (client, server) = ends.withLock { ($0.client, $0.server) }
        toServer.withLock { $0.move(from: client, to: server) }
        toClient.withLock { $0.move(from: server, to: client) }
    }
}

/// One direction of a pair.
private struct PipedDirection: Sendable {
    private var pieces: ArraySlice<Data> = []

    mutating func move(from sender: PipedConnection?, to receiver: PipedConnection?) {
        guard let sender, !sender.wasAborted else {
            receiver?.didClose(AsyncNetError(.connectionLost))
            return
        }
        guard let receiver else { return }
        let outgoing = sender.takeOutgoing()
        pieces += outgoing.pieces
        while !pieces.isEmpty, receiver.receivingRoom() > 0, let piece = pieces.popFirst() {
            receiver.didReceive(piece)
            sender.didSend(piece.count)
        }
        guard pieces.isEmpty else { return }
        if outgoing.isLast || outgoing.closes { receiver.didEndReceiving() }
        guard outgoing.closes else { return }
        sender.didClose(nil)
        receiver.didClose(AsyncNetError(.connectionLost))
    }
}
