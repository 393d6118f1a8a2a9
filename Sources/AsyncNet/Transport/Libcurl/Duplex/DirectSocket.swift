import CLibcurl
import Foundation

/// The socket of a connection whose bytes libcurl neither encrypts nor forwards through a proxy: the tasks send to it and
/// receive from it without the loop's thread, as long as neither has to wait.
///
/// One lock for each direction keeps the bytes of several callers in order, and the descriptor from being closed, and given
/// to another connection, while a task uses it.
final class DirectSocket: DirectIO {
    private struct Receiving {
        var socket = closed
        /// How many reads in a row found bytes.
        var row = 0
    }

    private static let closed: Int32 = -1
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

    func inOrder(receiving body: (() -> DirectRead) -> Void) {
        receiving.withLock { receiving in
            let socket = receiving.socket
            var row = receiving.row
            body {
                let received = Self.receive(Self.bufferSize, from: socket)
                guard case .bytes(let data, _) = received else {
                    row = 0
                    return received
                }
                row += 1
                return .bytes(data, isLong: row.isMultiple(of: 16))
            }
            receiving.row = row
        }
    }

    /// For the thread.
    func receive(atMost size: Int) -> DirectRead { receiving.withLock { Self.receive(size, from: $0.socket) } }

    private static func receive(_ size: Int, from socket: Int32) -> DirectRead {
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

    /// The error for an `errno`.
    static func lost(_ cause: Int32) -> AsyncNetError {
        AsyncNetError(
            .connectionLost, "\(AsyncNetError.Code.connectionLost.summary) (\(String(cString: strerror(cause))))")
    }

    // MARK: Sending

    func inOrder<Failure: Error>(sending body: ((Data) -> Int) throws(Failure) -> Void) throws(Failure) {
        try sending.withLock { socket throws(Failure) in
            let descriptor = socket
            try body { Self.send($0, to: descriptor) }
        }
    }

    private static func send(_ data: Data, to socket: Int32) -> Int {
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
