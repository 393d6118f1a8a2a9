import AsyncNet
import Foundation

/// Which test of this process records which file. Other tests with the file wait until it is written, and replay it.
final class RecordedFiles: Sendable {
    static let shared = RecordedFiles()

    private struct Entry {
        /// Whether a test has the file now.
        var isHeld = false
        /// The test that has written the file in this process.
        var writer: String?
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private struct State {
        var entries: [URL: Entry] = [:]
        var nextWaiter = 0
    }

    private let state = Locked(State())

    /// Waits until no other test has the file, which then is this test's until it calls `end`.
    ///
    /// - Returns: The test, or the case of a test, that has written the file in this process, if one has.
    /// - Throws: `CancellationError`.
    func begin(_ file: URL) async throws -> String? {
        while !take(file) {
            await wait(for: file)
            try Task.checkCancellation()
        }
        return state.withLock { $0.entries[file]?.writer }
    }

    /// - Parameter writer: The test's name if it has written the file.
    func end(_ file: URL, writer: String?) {
        let waiters = state.withLock { state in
            var entry = state.entries[file, default: Entry()]
            defer { state.entries[file] = entry }
            entry.isHeld = false
            entry.writer = writer ?? entry.writer
            defer { entry.waiters = [:] }
            return Array(entry.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    private func take(_ file: URL) -> Bool {
        state.withLock { state in
            guard !state.entries[file, default: Entry()].isHeld else { return false }
            state.entries[file, default: Entry()].isHeld = true
            return true
        }
    }

    /// Returns when the file may be free, or the task is cancelled.
    private func wait(for file: URL) async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.entries[file]?.isHeld != true || Task.isCancelled { return true }
                    state.entries[file]?.waiters[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.entries[file]?.waiters.removeValue(forKey: id) }?.resume()
        }
    }
}
