import Dispatch
import Foundation

/// Standard input or output for a task that reads or writes as long as a connection lasts: no call blocks a thread of tasks,
/// and a call ends when its task is cancelled. One task uses it at a time.
final class StandardStream: Sendable {
    private let descriptor: Int32
    private let queue: DispatchQueue
    /// A byte in this pipe ends all waiting.
    private let wake: (reader: Int32, writer: Int32)

    /// - Throws: ``ExitError`` if the program has no descriptors left.
    init(_ descriptor: Int32) throws(ExitError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw ExitError(ExitStatus.other, "There are no more descriptors. \(String(cString: strerror(errno))).")
        }
        self.descriptor = descriptor
        queue = DispatchQueue(label: "anet.stream-\(descriptor)")
        wake = (ends[0], ends[1])
    }

    deinit {
        close(wake.reader)
        close(wake.writer)
    }

    /// The next bytes, as many as there are; `nil` at the end.
    ///
    /// - Throws: ``ExitError`` if they cannot be read, `CancellationError`.
    func next() async throws -> Data? { try await inQueue { try $0.readNow() } }

    /// All of the data.
    ///
    /// - Throws: ``ExitError`` if it cannot be written, `CancellationError`.
    func write(_ data: Data) async throws { try await inQueue { try $0.writeNow(data) } }

    private func inQueue<Value: Sendable>(
        _ work: @escaping @Sendable (StandardStream) throws -> Value
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result { try work(self) }) }
            }
        } onCancel: {
            _ = Foundation.write(wake.writer, "w", 1)
        }
    }

    private func readNow() throws -> Data? {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            try wait(for: POLLIN)
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 { return count == 0 ? nil : Data(buffer[..<count]) }
            guard [EINTR, EAGAIN].contains(errno) else {
                throw failure(ExitStatus.cannotRead, "Standard input", "read")
            }
        }
    }

    /// A pipe that is ready has room for 4 KiB (PIPE_BUF), so that writing no more does not block.
    private func writeNow(_ data: Data) throws {
        var rest = data[...]
        while !rest.isEmpty {
            try wait(for: POLLOUT)
            let count = rest.prefix(4096).withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if ![EINTR, EAGAIN].contains(errno) {
                throw failure(ExitStatus.cannotWrite, "Standard output", "written to")
            }
        }
    }

    private func wait(for events: some BinaryInteger) throws {
        var entries = [
            pollfd(fd: descriptor, events: Int16(events), revents: 0),
            pollfd(fd: wake.reader, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&entries, 2, -1) < 0, errno == EINTR {}
        if entries[1].revents != 0 { throw CancellationError() }
    }

    private func failure(_ status: Int32, _ name: String, _ action: String) -> ExitError {
        ExitError(status, "\(name) cannot be \(action). \(String(cString: strerror(errno))).")
    }
}
