import AsyncNet
import CAsyncNetLibcurl
import Foundation

/// What a loop's thread does: it takes commands, lets libcurl work, starts and ends transfers.
///
/// A round is: let libcurl work, end the transfers that are over and start others in their place, deliver what arrived
/// for the rest, carry out commands; then sleep until a socket, a timer or a command needs the thread. The worker is
/// made and used on its thread only, and holds the loop until the loop is closed and all transfers are over.
final class LoopWorker {
    let loop: LibcurlLoop
    let sockets = OpenedSockets()
    private var multi: CurlMulti
    private var admission: LoopAdmission<LibcurlExchange>
    private var uploadChecks = UploadChecks()
    private var handlesToFlush: [LibcurlHandle] = []
    /// Origins whose waiting transfers may start at the end of the round: libcurl adds no handle during a callback.
    private var originsWithRoom: [OriginKey] = []
    private lazy var templates = LibcurlTemplates(loop, sockets)
    private var idleSince: ContinuousClock.Instant?
    /// Whether a transfer was started, so that the multi handle may have connections.
    private var isUsed = false
    private let start = ContinuousClock.now
    private var load = LoopLoad(at: .zero)
    private(set) var rounds = 0

    private static let longestSleep: Int32 = 3_600_000

    init(_ loop: LibcurlLoop, _ multi: CurlMulti) {
        self.loop = loop
        self.multi = multi
        admission = LoopAdmission(loop.limits)
    }

    var configuration: LibcurlTransport.Configuration { loop.configuration }
    /// Whether a transfer may send nothing for a while because of `maximumSendRate`.
    var limitsSending: Bool { configuration.maximumSendRate != nil }

    // MARK: Rounds

    func run() {
        blockSignals()
        while true {
            rounds &+= 1
            multi.perform()
            endFinished()
            flush()
            startWaiting()
            uploadChecks.check().forEach(endEarly)
            for command in loop.takeCommands() { execute(command) }
            closeIdleConnections()
            switch loop.rest(isIdle: admission.isIdle) {
            case .work: loop.didWork(load.slept(from: time, to: time))
            case .sleep: sleep()
            case .end: return end()
            }
        }
    }

    private func sleep() {
        let begin = time
        multi.wait(milliseconds: sleepTime)
        loop.didWake()
        loop.didWork(load.slept(from: begin, to: time))
    }

    private var time: Duration { start.duration(to: .now) }

