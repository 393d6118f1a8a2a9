import AsyncNet
import Foundation
import Synchronization

/// A thread that carries many transfers through one of libcurl's multi handles, as other threads see it.
///
/// Other threads append commands to the inbox, and only the first command of a burst wakes the thread. `LoopWorker` is
/// what the thread itself does.
final class LibcurlLoop: Sendable {
    enum Command {
        case start(LibcurlExchange)
        case cancel(LibcurlExchange)
        /// The reader has taken bytes: a paused transfer can receive again.
        case receive(LibcurlExchange)
        /// The transfer may go on sending: its body has more bytes, its request was resumed, or an error status has
        /// ended the sending.
        case send(LibcurlExchange)
    }

    /// What the thread does after a round.
    enum Rest { case work, sleep, end }

    private struct Inbox {
        var commands: [Command] = []
        var isRunning = false
        var isAwake = false
        var isClosing = false
        /// Whether the thread has ended; later commands are dropped.
        var isEnded = false
        /// Whether libcurl's handles are freed.
        var isFreed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    let configuration: LibcurlTransport.Configuration
    let limits: LoopLimits
    let hosts: TLSHosts
    /// `nil` if this transport does not use `Alt-Svc`.
    let offers: HTTP3Offers?
    private let transfers = Atomic(0)
    /// The part of the time that the thread works, in percent.
    private let work = Atomic(0)
    private let inbox = Locked(Inbox())
    /// The multi handle that `wake` uses; set to `nil` before the handle is freed. It has a lock of its own because
    /// waking is a system call.
    private let bell = Locked<CurlMulti?>(nil)

    init(
        _ configuration: LibcurlTransport.Configuration, _ limits: LoopLimits, _ offers: HTTP3Offers?, hosts: TLSHosts
    ) {
        self.configuration = configuration
        self.hosts = hosts
        self.limits = limits
        self.offers = offers
    }

    // MARK: From any thread

    /// How many submitted transfers are not over, and the thread's work in percent, which is 0 without transfers.
    var load: LoopDistribution.Load {
        let transfers = transfers.load(ordering: .relaxed)
        return LoopDistribution.Load(
            transfers: transfers, work: transfers == 0 ? 0 : work.load(ordering: .relaxed))
    }

    /// - Throws: `AsyncNetError` with code `.sessionFinished` after `close`, and `.transportFailed` if
    ///   libcurl has no memory or file descriptor left for the loop.
    func submit(_ exchange: LibcurlExchange) throws(AsyncNetError) {
        let mustWake = try inbox.withLock { inbox throws(AsyncNetError) in
            guard !inbox.isClosing else { throw AsyncNetError.transportIsShutDown }
            try startIfNeeded(&inbox)
            return add(.start(exchange), to: &inbox)
        }
        transfers.add(1, ordering: .relaxed)
        if mustWake { wake() }
    }

    func post(_ command: Command) {
        let mustWake = inbox.withLock { $0.isEnded ? false : add(command, to: &$0) }
        if mustWake { wake() }
    }

    /// Refuses new transfers, and ends the thread after its last transfer.
    func close() {
        let mustWake = inbox.withLock { inbox in
            inbox.isClosing = true
            if !inbox.isRunning { (inbox.isEnded, inbox.isFreed) = (true, true) }
            return inbox.isRunning
        }
        if mustWake { wake() }
    }

    /// Waits until the thread of a closed loop has ended.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isFreed = inbox.withLock { inbox in
                if !inbox.isFreed { inbox.closers.append(continuation) }
                return inbox.isFreed
            }
            if isFreed { continuation.resume() }
        }
    }

    /// Whether the thread must be woken for the command.
    private func add(_ command: Command, to inbox: inout Inbox) -> Bool {
        inbox.commands.append(command)
        defer { inbox.isAwake = true }
        return !inbox.isAwake && inbox.isRunning
    }

    private func wake() { bell.withLock { $0?.wake() } }

    private func startIfNeeded(_ inbox: inout Inbox) throws(AsyncNetError) {
        guard !inbox.isRunning else { return }
        guard let multi = CurlMulti(limits) else {
            throw AsyncNetError(.transportFailed, "libcurl cannot start; file descriptors may have run out")
        }
        setBell(multi)
        (inbox.isRunning, inbox.isAwake) = (true, true)
        let thread = Thread { LoopWorker(self, multi).run() }
        thread.name = "AsyncNet.curl"
        thread.start()
    }

    // MARK: From the loop's thread

    func transferEnded() { transfers.subtract(1, ordering: .relaxed) }

    /// Called when the thread wakes. Until `rest`, a posted command needs no wake-up, whichever thread posts it.
    func didWake() { inbox.withLock { $0.isAwake = true } }

    /// - Parameter part: The part of the time that the thread has worked, in percent; `nil` if it was not measured.
    func didWork(_ part: Int?) {
        if let part { work.store(part, ordering: .relaxed) }
    }

    func takeCommands() -> [Command] {
        inbox.withLock { inbox in
            defer { inbox.commands = [] }
            return inbox.commands
        }
    }

    /// - Parameter isIdle: Whether the thread has no transfers.
    func rest(isIdle: Bool) -> Rest {
        inbox.withLock { inbox in
            guard inbox.commands.isEmpty else { return .work }
            if inbox.isClosing, isIdle {
                inbox.isEnded = true
                return .end
            }
            inbox.isAwake = false
            return .sleep
        }
    }

    func setBell(_ multi: CurlMulti?) { bell.withLock { $0 = multi } }

    /// Called when the thread has freed all of libcurl's handles.
    func didFree() {
        let closers = inbox.withLock { inbox in
            inbox.isFreed = true
            return inbox.closers
        }
        for continuation in closers { continuation.resume() }
    }
}
