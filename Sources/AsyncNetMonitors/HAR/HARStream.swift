import AsyncNet
import Foundation
import Synchronization

/// A HAR file to which entries are appended. Each entry is written over the file's last line, and followed by that
/// line, so the file is valid after each entry.
final class HARStream: Sendable {
    private struct File {
        /// `nil` once the file is closed.
        var handle: FileHandle?
        /// Where the next entry is written.
        var end: UInt64
        var isEmpty = true
        var error: AsyncNetError?
    }

    private let url: URL
    private let redaction: RedactionRule?
    private let file: Locked<File>
    private let waiting: Locked<HARMemory>
    private let isScheduled = Atomic(false)

    /// - Parameter limit: How many bytes may wait to be written.
    init(_ link: URL, _ redaction: RedactionRule?, limit: Int) throws(AsyncNetError) {
        let url = URL(filePath: FileSystem.resolved(link.path))
        do {
            try FileSystem.writePrivately(HARText.begin + HARText.end(comment: nil), to: url.path)
            file = Locked(File(handle: try FileHandle(forUpdating: url), end: UInt64(HARText.begin.count)))
        } catch {
            throw AsyncNetError(.fileNotWritable, "The HAR file cannot be made", underlyingError: error)
        }
        (self.url, self.redaction) = (url, redaction)
        waiting = Locked(HARMemory(limit: limit))
    }

    /// Adds a record. A separate task makes and writes the entries, on a thread that it may block; the task ends when
    /// no record is left.
    func append(_ record: HARExchange) {
        waiting.withLock { $0.append(record) }
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // A task that is not detached would keep the request's task-local values.
        // ConcurrencyGuarantees.md lists this task: HAR file
        Task.detached(executorPreference: UserCode.threads) { self.write() }
    }

    func removeWaiting() { waiting.withLock { $0.removeAll() } }

    // MARK: On threads that may be blocked

    /// Writes all records that wait.
    func write() {
        isScheduled.store(false, ordering: .sequentiallyConsistent)
        file.withLock { file in write(&file) }
    }

    /// The file's text with all records that wait.
    func contents() throws -> Data {
        try file.withLock { file in
            write(&file)
            return try Data(contentsOf: url)
        }
    }

    /// Writes all records that wait, and closes the file.
    ///
    /// - Parameter open: How many exchanges have not ended.
    func finish(open: Int) throws(AsyncNetError) {
        try file.withLock { file throws(AsyncNetError) in
            write(&file)
            if let handle = file.handle, file.error == nil {
                replaceEnd(&file, handle, with: end(open: open))
            }
            try? file.handle?.close()
            file.handle = nil
            if let error = file.error { throw error }
        }
    }

    private func write(_ file: inout File) {
        while let record = waiting.withLock({ $0.takeFirst() }) {
            guard let handle = file.handle, file.error == nil else { continue }
            write(HAREntry(record, redaction), to: &file, handle)
        }
    }

    private func write(_ entry: HAREntry, to file: inout File, _ handle: FileHandle) {
        let start = file.end
        do {
            let text = try HARText.entry(entry, isFirst: file.isEmpty)
            file.end += UInt64(text.count)
            try handle.seek(toOffset: start)
            try handle.write(contentsOf: text + end())
            file.isEmpty = false
        } catch {
            file.end = start
            file.error = AsyncNetError(.fileNotWritable, "The HAR file cannot be written", underlyingError: error)
            replaceEnd(&file, handle, with: end())
        }
    }

    private func end(open: Int = 0) -> Data {
        HARText.end(comment: HARText.comment(lost: waiting.withLock { $0.lost }, open: open))
    }

    /// Replaces the last line of the file. After a write that failed, this makes the file valid again.
    private func replaceEnd(_ file: inout File, _ handle: FileHandle, with end: Data) {
        do {
            try handle.truncate(atOffset: file.end)
            try handle.seek(toOffset: file.end)
            try handle.write(contentsOf: end)
        } catch {
            let failure = AsyncNetError(.fileNotWritable, "The HAR file cannot be written", underlyingError: error)
            file.error = file.error ?? failure
        }
    }
}
