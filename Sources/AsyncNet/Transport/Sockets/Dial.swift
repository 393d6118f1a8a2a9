import CAsyncNetSockets
import Foundation

/// When the steps of a connection's opening were complete.
struct OpeningTimes {
    var lookup: ContinuousClock.Instant?
    var connect: ContinuousClock.Instant?
    var handshake: ContinuousClock.Instant?
}

/// Opens one connection: looks the name up, connects to its addresses (RFC 8305), and makes the TLS handshake; all within the
/// connect timeout. Used on its loop's thread only.
final class Dial {
    typealias Outcome = Result<(SocketStream, OpeningTimes), AsyncNetError>

    let endpoint: ServerEndpoint
    private unowned let engine: SocketEngine
    private let makeTLS: () throws(AsyncNetError) -> TLSSession?
    private var end: ((Outcome) -> Void)?
    private var times = OpeningTimes()
    private var addresses: [SocketAddress] = []
    private var eyeballs = HappyEyeballs(areIPv6: [])
    private var attempts: [ConnectAttempt] = []
    private var handshake: Handshake?
    private var firstError: AsyncNetError?
    private var deadline: LoopTimers.ID?
    private var delay: LoopTimers.ID?

    /// - Parameters:
    ///   - makeTLS: The TLS to begin once the server is connected to; `nil` for a connection without it.
    ///   - end: Called once, not from within `init`.
    init(
        _ endpoint: ServerEndpoint, makeTLS: @escaping () throws(AsyncNetError) -> TLSSession?, _ engine: SocketEngine,
        end: @escaping (Outcome) -> Void
    ) {
        (self.endpoint, self.makeTLS, self.engine, self.end) = (endpoint, makeTLS, engine, end)
    }

    func start() {
        let limit = engine.configuration.connectTimeout
        deadline = engine.thread.schedule(after: limit) { [weak self] in
            self?.finish(.failure(AsyncNetError(.timedOut, "The connection was not made within \(limit)")))
        }
        do throws(AsyncNetError) {
            if let known = try knownAddresses() { connect(to: known) } else { lookUp() }
        } catch {
            finish(.failure(error))
        }
    }

    // MARK: Addresses

    /// The addresses that need no lookup.
    private func knownAddresses() throws(AsyncNetError) -> [SocketAddress]? {
        if let path = engine.configuration.unixSocket {
            return SocketAddress(unixSocket: path).map { [$0] }
        }
        if let texts = engine.addresses["\(endpoint.host):\(endpoint.port)"] {
            return texts.compactMap { SocketAddress(numeric: $0, port: endpoint.port) }
        }
        if let address = SocketAddress(numeric: endpoint.host, port: endpoint.port) { return [address] }
        guard !endpoint.host.utf8.contains(UInt8(ascii: ":")) else {
            throw AsyncNetError(.hostNotFound, "The address has a zone that is no interface of this machine")
        }
        return nil
    }

    private func lookUp() {
        let family =
            switch engine.configuration.ipVersion {
            case .any: AF_UNSPEC
            case .v4: AF_INET
            case .v6: AF_INET6
            }
        let (loop, id) = (engine.thread.loop, DialID(self))
        engine.names.addresses(of: .init(name: endpoint.host, family: Int32(family))) { answer in
            loop.post { _ in id.dial?.receive(answer) }
        }
    }

    private func receive(_ answer: NameLookup.Answer) {
        switch answer {
        case .success(let found): connect(to: found.map { SocketAddress($0.raw, port: endpoint.port) })
        case .failure(let error): finish(.failure(error))
        }
    }

    // MARK: Connecting

    private func connect(to all: [SocketAddress]) {
        guard end != nil else { return }
        times.lookup = engine.thread.now
        addresses = all.filter { address in
            switch engine.configuration.ipVersion {
            case .any: true
            case .v4: !address.isIPv6
            case .v6: address.isIPv6 || address.family == AF_UNIX
            }
        }
        eyeballs = HappyEyeballs(areIPv6: addresses.map(\.isIPv6))
        perform(eyeballs.start())
    }

    private func perform(_ action: HappyEyeballs.Action) {
        var action = action
        while case .attempt(let index) = action, end != nil {
            if begin(addresses[index]) { return waitForNext() }
            action = eyeballs.attemptFailed()
        }
        guard case .fail = action else { return }
        finish(.failure(firstError ?? AsyncNetError(.hostNotFound, "The host has no address of the wanted IP version")))
    }

    private func waitForNext() {
        if let delay { engine.thread.cancel(delay) }
        delay = nil
        guard eyeballs.hasMore else { return }
        delay = engine.thread.schedule(after: HappyEyeballs.attemptDelay) { [weak self] in
            guard let self else { return }
            delay = nil
            perform(eyeballs.delayEnded())
        }
    }

    private func begin(_ address: SocketAddress) -> Bool {
        do throws(AsyncNetError) {
            let stream = try open(address)
            let error = withUnsafePointer(to: address.raw) { an_connect(stream.socket, $0) }
            guard error == 0 || error == EINPROGRESS else {
                throw SocketErrors.connecting(POSIXError(error), engine.configuration.unixSocket)
            }
            attempts.append(try ConnectAttempt(stream, self, engine.thread))
            return true
        } catch {
            firstError = firstError ?? error
            return false
        }
    }

    private func open(_ address: SocketAddress) throws(AsyncNetError) -> SocketStream {
        let socket = an_open_socket(address.family)
        guard socket >= 0 else { throw SocketErrors.connecting(SystemError.last, engine.configuration.unixSocket) }
        let stream = SocketStream(socket)
        guard address.family != AF_UNIX else { return stream }
        if let seconds = engine.configuration.keepAliveSeconds {
            try check(an_keep_alive(socket, seconds, seconds, Self.probes), "tcpKeepAlive")
        }
        if let local = engine.configuration.localInterface { try bind(socket, to: local) }
        return stream
    }

