import Foundation
import Synchronization

/// Takes connections on a port of loopback that the system picks, each on a thread of its own.
final class Listener: Sendable {
    let port: Int
    private let descriptor: Int32
    private let open: Gauge

    /// - Parameter open: Counts the connections, of several listeners if they share it.
    init(counting open: Gauge, _ serve: @escaping @Sendable (Socket) -> Void) throws {
        let descriptor = Socket.make()
        self.descriptor = descriptor
        self.open = open
        guard Socket.withLoopback(0, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 1024) == 0 else {
            throw Failure.noPort
        }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { throw Failure.noPort }
        port = Int(in_port_t(bigEndian: address.sin_port))
        let acceptor = Thread {
            while true {
                let accepted = accept(descriptor, nil, nil)
                if accepted < 0 {
                    // Descriptors or memory are short, or the listener is closed.
                    if errno == EBADF || errno == EINVAL { return }
                    usleep(1000)
                    continue
                }
                open.add(1)
                let socket = Handed(socket: Socket(descriptor: accepted))
                let thread = Thread {
                    socket.serve(serve)
                    open.add(-1)
                }
                thread.stackSize = 1 << 18
                thread.start()
            }
        }
        acceptor.start()
    }

    enum Failure: Error { case noPort }

    /// A connection on its way from the thread that accepted it to the one that serves it, which alone uses it.
    private final class Handed: @unchecked Sendable {
        private var socket: Socket?
        init(socket: Socket) { self.socket = socket }

        func serve(_ serve: (Socket) -> Void) {
            socket.map(serve)
            socket = nil
        }
    }
}

/// How many there are of something.
final class Gauge: Sendable {
    private let value = Atomic(0)
    var count: Int { value.load(ordering: .relaxed) }
    func add(_ difference: Int) { value.add(difference, ordering: .relaxed) }
}
