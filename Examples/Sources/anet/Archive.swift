import AsyncNet
import AsyncNetMonitors
import Foundation

/// The file of --har. In place of one that is there already, exchanges are written to a file beside it, which replaces it
/// once all are written: a full disk costs nobody an older file.
struct Archive {
    let recorder: HARRecorder
    private let name: String
    private let beside: String?

    init(_ name: String) throws(ExitError) {
        self.name = name
        let isReplaced = FileManager.default.fileExists(atPath: URL(file: name).path) && !AtomicFile.isSpecial(name)
        beside = isReplaced ? "\(name).partial" : nil
        do throws(AsyncNetError) {
            recorder = try HARRecorder(streamingTo: URL(file: beside ?? name))
        } catch {
            throw ExitError(error, "")
        }
    }

    func finish() async throws(ExitError) {
        do throws(AsyncNetError) {
            try await recorder.finish()
        } catch {
            if let beside { unlink(beside) }
            throw ExitError(error, "")
        }
        guard let beside, rename(beside, name) != 0 else { return }
        throw AtomicFile.unwritable(name, String(cString: strerror(errno)))
    }
}
