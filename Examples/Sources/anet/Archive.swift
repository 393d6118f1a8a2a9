import AsyncNet
import AsyncNetMonitors
import Foundation

/// The file of --har. In place of one that is there already, exchanges are written to a file beside it, which replaces it
/// once all are written: a full disk costs nobody an older file.
struct Archive {
    let recorder: HARRecorder
    private let name: String
    private let beside: String?
    /// Whether the file is none that can be replaced, such as a pipe: it gets all exchanges at the end.
    private let isSpecial: Bool

    init(_ link: String) throws(ExitError) {
        name = AtomicFile.resolved(link)
        isSpecial = AtomicFile.isSpecial(name)
        let isReplaced = try AtomicFile.mode(of: name) != nil
        beside = isReplaced ? "\(name).partial" : nil
        if isSpecial {
            recorder = HARRecorder()
            return
        }
        do throws(AsyncNetError) {
            recorder = try HARRecorder(streamingTo: URL(file: beside ?? name))
        } catch {
            throw ExitError(error, "")
        }
    }

    func finish() async throws(ExitError) {
        if isSpecial { return try writeAll() }
        do throws(AsyncNetError) {
            try await recorder.finish()
        } catch {
            if let beside { unlink(beside) }
            throw ExitError(error, "")
        }
        guard let beside, rename(beside, name) != 0 else { return }
        throw AtomicFile.unwritable(name, String(cString: strerror(errno)))
    }

    private func writeAll() throws(ExitError) {
        let data: Data
        do { data = try recorder.data() } catch { throw AtomicFile.unwritable(name, ExitError.cause(error)) }
        try AtomicFile.write(data, to: name)
    }
}
