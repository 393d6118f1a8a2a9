import CLibcurl
import Foundation
import Synchronization

/// A thread that moves the bytes of many requests through one of libcurl's multi handles.
///
/// Everybody else talks to it through the inbox: commands are appended under its lock, and only the first of a burst
/// wakes the thread. A round is: take the commands, let libcurl work, tell those who are done, start others in their
/// place, hand on what arrived for the rest; then sleep until a socket, a timer or the inbox has something.
///
/// Everything that is not the inbox, the bell or `load` belongs to the thread, which is why this is sendable though the
/// compiler cannot see it. The bell holds the multi handle for wake-ups, which are system calls and so have a lock of
/// their own; the handle is freed only after it was taken from there. The thread holds the loop and ends once it is
/// closed and all is done.
final class LibcurlLoop: @unchecked Sendable {
    enum Command {
        case start(LibcurlExchange)
        case cancel(LibcurlExchange)
        /// The reader has made room.
        case receive(LibcurlExchange)
        /// The body has more to send.
        case send(LibcurlExchange)
    }

    /// libcurl's multi handle. The thread alone uses it, but for wake-ups, which libcurl allows.
    private struct Multi: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private struct Inbox {
        var commands: [Command] = []
        var isRunning = false
        var isAwake = false
        var isClosing = false
        /// Nothing is taken any more.
        var isEnded = false
        /// Everything is freed.
        var hasEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: LibcurlTransport.Configuration
    private let limits: Limits
    private let inbox = Locked(Inbox())
    private let bell = Locked<Multi?>(nil)
    /// Requests that have been submitted and are not over.
    let load = Atomic(0)

    private var spare: [LibcurlHandle] = []
    private var touchedHandles: [LibcurlHandle] = []
    private var origins: [OriginKey: OriginQueue] = [:]
    /// Those that are paused until their bodies go on, and when they were last looked at.
    private var awaitingBody: [LibcurlHandle] = []
    private var lastPeerCheck = ContinuousClock.now
    let connections = LoopConnections()
    private var active = 0
    /// Somebody waits though their own origin has room.
    private var isCrowded = false
    private var hasStarted = false
    private var idleSince: ContinuousClock.Instant?
    var httpVersion: LibcurlTransport.HTTPVersion { configuration.httpVersion }
    var proxy: ProxyConfiguration { configuration.proxy }
    var proxyHost: String? { configuration.proxy.host }
    var unixSocket: String? { configuration.unixSocket }
    /// Made by the thread, for its handles.
    private var template: LibcurlTemplate?

    /// One loop's part of what the transport may use.
    struct Limits {
        var connectionsPerHost: Int
        var connections: Int
        /// Connections that stay open once their requests are over.
        var keptConnections: Int
    }

    private static let spareHandles = 64
    private static let streamsPerConnection = 100
    private static let longestWait: Int32 = 3_600_000
    /// Milliseconds.
    private static let peerCheckInterval: Int32 = 250

    init(_ configuration: LibcurlTransport.Configuration, _ limits: Limits) {
        self.configuration = configuration
        self.limits = limits
    }

    // MARK: From any thread

    func submit(_ exchange: LibcurlExchange) throws(AsyncNetError) {
        let (refusal, mustWake) = inbox.withLock { inbox -> (AsyncNetError?, Bool) in
            guard !inbox.isClosing else {
                return (AsyncNetError(.sessionFinished, "The transport is shut down"), false)
            }
            guard startIfNeeded(&inbox) else {
                return (
                    AsyncNetError(.transportFailed, "libcurl cannot start; file descriptors may have run out"), false
                )
            }
            return (nil, add(.start(exchange), to: &inbox))
        }
        if let refusal { throw refusal }
        load.add(1, ordering: .relaxed)
        if mustWake { wake() }
    }

    func post(_ command: Command) {
        let mustWake = inbox.withLock { $0.isEnded ? false : add(command, to: &$0) }
        if mustWake { wake() }
    }