    /// How often a silent peer is asked.
    private static let probes: Int32 = 9

    /// An address, or the name of an interface.
    private func bind(_ socket: Int32, to local: String) throws(AsyncNetError) {
        guard let address = SocketAddress(numeric: local, port: 0) else {
            return try check(an_bind_interface(socket, local), "localInterface")
        }
        try check(withUnsafePointer(to: address.raw) { an_bind_address(socket, $0) }, "localInterface")
    }

    private func check(_ error: Int32, _ setting: String) throws(AsyncNetError) {
        guard error != 0 else { return }
        let cause = POSIXError(error)
        throw AsyncNetError(
            .cannotConnect, "The system refused \(setting) (\(SystemError.text(cause)))", underlyingError: cause)
    }

    fileprivate func connected(_ attempt: ConnectAttempt) {
        let error = an_connect_outcome(attempt.stream.socket)
        attempt.stop(engine.thread)
        attempts.removeAll { $0 === attempt }
        guard error == 0 else {
            firstError = firstError ?? SocketErrors.connecting(POSIXError(error), engine.configuration.unixSocket)
            return perform(eyeballs.attemptFailed())
        }
        times.connect = engine.thread.now
        stopAttempts()
        secure(attempt.stream)
    }

    private func stopAttempts() {
        for attempt in attempts { attempt.stop(engine.thread) }
        attempts = []
        if let delay { engine.thread.cancel(delay) }
        delay = nil
    }

    // MARK: TLS

    private func secure(_ stream: SocketStream) {
        do throws(AsyncNetError) {
            guard let session = try makeTLS() else { return finish(.success((stream, times))) }
            stream.start(session)
            handshake = try Handshake(stream, session, self, engine.thread)
            handshake?.begin(engine.thread)
        } catch {
            finish(.failure(error))
        }
    }

    fileprivate func secured(_ stream: SocketStream, _ result: Result<Void, AsyncNetError>) {
        times.handshake = engine.thread.now
        finish(result.map { (stream, times) })
    }

    /// Ends without an outcome that anybody waits for.
    func cancel() { finish(.failure(AsyncNetError(.cancelled))) }

    private func finish(_ outcome: Outcome) {
        guard let end = end.take() else { return }
        stopAttempts()
        handshake?.stop(engine.thread)
        handshake = nil
        if let deadline { engine.thread.cancel(deadline) }
        if case .failure = outcome { engine.names.forget(.init(name: endpoint.host, family: Int32(AF_UNSPEC))) }
        end(outcome)
    }
}

/// A dial as other threads name it: used again on its loop's thread only.
///
/// Unchecked: the reference is read on the loop's thread only.
private final class DialID: @unchecked Sendable {
    weak var dial: Dial?
    init(_ dial: Dial) { self.dial = dial }
}

/// A socket that connects.
final class ConnectAttempt: LoopHandler {
    let stream: SocketStream
    private unowned let dial: Dial
    private var id: LoopSocketID?

    init(_ stream: SocketStream, _ dial: Dial, _ thread: LoopThread) throws(AsyncNetError) {
        (self.stream, self.dial) = (stream, dial)
        id = try thread.watch(stream.socket, self, for: .writable)
    }

    func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn {
        dial.connected(self)
        return .done
    }

    func stop(_ thread: LoopThread) {
        if let id = id.take() { thread.unwatch(id, stream.socket) }
    }
}

/// A TLS handshake, given to OpenSSL in small portions: each may make it compute a signature.
final class Handshake: LoopHandler {
    private let stream: SocketStream
    private let session: TLSSession
    private unowned let dial: Dial
    private var id: LoopSocketID?
    private static let portion = 4096

    init(_ stream: SocketStream, _ session: TLSSession, _ dial: Dial, _ thread: LoopThread) throws(AsyncNetError) {
        (self.stream, self.session, self.dial) = (stream, session, dial)
        id = try thread.watch(stream.socket, self, for: .readable)
    }

    func begin(_ thread: LoopThread) { _ = step(thread) }

    func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn {
        if readiness.contains(.writable) { stream.becameWritable() }
        return step(thread)
    }

    private func step(_ thread: LoopThread) -> Turn {
        do throws(AsyncNetError) {
            if try session.handshake() == .done {
                try session.checkServer()
                try stream.flush()
                dial.secured(stream, .success(()))
                return .done
            }
            try stream.flush()
            if let id { thread.change(id, stream.socket, to: stream.isBlocked ? [.readable, .writable] : .readable) }
            return try receive(thread)
        } catch {
            // The alert that says why.
            _ = try? stream.flush()
            dial.secured(stream, .failure(error))
            return .done
        }
    }

    private func receive(_ thread: LoopThread) throws(AsyncNetError) -> Turn {
        let room = UnsafeMutableRawBufferPointer(rebasing: thread.scratchBuffer[..<Self.portion])
        switch try stream.takeInput(room) {
        case .wouldBlock: return .done
        case .end:
            throw AsyncNetError(.tlsHandshakeFailed, "The server closed the connection during the TLS handshake")
        case .bytes:
            let progress = try session.handshake()
            try stream.flush()
            stream.endTurn()
            guard progress == .done else { return .more }
            try session.checkServer()
            dial.secured(stream, .success(()))
            return .done
        }
    }

    func stop(_ thread: LoopThread) {
        if let id = id.take() { thread.unwatch(id, stream.socket) }
    }
}