    /// Leaves signals to the program's own threads. Writing to a closed socket returns an error instead of SIGPIPE.
    private func blockSignals() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
    }

    private var sleepTime: Int32 {
        guard uploadChecks.isEmpty else { return UploadChecks.interval }
        guard let idleSince else { return Self.longestSleep }
        return Int32(clamping: (idleSince + configuration.idleTimeout - .now).milliseconds + 1)
    }

    private func end() {
        templates.removeAll()
        loop.setBell(nil)
        multi.free()
        lc_thread_ends()
        loop.didFree()
    }

    /// Replaces the multi handle of an idle loop once the connections' timeout has passed: libcurl closes an idle
    /// connection only when it makes the next connection.
    private func closeIdleConnections() {
        guard admission.isIdle else { return idleSince = nil }
        guard let since = idleSince else { return idleSince = isUsed ? .now : nil }
        guard .now - since >= configuration.idleTimeout else { return }
        guard let renewed = CurlMulti(loop.limits) else { return idleSince = .now }
        idleSince = nil
        isUsed = false
        loop.setBell(renewed)
        multi.free()
        multi = renewed
    }

    private func execute(_ command: LibcurlLoop.Command) {
        switch command {
        case .start(let exchange): admit(exchange)
        case .cancel(let exchange): cancel(exchange)
        case .receive(let exchange), .send(let exchange):
            if let handle = exchange.handle { lc_pause(handle.easy.pointer, Int32(LC_PAUSE_NOTHING)) }
        }
    }

    /// Delivers received bytes. Handles whose transfers ended in this round have nothing left to deliver.
    private func flush() {
        for handle in handlesToFlush { handle.flush() }
        handlesToFlush.removeAll(keepingCapacity: true)
    }

    private func startWaiting() {
        for origin in originsWithRoom { startNext(preferring: origin) }
        originsWithRoom.removeAll(keepingCapacity: true)
    }

    // MARK: Starting

    private func admit(_ exchange: LibcurlExchange) {
        guard !exchange.pipe.isEnded else { return leave(exchange) }
        switch admission.admit(exchange, to: exchange.origin) {
        case .start: start(exchange)
        case .wait: exchange.request.onEvent?(.queued)
        }
    }

    private func startNext(preferring origin: OriginKey) {
        while let exchange = admission.next(preferring: origin) {
            exchange.request.onEvent?(.started)
            start(exchange)
        }
    }

    private func start(_ exchange: LibcurlExchange) {
        guard let template = templates.template(forURL: exchange.request.head.urlText),
            let handle = LibcurlHandle(self, template)
        else { return refuse(exchange, Self.outOfMemory) }
        do throws(AsyncNetError) {
            try handle.begin(exchange)
            guard multi.add(handle) else { throw Self.outOfMemory }
        } catch {
            handle.drop()
            return refuse(exchange, error)
        }
        isUsed = true
        exchange.handle = handle
        exchange.startReading()
    }

    /// Ends a transfer that could not be started, and gives back its permit.
    private func refuse(_ exchange: LibcurlExchange, _ error: AsyncNetError) {
        exchange.pipe.finish(.failure(error))
        leave(exchange)
        admission.finish(exchange.origin)
    }

    private static var outOfMemory: AsyncNetError {
        AsyncNetError(.transportFailed, "libcurl has no memory for another transfer")
    }

    // MARK: Ending

    private func endFinished() {
        while let (handle, result) = multi.nextFinished() {
            guard let exchange = handle.exchange else { continue }
            let end = handle.end(result)
            if end == .restart {
                restart(exchange, handle)
            } else {
                finish(exchange, handle, result, isLost: end == .lost)
            }
        }
    }

    private func finish(_ exchange: LibcurlExchange, _ handle: LibcurlHandle, _ result: Int32, isLost: Bool) {
        handle.finish(result, isLost: isLost)
        release(exchange, handle)
    }

    /// Ends a transfer whose response is complete and whose server takes no more of the request's body.
    private func endEarly(_ handle: LibcurlHandle) {
        if let exchange = handle.exchange { finish(exchange, handle, 0, isLost: false) }
    }

    /// Sends a request again on a new connection: its own was closed, or could not be used.
    private func restart(_ exchange: LibcurlExchange, _ handle: LibcurlHandle) {
        multi.remove(handle)
        uploadChecks.remove(handle)
        handle.drop()
        do throws(AsyncNetError) {
            guard let renewed = LibcurlHandle(self, handle.template) else { throw Self.outOfMemory }
            exchange.handle = renewed
            try renewed.begin(exchange, after: handle)
            guard multi.add(renewed) else { throw Self.outOfMemory }
        } catch {
            exchange.pipe.finish(.failure(error))
            end(exchange, exchange.handle ?? handle)
        }
    }

    private func cancel(_ exchange: LibcurlExchange) {
        if exchange.place != nil {
            admission.withdraw(exchange, from: exchange.origin)
            leave(exchange)
        } else if let handle = exchange.handle {
            release(exchange, handle)
        }
    }

    private func release(_ exchange: LibcurlExchange, _ handle: LibcurlHandle) {
        multi.remove(handle)
        end(exchange, handle)
    }

    private func end(_ exchange: LibcurlExchange, _ handle: LibcurlHandle) {
        exchange.handle = nil
        handle.drop()
        uploadChecks.remove(handle)
        leave(exchange)
        admission.finish(exchange.origin)
        startNext(preferring: exchange.origin)
    }

    private func leave(_ exchange: LibcurlExchange) {
        loop.transferEnded()
        exchange.stop()
    }
}

// MARK: For the handles

extension LoopWorker {
    /// Called when the handle has received bytes, which it delivers at the end of the round.
    func flushAtEndOfRound(_ handle: LibcurlHandle) { handlesToFlush.append(handle) }

    /// Called when a response's head has arrived.
    func note(_ origin: OriginKey, isMultiplexed: Bool) {
        if admission.note(origin, isHTTP2: isMultiplexed) { originsWithRoom.append(origin) }
    }

    /// Whether the kept connection with this local port can carry the transfer, see ``OpenedSockets``. What is known of
    /// the origin does not prove that the connection is HTTP/2, since it may lead to a proxy and have carried other
    /// origins; without TLS it is HTTP/2 only by prior knowledge.
    func isUsable(_ exchange: LibcurlExchange, _ port: Int32) -> Bool {
        let offersHTTP2 = exchange.request.head.urlText.isTLS || configuration.httpVersion == .http2
        return sockets.isUsable(
            port: port, isMultiplexed: offersHTTP2 && admission.mayBeHTTP2(exchange.origin))
    }

    /// Called when the handle is paused until its body has more bytes to send, or when its response is complete before
    /// the body is sent.
    func checkUpload(of handle: LibcurlHandle) { uploadChecks.insert(handle) }
}