    /// Takes no more requests and ends after those it has.
    func close() {
        let mustWake = inbox.withLock { inbox in
            inbox.isClosing = true
            if !inbox.isRunning { (inbox.isEnded, inbox.hasEnded) = (true, true) }
            return inbox.isRunning
        }
        if mustWake { wake() }
    }

    /// Waits for the end of a loop that is closed.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let hasEnded = inbox.withLock { inbox in
                if !inbox.hasEnded { inbox.waiting.append(continuation) }
                return inbox.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Whether the thread must be woken for it.
    private func add(_ command: Command, to inbox: inout Inbox) -> Bool {
        inbox.commands.append(command)
        defer { inbox.isAwake = true }
        return !inbox.isAwake && inbox.isRunning
    }

    private func wake() {
        bell.withLock { multi in
            if let multi { lc_multi_wake(multi.pointer) }
        }
    }

    private func startIfNeeded(_ inbox: inout Inbox) -> Bool {
        guard !inbox.isRunning else { return true }
        guard let multi = makeMulti() else { return false }
        bell.withLock { $0 = multi }
        (inbox.isRunning, inbox.isAwake) = (true, true)
        let thread = Thread { self.run(multi) }
        thread.name = "AsyncNet.curl"
        thread.start()
        return true
    }

    private func makeMulti() -> Multi? {
        guard let pointer = lc_multi_new() else { return nil }
        let multi = Multi(pointer: pointer)
        lc_multi_set_long(multi.pointer, Int32(LC_M_MAX_HOST_CONNECTIONS), limits.connectionsPerHost)
        lc_multi_set_long(multi.pointer, Int32(LC_M_MAX_TOTAL_CONNECTIONS), limits.connections)
        lc_multi_set_long(multi.pointer, Int32(LC_M_MAXCONNECTS), limits.keptConnections)
        return multi
    }

    // MARK: The thread

    /// Signals belong to the program's own threads; a broken pipe shows as an error where it happens.
    private func blockSignals() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
    }

    private func run(_ first: Multi) {
        blockSignals()
        var multi = first
        while true {
            for command in takeCommands() { execute(command, multi) }
            hasStarted = false
            lc_multi_perform(multi.pointer)
            finishDone(multi)
            flushTouched()
            checkPeers()
            if hasStarted { continue }
            if let renewed = dropIdleConnections(multi) { multi = renewed }
            switch rest() {
            case .work: continue
            case .sleep(let milliseconds): lc_multi_wait(multi.pointer, milliseconds)
            case .end: return end(multi)
            }
        }
    }

    private func takeCommands() -> [Command] {
        inbox.withLock { inbox in
            defer { inbox.commands = [] }
            return inbox.commands
        }
    }

    private enum Rest {
        case work
        case sleep(Int32)
        case end
    }

    private func rest() -> Rest {
        inbox.withLock { inbox in
            guard inbox.commands.isEmpty else { return .work }
            if inbox.isClosing, active == 0, origins.isEmpty {
                inbox.isEnded = true
                return .end
            }
            inbox.isAwake = false
            guard awaitingBody.isEmpty else { return .sleep(Self.peerCheckInterval) }
            guard let idleSince else { return .sleep(Self.longestWait) }
            return .sleep(Int32(clamping: (idleSince + configuration.idleTimeout - .now).milliseconds + 1))
        }
    }

