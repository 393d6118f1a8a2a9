import CLibcurl
import Foundation

/// The thread of a transport that carries its duplex connections, as other threads see it.
///
/// A thread of its own: a connection that stays open for hours counts among no limit of the transport's requests, and a
/// request never waits for one. It starts with the first connection and ends with the transport.
final class DuplexLoop: Sendable {
    /// A connection to open.
    struct Opening: Sendable {
        let id: Int
        let request: DuplexRequest
        /// Whether there is TLS on the socket, to the host or to the proxy.
        let isEncrypted: Bool
        let pipe: DuplexPipe
        let socket: DirectSocket
        /// Fulfilled when the connection is open, or cannot be opened.
        let opened = Promise<ConnectionInfo>()
    }

    enum Command {
        case open(Opening)
        /// The reader of this connection has made room.
        case receive(Int)
        /// There is something to send, or to close.
        case send(Int)
        /// Not for a connection that the program has closed: its bytes are under way, for a limited time.
        case abort(Int, AsyncNetError?)
    }

    private struct Inbox {
        var lastID = 0
        var commands: [Command] = []
        var bell: Bell?
        var isClosing = false
        var isEnded = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    let configuration: LibcurlTransport.Configuration
    private let hosts: TLSHosts
    private let inbox = Locked(Inbox())

    init(_ configuration: LibcurlTransport.Configuration, _ hosts: TLSHosts) {
        (self.configuration, self.hosts) = (configuration, hosts)
    }

    /// The TLS settings of a connection.
    ///
    /// - Throws: ``AsyncNetError`` with code `.certificateNotTrusted` for a host that is refused.
    func tls(for request: DuplexRequest) throws(AsyncNetError) -> TLSConfiguration {
        switch request.security {
        case .none: return configuration.tls
        case .tls(let tls): return try tls.unlessRefused(request.host)
        case .transport: return try hosts.settings(forHost: request.host)
        }
    }

    // MARK: From any thread

    /// - Throws: ``AsyncNetError`` with code `.sessionFinished` after `close`, and `.transportFailed` if the thread cannot
    ///   start.
    func open(_ request: DuplexRequest) throws(AsyncNetError) -> Opening {
        try inbox.withLock { inbox throws(AsyncNetError) in
            guard !inbox.isClosing else { throw AsyncNetError(.sessionFinished, "The transport is shut down") }
            try startIfNeeded(&inbox)
            inbox.lastID += 1
            let id = inbox.lastID
            let socket = DirectSocket()
            let pipe = DuplexPipe(
                socket,
                onRoom: { [weak self] in self?.post(.receive(id)) },
                onOutgoing: { [weak self] in self?.post(.send(id)) })
            let isEncrypted = request.isTLS || configuration.proxy.mayEncrypt
            let opening = Opening(id: id, request: request, isEncrypted: isEncrypted, pipe: pipe, socket: socket)
            add(.open(opening), to: &inbox)
            return opening
        }
    }

    /// After the end of the thread every connection is closed, and nothing is left to do.
    func post(_ command: Command) {
        inbox.withLock { if !$0.isEnded { add(command, to: &$0) } }
    }

    /// Refuses new connections, closes those that are open, and ends the thread.
    func close() {
        inbox.withLock { inbox in
            inbox.isClosing = true
            if let bell = inbox.bell { bell.ring() } else { inbox.isEnded = true }
        }
    }

    /// Waits until the thread of a closed loop has ended.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isEnded = inbox.withLock { inbox in
                if !inbox.isEnded { inbox.closers.append(continuation) }
                return inbox.isEnded
            }
            if isEnded { continuation.resume() }
        }
    }

    /// The bell is rung under the lock, so that the thread cannot free it meanwhile.
    private func add(_ command: Command, to inbox: inout Inbox) {
        if inbox.commands.isEmpty { inbox.bell?.ring() }
        inbox.commands.append(command)
    }

    private func startIfNeeded(_ inbox: inout Inbox) throws(AsyncNetError) {
        guard inbox.bell == nil else { return }
        guard let bell = Bell() else {
            throw AsyncNetError(.transportFailed, "File descriptors have run out")
        }
        inbox.bell = bell
        let thread = Thread { DuplexWorker(self, bell).run() }
        thread.name = "AsyncNet.duplex"
        thread.start()
    }

    // MARK: From the loop's thread

    /// The commands, and whether the transport is shut down.
    func takeCommands() -> (commands: [Command], isClosing: Bool) {
        inbox.withLock { inbox in
            defer { inbox.commands = [] }
            return (inbox.commands, inbox.isClosing)
        }
    }

    /// - Returns: `false` if commands have come meanwhile.
    func end() -> Bool {
        let closers = inbox.withLock { inbox -> [CheckedContinuation<Void, Never>]? in
            guard inbox.commands.isEmpty else { return nil }
            inbox.isEnded = true
            inbox.bell?.close()
            inbox.bell = nil
            return inbox.closers
        }
        for continuation in closers ?? [] { continuation.resume() }
        return closers != nil
    }
}

/// Wakes a thread that waits for sockets.
struct Bell: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    /// `nil` without descriptors.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard lc_bell_open(&ends) != 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    func ring() { lc_bell_ring(writeEnd) }
    func clear() { lc_bell_clear(readEnd) }
    func close() {
        lc_close(readEnd)
        lc_close(writeEnd)
    }
}
