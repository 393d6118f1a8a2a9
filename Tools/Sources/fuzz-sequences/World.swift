import Foundation
import Synchronization

/// All servers that a sequence meets. They stay for the whole run; what they reply follows from the sequence's seed.
final class World: Sendable {
    let plain: PlainServer
    let http2Port, handshakePort, proxyPort, socksPort, flipPort: Int
    /// `nil` where there is no python3 or openssl.
    let secure: SecureServer?
    /// Connections that servers have open.
    let open: Gauge
    private let counter: ConnectionCounter

    init(needsTLS: Bool) throws {
        let (open, counter) = (Gauge(), ConnectionCounter())
        (self.open, self.counter) = (open, counter)
        let plain = Deferred<PlainServer>()
        let ports = try (0..<2).map { _ in try Listener(counting: open) { plain.value?.serve($0) }.port }
        self.plain = PlainServer(port: ports[0], otherPort: ports[1])
        plain.value = self.plain
        http2Port = try Listener(counting: open) { HTTP2Server.serve($0, counter.next()) }.port
        handshakePort = try Listener(counting: open) { socket in
            var random = counter.next()
            TLSReplies.serve(socket, &random)
        }.port
        secure = needsTLS ? try SecureServer(plainPort: ports[0], http2Port: http2Port) : nil
        let securePort = secure?.port ?? handshakePort
        let proxy = ProxyServer(securePort: securePort, plain: self.plain)
        proxyPort = try Listener(counting: open) { proxy.serve($0, counter.next()) }.port
        socksPort = try Listener(counting: open) { proxy.serveSOCKS($0, counter.next()) }.port
        flipPort = try Listener(counting: open) { socket in
            guard let server = Socket.connect(port: securePort) else { return }
            Relay.run(client: socket, server: server, change: Relay.flipping(counter.next()))
        }.port
    }

    func begin(_ seed: UInt64) { counter.begin(seed) }
}

/// Numbers the connections of a sequence, where nothing says which request they are for.
private final class ConnectionCounter: Sendable {
    private let state = Mutex<(seed: UInt64, count: Int)>((0, 0))

    func begin(_ seed: UInt64) { state.withLock { $0 = (seed, 0) } }

    func next() -> Randomness {
        state.withLock { state in
            state.count += 1
            return Randomness(seed: state.seed, -1, state.count)
        }
    }
}

/// A value that is there before it is first asked for.
private final class Deferred<Value: Sendable>: Sendable {
    private let stored = Mutex<Value?>(nil)
    var value: Value? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