    private func end(_ multi: Multi) {
        spare = []
        bell.withLock { $0 = nil }
        lc_multi_free(multi.pointer)
        lc_thread_ends()
        let waiting = inbox.withLock { inbox in
            inbox.hasEnded = true
            return inbox.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// libcurl closes a connection that idles only when the next one is made. With nothing to do, a new multi handle
    /// does it.
    private func dropIdleConnections(_ multi: Multi) -> Multi? {
        guard active == 0, origins.isEmpty else {
            idleSince = nil
            return nil
        }
        guard let since = idleSince else {
            idleSince = spare.isEmpty ? nil : .now
            return nil
        }
        guard .now - since >= configuration.idleTimeout else { return nil }
        guard let renewed = makeMulti() else {
            idleSince = .now
            return nil
        }
        idleSince = nil
        spare = []
        bell.withLock { $0 = renewed }
        lc_multi_free(multi.pointer)
        return renewed
    }

    private func execute(_ command: Command, _ multi: Multi) {
        switch command {
        case .start(let exchange): admit(exchange, multi)
        case .cancel(let exchange): cancel(exchange, multi)
        case .receive(let exchange), .send(let exchange):
            if let handle = exchange.handle { lc_pause(handle.easy.pointer, Int32(LC_PAUSE_NOTHING)) }
        }
    }

    // MARK: Starting

    private func admit(_ exchange: LibcurlExchange, _ multi: Multi) {
        guard !exchange.pipe.isEnded else { return leave(exchange) }
        let limit = limits.connectionsPerHost
        if origins[exchange.origin, default: OriginQueue(limit: limit)].park(exchange, isFull: isFull) {
            exchange.isParked = true
            isCrowded = isCrowded || isFull
            exchange.request.onEvent?(.queued)
        } else {
            start(exchange, multi)
        }
    }

    /// Whether all connections are in use. Looked at closely only when there might be so many.
    private var isFull: Bool {
        active >= limits.connections && origins.values.reduce(0) { $0 + $1.connections } >= limits.connections
    }

    private func start(_ exchange: LibcurlExchange, _ multi: Multi) {
        guard let handle = takeHandle() else {
            return refuse(exchange, Self.outOfMemory)
        }
        do {
            try handle.begin(exchange)
        } catch {
            recycle(handle)
            return refuse(exchange, error)
        }
        guard lc_multi_add(multi.pointer, handle.easy.pointer) == 0 else {
            recycle(handle)
            return refuse(exchange, Self.outOfMemory)
        }
        exchange.handle = handle
        active += 1
        hasStarted = true
        exchange.startReading()
    }

    private func takeHandle() -> LibcurlHandle? {
        if let handle = spare.popLast() { return handle.renew() ? handle : nil }
        template = template ?? LibcurlTemplate(configuration, connections)
        return template.flatMap { LibcurlHandle(self, $0, headerLimit: configuration.maximumHeaderBytes) }
    }

    /// Its place is free again; whoever gave it looks for the next one.
    private func refuse(_ exchange: LibcurlExchange, _ error: AsyncNetError) {
        exchange.pipe.finish(.failure(error))
        leave(exchange)
        origins[exchange.origin]?.active -= 1
        if origins[exchange.origin]?.isEmpty == true { origins[exchange.origin] = nil }
    }

    private static var outOfMemory: AsyncNetError {
        AsyncNetError(.transportFailed, "libcurl has no memory for another transfer")
    }

    /// Gives the place to whoever waits for it.
    private func leave(_ exchange: LibcurlExchange, origin multi: Multi) {
        leave(exchange)
        origins[exchange.origin]?.active -= 1
        startParked(exchange.origin, multi)
        guard isCrowded, !isFull else { return }
        isCrowded = false
        for (origin, queue) in origins where queue.hasWaiting { startParked(origin, multi) }
    }

    private func leave(_ exchange: LibcurlExchange) {
        load.subtract(1, ordering: .relaxed)
        exchange.stop()
    }

    private func startParked(_ origin: OriginKey, _ multi: Multi) {
        while true {
            if isFull {
                isCrowded = isCrowded || origins[origin]?.hasWaiting == true
                break
            }
            guard let exchange = origins[origin]?.next() else { break }
            exchange.isParked = false
            exchange.request.onEvent?(.started)
            start(exchange, multi)
        }
        if origins[origin]?.isEmpty == true { origins[origin] = nil }
    }

    // MARK: Ending

    private func finishDone(_ multi: Multi) {
        var result: Int32 = 0
        while let easy = lc_multi_next_done(multi.pointer, &result) {
            guard let pointer = lc_private(easy) else { continue }
            let handle = LibcurlHandle.at(pointer)
            guard let exchange = handle.exchange else { continue }
            let end = handle.end(result)
            if end == .restart {
                restart(exchange, handle, multi)
                continue
            }
            handle.finish(result, isLost: end == .lost)
            if handle.isHTTP2 { origins[exchange.origin]?.shareConnections(Self.streamsPerConnection) }
            if handle.isRemarked, handle.hasHead, !handle.isHTTP2 { origins[exchange.origin]?.isHTTP1 = true }
            release(exchange, handle, multi)
        }
    }

    /// Sends a request again, whose kept connection was of no use.
    private func restart(_ exchange: LibcurlExchange, _ handle: LibcurlHandle, _ multi: Multi) {
        lc_multi_remove(multi.pointer, handle.easy.pointer)
        forgetAwaitedBody(of: handle)
        do throws(AsyncNetError) {
            try handle.beginAgain()
            guard lc_multi_add(multi.pointer, handle.easy.pointer) == 0 else { throw Self.outOfMemory }
            hasStarted = true
        } catch {
            exchange.pipe.finish(.failure(error))
            exchange.handle = nil
            active -= 1
            recycle(handle)
            leave(exchange, origin: multi)
        }
    }

    private func cancel(_ exchange: LibcurlExchange, _ multi: Multi) {
        if exchange.isParked {
            exchange.isParked = false
            origins[exchange.origin]?.abandon()
            if origins[exchange.origin]?.isEmpty == true { origins[exchange.origin] = nil }
            leave(exchange)
        } else if let handle = exchange.handle {
            release(exchange, handle, multi)
        }
    }

    private func release(_ exchange: LibcurlExchange, _ handle: LibcurlHandle, _ multi: Multi) {
        lc_multi_remove(multi.pointer, handle.easy.pointer)
        exchange.handle = nil
        active -= 1
        recycle(handle)
        leave(exchange, origin: multi)
    }

    private func recycle(_ handle: LibcurlHandle) {
        handle.reset()
        forgetAwaitedBody(of: handle)
        if spare.count < Self.spareHandles { spare.append(handle) }
    }

    private func forgetAwaitedBody(of handle: LibcurlHandle) {
        if !awaitingBody.isEmpty { awaitingBody.removeAll { $0 === handle } }
    }

    func awaitsBody(_ handle: LibcurlHandle) {
        if awaitingBody.isEmpty { lastPeerCheck = .now }
        if !awaitingBody.contains(where: { $0 === handle }) { awaitingBody.append(handle) }
    }

    /// Now and then: the server may have closed a connection on which nothing moves.
    private func checkPeers() {
        guard !awaitingBody.isEmpty, .now - lastPeerCheck >= .milliseconds(Int(Self.peerCheckInterval)) else { return }
        lastPeerCheck = .now
        awaitingBody.removeAll { !$0.checkPeer() }
    }

    /// Whether libcurl is to say what it does: where HTTP/2 is spoken, or may be, and a request is on the way that is
    /// not idempotent.
    func needsRemarks(on exchange: LibcurlExchange, isTLS: Bool) -> Bool {
        guard httpVersion == .http2 || isTLS && httpVersion == .automatic else { return false }
        return origins[exchange.origin]?.needsRemarks(isIdempotent: exchange.request.head.isIdempotent) == true
    }

    // MARK: Handing on

    func touched(_ handle: LibcurlHandle) { touchedHandles.append(handle) }

    /// Those that ended in the same round have nothing left to hand on.
    private func flushTouched() {
        for handle in touchedHandles { handle.flush() }
        touchedHandles.removeAll(keepingCapacity: true)
    }
}
