import CAsyncNetSockets
import Foundation

/// Connects to the first of a host's addresses that answers (RFC 8305). Used only under its loop's lock.
final class ConnectRace {
    let addresses: [SocketAddress]
    private let configuration: SocketTransport.Configuration
    private unowned let thread: LoopThread
    private let end: (Result<SocketStream, AsyncNetError>) -> Void
    private var eyeballs: HappyEyeballs
    private var attempts: [ConnectAttempt] = []
    private var delay: LoopTimers.ID?
    private var retry: LoopTimers.ID?
    private var firstError: AsyncNetError?
    private static let probes: Int32 = 9

    /// - Parameter end: Called once, unless the race is stopped before.
    init(
        _ addresses: [SocketAddress], _ configuration: SocketTransport.Configuration, _ thread: LoopThread,
        end: @escaping (Result<SocketStream, AsyncNetError>) -> Void
    ) {
        self.addresses = addresses
        self.configuration = configuration
        self.thread = thread
        self.end = end
        eyeballs = HappyEyeballs(areIPv6: addresses.map(\.isIPv6))
    }

    func start() { perform(eyeballs.advance()) }

    private func perform(_ action: HappyEyeballs.Action) {
        var action = action
        while case .attempt(let index) = action {
            if begin(addresses[index]) { return waitForNext() }
            action = eyeballs.attemptFailed()
        }
        guard case .fail = action else { return }
        stop()
        end(.failure(firstError ?? AsyncNetError(.hostNotFound, "The host has no address of the wanted IP version")))
    }

    private func waitForNext() {
        thread.cancel(&delay)
        guard eyeballs.hasMore else { return }
        delay = thread.schedule(after: HappyEyeballs.attemptDelay) { [weak self] in
            guard let self else { return }
            delay = nil
            perform(eyeballs.advance())
        }
    }

    private func begin(_ address: SocketAddress) -> Bool {
        do throws(AsyncNetError) {
            let stream = try open(address)
            let error = stream.connect(to: address)
            if error == EAGAIN, address.family == AF_UNIX {
                tryAgain(address)
                return true
            }
            guard error == 0 || error == EINPROGRESS else {
                throw SocketErrors.connecting(POSIXError(error), configuration.unixSocket)
            }
            attempts.append(try ConnectAttempt(stream, self))
            return true
        } catch {
            firstError = firstError ?? error
            return false
        }
    }

    /// Connects again in 10 ms to a unix socket whose listener's queue is full: no event tells when it has room.
    private func tryAgain(_ address: SocketAddress) {
        thread.cancel(&retry)
        retry = thread.schedule(after: .milliseconds(10)) { [weak self] in
            guard let self else { return }
            retry = nil
            if !begin(address) { perform(eyeballs.attemptFailed()) }
        }
    }

    private func open(_ address: SocketAddress) throws(AsyncNetError) -> SocketStream {
        let socket = an_open_socket(address.family)
        guard socket >= 0 else { throw SocketErrors.connecting(SystemError.last, configuration.unixSocket) }
        let stream = SocketStream(socket, thread)
        guard address.family != AF_UNIX else { return stream }
        if let seconds = configuration.keepAliveSeconds {
            try check(an_keep_alive(socket, seconds, seconds, Self.probes), "tcpKeepAlive")
        }
        if let limit = configuration.userTimeoutMilliseconds {
            try check(an_user_timeout(socket, limit), "tcpUserTimeout")
        }
        if let local = configuration.localInterface { try bind(socket, to: local) }
        return stream
    }

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
        let error = attempt.stream.connectOutcome
        attempt.stream.unwatch()
        attempts.removeAll { $0 === attempt }
        guard error == 0 else {
            firstError = firstError ?? SocketErrors.connecting(POSIXError(error), configuration.unixSocket)
            return perform(eyeballs.attemptFailed())
        }
        stop()
        end(.success(attempt.stream))
    }

    func stop() {
        for attempt in attempts { attempt.stream.unwatch() }
        attempts = []
        thread.cancel(&delay)
        thread.cancel(&retry)
    }
}

private final class ConnectAttempt: LoopHandler {
    let stream: SocketStream
    private unowned let race: ConnectRace

    init(_ stream: SocketStream, _ race: ConnectRace) throws(AsyncNetError) {
        self.stream = stream
        self.race = race
        try stream.watch(self, for: .writable)
    }

    func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn {
        race.connected(self)
        return .done
    }
}
