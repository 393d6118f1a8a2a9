import CLibcurl
import Foundation

/// The socket of a connection whose bytes libcurl neither encrypts nor forwards through a proxy: the tasks send to it and
/// receive from it without the loop's thread, as long as neither has to wait.
///
/// One lock for each direction keeps the bytes of several callers in order, and the descriptor from being closed, and given
/// to another connection, while a task uses it.
final class DirectSocket: Sendable {
    enum Received {
        /// - Parameter isLong: Whether this is one of many in a row.
        case bytes(Data, isLong: Bool)
        case nothing, end
        case failure(AsyncNetError)
    }

    private struct Receiving {
        var socket = closed
        /// How many reads in a row found bytes.
        var row = 0
    }

    static let closed: Int32 = -1
    private let receiving = Locked(Receiving())
    private let sending = Locked(closed)

    /// The size of a read. A connection with much to receive fills it again and again.
    static let bufferSize = 64 * 1024

    /// The connection is open. Until now, and after `close`, the tasks leave everything to the thread.
    func open(_ socket: Int32) {
        receiving.withLock { $0.socket = socket }
        sending.withLock { $0 = socket }
    }

    /// Returns when no task uses the descriptor any more.
    func close() { open(Self.closed) }

    // MARK: Receiving

    func receive() -> Received {
        receiving.withLock { receiving in
            let received = Self.receive(Self.bufferSize, from: receiving.socket)
            guard case .bytes(let data, _) = received else {
                receiving.row = 0
                return received
            }
            receiving.row += 1
            return .bytes(data, isLong: receiving.row.isMultiple(of: 16))
        }
    }

    /// For the thread.
    func receive(atMost size: Int) -> Received { receiving.withLock { Self.receive(size, from: $0.socket) } }

    private static func receive(_ size: Int, from socket: Int32) -> Received {
        guard socket != closed else { return .nothing }
        guard let buffer = malloc(size) else {
            return .failure(AsyncNetError(.transportFailed, "There is no memory for received bytes"))
        }
        let count = lc_receive_directly(socket, buffer, size)
        guard count <= 0 else { return .bytes(Data(taking: buffer, count: count, of: size), isLong: false) }
        free(buffer)
        switch count {
        case 0: return .end
        case -LC_NOTHING: return .nothing
        default: return .failure(lost(Int32(-count)))
        }
    }

    private static func lost(_ cause: Int32) -> AsyncNetError {
        AsyncNetError(
            .connectionLost, "\(AsyncNetError.Code.connectionLost.summary) (\(String(cString: strerror(cause))))")
    }

    // MARK: Sending

    /// Runs what sends, or decides what to send, while nothing else does.
    func inOrder(_ body: (Int32) throws(AsyncNetError) -> Void) throws(AsyncNetError) {
        try sending.withLock { socket throws(AsyncNetError) in try body(socket) }
    }

    /// Sends as much as the system takes at once.
    ///
    /// - Returns: The count; none also for a connection that has failed, which the thread then finds out.
    static func send(_ data: Data, to socket: Int32) -> Int {
        guard socket != closed else { return 0 }
        return data.withUnsafeBytes { bytes in
            bytes.baseAddress.map { max(0, lc_send_directly(socket, $0, bytes.count)) } ?? 0
        }
    }
}

extension Data {
    /// The beginning of a buffer of `malloc`, which is kept if it is filled well, and freed otherwise.
    init(taking buffer: UnsafeMutableRawPointer, count: Int, of size: Int) {
        if count >= size / 2 {
            self.init(bytesNoCopy: buffer, count: count, deallocator: .free)
        } else {
            self.init(bytes: buffer, count: count)
            free(buffer)
        }
    }
}
