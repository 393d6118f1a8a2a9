import CAsyncNetPlatform
import Foundation

/// A partial file of a download that is open for writing, closed with the last reference.
final class OutputFile: Sendable {
    let mark: String
    private let descriptor: Int32

    /// Creates a file and marks it. An existing file is refused with `EEXIST`.
    init(new path: String, _ place: PartialFile.MarkPlace = .attribute) throws(POSIXError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw SystemError.last }
        mark = UUID().uuidString
        do throws(POSIXError) {
            try Self.lock(descriptor)
            try PartialFile.write(mark, on: descriptor, at: path, place)
        } catch {
            unlink(path)
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    /// Opens a file that a download has made and marked, to append to it. Any other file is refused with `ESTALE`.
    init(continuing path: String, mark: String) throws(POSIXError) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_APPEND | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError.last }
        do throws(POSIXError) {
            guard PartialFile.mark(of: descriptor, at: path) == mark else { throw POSIXError(.ESTALE) }
            try Self.lock(descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        self.mark = mark
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Prevents two downloads from writing to the same file.
    private static func lock(_ descriptor: Int32) throws(POSIXError) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw SystemError.last }
    }

    func setPermissions(_ mode: mode_t) { fchmod(descriptor, mode) }

    func append(_ data: Data) throws(POSIXError) {
        try SystemError.writing(data) { Foundation.write(descriptor, $0, $1) }
    }

    func truncate(to size: Int64) throws(POSIXError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw SystemError.last }
    }

    /// Prepares the file for `write(_:at:)`, after which `append` must not be called: Linux ignores the offset of a
    /// write while a file is open for appending.
    func writeAnywhere() throws(POSIXError) {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags & ~O_APPEND) == 0 else { throw SystemError.last }
    }

    func write(_ data: Data, at place: Int64) throws(POSIXError) {
        var place = place
        try SystemError.writing(data) { start, count in
            let written = pwrite(descriptor, start, count, off_t(place))
            place += Int64(max(0, written))
            return written
        }
    }

    func size() throws(POSIXError) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError.last }
        return Int64(status.st_size)
    }

    /// Renames the file from its partial to its final name and removes its mark. If another file has the partial name
    /// now, the error is `ESTALE`; the check and the move are two steps, so the moved file is checked again.
    func move(from path: String, to target: String, replaces: Bool) throws(POSIXError) {
        guard isNamed(path) else { throw POSIXError(.ESTALE) }
        try FileSystem.move(path, to: target, replaces: replaces)
        guard isNamed(target) else {
            if !replaces { try? FileSystem.move(target, to: path, replaces: false) }
            throw POSIXError(.ESTALE)
        }
        PartialFile.removeMark(of: descriptor, at: path)
    }

    private func isNamed(_ path: String) -> Bool {
        var (named, open) = (stat(), stat())
        guard lstat(path, &named) == 0, fstat(descriptor, &open) == 0 else { return false }
        return named.st_dev == open.st_dev && named.st_ino == open.st_ino
    }
}
