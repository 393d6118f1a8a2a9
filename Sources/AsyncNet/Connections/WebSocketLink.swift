import Foundation

/// One connection of a WebSocket with the state of its protocol. Used only by the WebSocket's actor.
final class WebSocketLink {
    private struct Ping {
        let payload: Data
        let start: Duration
        /// The round trip that a caller of `ping()` waits for; `nil` for an automatic ping.
        let answer: Promise<Duration>?
    }

    let connection: any DuplexConnection
    let head: HTTPResponseHead
    let agreement: WebSocketAgreement
    var machine: WebSocketMachine
    private let fragmentSize: Int?
    private let events: ConnectionEvents
    private var pings: [Ping] = []
    private var lastPing: UInt64 = 0
    /// How many automatic pings in a row the server has left without a pong and without other bytes.
    private(set) var missedPongs = 0
    private var pongs = 0

    init(
        _ upgraded: UpgradeTransport.Upgraded, _ head: HTTPResponseHead, _ agreement: WebSocketAgreement,
        _ options: WebSocketOptions, _ events: ConnectionEvents
    ) {
        connection = upgraded.connection
        self.head = head
        self.agreement = agreement
        self.events = events
        fragmentSize = options.fragmentSize.map { max(1, $0) }
        machine = WebSocketMachine(
            role: .client, compression: agreement.compression, limits: options.limits)
        machine.receive(upgraded.received)
    }

    deinit { failPings(AsyncNetError(.webSocketClosed)) }

    /// Waits for bytes, and passes them to the machine.
    func receive() async throws(AsyncNetError) {
        let bytes: Data?
        do { bytes = try await connection.receive() } catch {
            throw AsyncNetError(wrapping: error, as: .transportFailed)
        }
        guard let bytes else {
            throw AsyncNetError(.connectionLost, "The server closed the connection without closing the WebSocket")
        }
        missedPongs = 0
        machine.receive(bytes)
    }

    func send(_ message: WebSocketMessage) throws(AsyncNetError) {
        try write(try machine.encode(message, fragmentSize: fragmentSize))
        events.send(.sentMessage(isText: message.isText, bytes: message.size))
    }

    private func write(_ frame: Data) throws(AsyncNetError) {
        do { try connection.send(frame) } catch { throw AsyncNetError(wrapping: error, as: .transportFailed) }
    }

    /// Waits until few bytes are unsent.
    func sendingRoom() async throws(AsyncNetError) {
        do { try await connection.sendingRoom() } catch {
            throw AsyncNetError(wrapping: error, as: .transportFailed)
        }
    }

    /// Waits for sending room after each thousand pongs: the pings of a server that reads nothing must not fill memory.
    func pongsAreSent() async throws(AsyncNetError) {
        pongs += 1
        if pongs.isMultiple(of: 1000) { try await sendingRoom() }
    }

    /// - Parameter answer: Fulfilled by the pong; `nil` for an automatic ping, which counts towards `missedPongs`.
    func sendPing(at now: Duration, _ answer: Promise<Duration>?) throws(AsyncNetError) {
        lastPing += 1
        let payload = withUnsafeBytes(of: lastPing.bigEndian) { Data($0) }
        try write(try machine.encodePing(payload))
        // Only the last automatic ping is kept: a server may send messages and no pong to any ping.
        if answer == nil { pings.removeAll { $0.answer == nil } }
        pings.append(Ping(payload: payload, start: now, answer: answer))
        if answer == nil { missedPongs += 1 }
    }

    /// Ends the wait for the pong's ping and for all earlier pings (RFC 6455 §5.5.3).
    func receivePong(_ payload: Data, at now: Duration) {
        guard let last = pings.lastIndex(where: { $0.payload == payload }) else { return }
        events.send(.ponged(after: now - pings[last].start))
        for ping in pings[...last] { ping.answer?.fulfil(.success(now - ping.start)) }
        pings.removeSubrange(...last)
    }

    func forgetPing(_ answer: Promise<Duration>) { pings.removeAll { $0.answer === answer } }

    func failPings(_ error: AsyncNetError) {
        for ping in pings { ping.answer?.fulfil(.failure(error)) }
        pings = []
    }

    /// Sends a frame that the protocol requires. Ignores an error: the next receive from the failed connection throws
    /// it.
    func sendRequired(_ frame: Data?) {
        if let frame { try? connection.send(frame) }
    }
}
