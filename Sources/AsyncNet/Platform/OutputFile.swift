import CPlatform
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A partial file of a download that is written from some place on. Closed when nobody holds it any more.
final class OutputFile: Sendable {
    /// What proves that a download made it; see ``PartialFile``.
    let mark: String
    private let descriptor: Int32

    /// A file that is made and marked; one that exists is refused.
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

    /// A file that a download has made and marked, to be gone on with at the end of what is there. Any other file is
    /// refused with `ESTALE`.
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

    /// Two downloads that write to one file would each break the other.
    private static func lock(_ descriptor: Int32) throws(POSIXError) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw SystemError.last }
    }

    /// Adds all of the data at the end.
    func append(_ data: Data) throws(POSIXError) { try SystemError.writing(data) { systemWrite(descriptor, $0, $1) } }

    /// Leaves so much of what is there.
    func truncate(to size: Int64) throws(POSIXError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw SystemError.last }
    }

    /// From now on `write(_:at:)` does what it says, and `append` must not be called: Linux writes at the end whatever
    /// the place, as long as a file is open for appending.
    func writeAnywhere() throws(POSIXError) {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags & ~O_APPEND) == 0 else { throw SystemError.last }
    }

    /// Writes all of the data at a place, whatever is there.
    func write(_ data: Data, at place: Int64) throws(POSIXError) {
        var place = place
        try SystemError.writing(data) { start, count in
            let written = pwrite(descriptor, start, count, off_t(place))
            place += Int64(max(0, written))
            return written
        }
    }

    /// In bytes.
    func size() throws(POSIXError) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError.last }
        return Int64(status.st_size)
    }

    // MARK: The end

    /// Gives the file its final name in place of its partial one, and takes its mark away.
    ///
    /// If another file has taken its place meanwhile, that one is not moved: `ESTALE`. The look at the name and the
    /// move are two steps, so the file that was moved is looked at again.
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

/// The class has a method of that name.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
