import Foundation

/// The file that stores bytes of a transport that cannot pause while its reader is behind.
extension TransferPipe {
    /// Writes the full tail to the file, on the transport's thread.
    func spillTail() {
        guard let spill, var tail = state.withLock({ $0.machine.takeFullTail() }) else { return }
        do throws(AsyncNetError) {
            let known = state.withLock { $0.file }
            let file = if let known { known } else { try SpillFile(in: spill.folder) }
            try file.append(tail)
            let count = tail.count
            tail.removeAll(keepingCapacity: true)
            state.withLock { $0.didSpill(count, to: file, reusing: tail) }?.resume()
        } catch {
            abort(error)
        }
    }

    /// The next bytes of the file, on the reader's thread.
    func readFile(_ file: SpillFile?, offset: Int64, count: Int) throws(AsyncNetError) -> Data? {
        guard let bytes = try file?.read(upTo: count, at: offset) else { return nil }
        state.withLock { $0.machine.didReadFile(bytes.count) }
        return bytes
    }

    static func error(for limit: TransferPipeState.ExceededLimit) -> AsyncNetError {
        switch limit {
        case .bodySize(let limit): AsyncNetError(bodyLargerThan: limit)
        case .spilledBytes(let limit):
            AsyncNetError(
                .readerTooSlow,
                "The response's body arrives faster than it is read, and more than \(limit) bytes wait in a file")
        }
    }
}
