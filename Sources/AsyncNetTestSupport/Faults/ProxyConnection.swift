import Foundation

/// A client's connection and the server's, with one flow each way. Used only by the proxy's thread.
final class ProxyConnection {
    /// One peer, with the flow of the bytes that it sends.
    private struct Side {
        let socket: Socket
        var flow: FaultedFlow
        /// Whether the peer has not ended its direction.
        var isOpen = true
        /// Whether a write to the peer has failed.
        var hasFailed = false
        /// Whether the next bytes for this peer wait for room in the socket.
        var isFull = false
    }

    /// What a step leads to.
    enum Step: Equatable {
        /// The connection goes on. Its next step is due at this time; with `nil`, when a socket is ready.
        case goesOn(Duration?)
        case ended
    }

    /// How long the bytes of peers are still read when the proxy has closed the connection: unread bytes would turn the
    /// close into a reset, which can destroy what was written before.
    private static let lingering = Duration.seconds(1)

    let number: Int
    private var client: Side
    private var server: Side
    /// When a connection that the proxy is closing is closed at the latest; `nil` before.
    private var closing: Duration?

    init(number: Int, client: Socket, server: Socket, seed: UInt64) {
        self.number = number
        let (up, down) = (UInt64(truncatingIfNeeded: number) &* 2, UInt64(truncatingIfNeeded: number) &* 2 &+ 1)
        self.client = Side(socket: client, flow: FaultedFlow(random: SplitMix(seed: seed, stream: up)))
        self.server = Side(socket: server, flow: FaultedFlow(random: SplitMix(seed: seed, stream: down)))
    }

    /// The number of bytes that faults have dropped.
    var droppedBytes: Int { client.flow.droppedBytes + server.flow.droppedBytes }
    var clientDescriptor: Int32 { client.socket.descriptor }
    var serverDescriptor: Int32 { server.socket.descriptor }
    var clientInterest: Interest { interest(client) }
    var serverInterest: Interest { interest(server) }

    /// What to wait for on a socket.
    struct Interest: Equatable {
        let reading: Bool
        let writing: Bool
    }

    private func interest(_ side: Side) -> Interest {
        Interest(reading: side.isOpen && (closing != nil || side.flow.wantsBytes), writing: side.isFull)
    }

    func change(_ faults: FaultTable, now: Duration) {
        client.flow.change(faults.faults(of: number, .upstream), now: now)
        server.flow.change(faults.faults(of: number, .downstream), now: now)
    }

    func reset() {
        client.socket.reset()
        server.socket.reset()
    }

    func close() {
        client.socket.close()
        server.socket.close()
    }

    // MARK: Steps

    /// Does all that can be done now. After `.ended` the sockets are closed.
    func step(now: Duration, _ buffer: inout [UInt8]) -> Step {
        if closing == nil {
            read(&client, now, &buffer)
            read(&server, now, &buffer)
            let first = write(from: &client, to: &server, now)
            let second = write(from: &server, to: &client, now)
            if first == .reset || second == .reset { return ended { reset() } }
            if client.flow.isDone, server.flow.isDone { return ended { close() } }
            guard first == .close || second == .close else {
                return .goesOn([first.due, second.due].compactMap(\.self).min())
            }
            beginToClose(now)
        }
        return linger(now, &buffer)
    }

    private func ended(_ end: () -> Void) -> Step {
        end()
        return .ended
    }

    private func read(_ side: inout Side, _ now: Duration, _ buffer: inout [UInt8]) {
        while side.isOpen, side.flow.wantsBytes {
            do {
                guard let bytes = try side.socket.readAtOnce(&buffer) else { return }
                side.flow.receive(bytes, now: now)
                guard bytes.isEmpty else { continue }
                side.isOpen = false
                // After a failed write the end is a reset: the write has already got the error, so `recv` reports none.
                side.flow.finish(side.hasFailed ? .reset : .finished, now: now)
            } catch {
                side.isOpen = false
                side.flow.finish(.reset, now: now)
            }
        }
    }

    /// What a direction does next.
    private enum Next: Equatable {
        case waits(until: Duration?)
        case close
        case reset

        var due: Duration? { if case .waits(let due) = self { due } else { nil } }
    }

    private func write(from source: inout Side, to destination: inout Side, _ now: Duration) -> Next {
        destination.isFull = false
        while true {
            switch source.flow.next(now: now) {
            case .wait(let due): return .waits(until: due)
            case .close: return .close
            case .reset: return .reset
            case .finish: destination.socket.finishWriting()
            case .write(let bytes):
                do {
                    let count = try destination.socket.writeAtOnce(bytes)
                    source.flow.wrote(count)
                    guard count < bytes.count else { continue }
                    destination.isFull = true
                    return .waits(until: nil)
                } catch {
                    destination.hasFailed = true
                    source.flow.abandon()
                }
            }
        }
    }

    // MARK: Closing

    private func beginToClose(_ now: Duration) {
        closing = now + Self.lingering
        for side in [client, server] { side.socket.finishWriting() }
        (client.isFull, server.isFull) = (false, false)
    }

    /// Reads and drops what the peers send, until both have ended or a second has passed.
    private func linger(_ now: Duration, _ buffer: inout [UInt8]) -> Step {
        drop(&client, &buffer)
        drop(&server, &buffer)
        guard let closing, now < closing, client.isOpen || server.isOpen else { return ended { close() } }
        return .goesOn(closing)
    }

    private func drop(_ side: inout Side, _ buffer: inout [UInt8]) {
        while side.isOpen {
            do {
                guard let bytes = try side.socket.readAtOnce(&buffer) else { return }
                if bytes.isEmpty { side.isOpen = false }
            } catch {
                side.isOpen = false
            }
        }
    }
}
