import AsyncNet
import Foundation

/// Which test of this process records which file: two tests must not record the same one.
struct RecordedFiles: Sendable {
    /// Another test records the file.
    struct Conflict: Error, CustomStringConvertible {
        let path: String
        let other: String

        var description: String {
            "\(path) is recorded by \(other) in this run: give each test a file of its own, with {test} or {argument} in "
                + "the path, or run the test again to replay what the other test has recorded"
        }
    }

    private static let owners = Locked<[URL: String]>([:])

    /// - Parameter isRecording: Whether the test is about to record the file; a test that replays may share it with
    ///   others that do.
    static func enter(_ file: URL, _ path: String, by test: String, isRecording: Bool) throws(Conflict) {
        let other = owners.withLock { owners in
            if let owner = owners[file] { return owner == test ? nil : owner }
            if isRecording { owners[file] = test }
            return nil
        }
        if let other { throw Conflict(path: path, other: other) }
    }
}
