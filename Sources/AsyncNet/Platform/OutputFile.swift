import CPlatform
import Foundation
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is written from some place on. Closed when nobody holds it any more.
final class OutputFile: Sendable {
    private let descriptor: Int32

    /// A file that is made, or gone on with at the end of what is there.
    ///
    /// - Parameter isNew: Refuses one that exists.
    init(_ path: String, isNew: Bool) throws(POSIXError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND | O_NOFOLLOW | O_NONBLOCK | (isNew ? O_EXCL : 0), 0o666)
        guard descriptor >= 0 else { throw SystemError.last }
        var stamp = cp_stamp()
        let kind = cp_read_stamp(descriptor, &stamp)
        // Two downloads that write to one file would each break the other.
        let isFree = kind == 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0
        guard isFree else {
            let error = kind == 0 ? SystemError.last : POSIXError(POSIXErrorCode(rawValue: kind) ?? .EIO)
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Adds all of the data at the end.
    func append(_ data: Data) throws(POSIXError) { try SystemError.writing(data) { systemWrite(descriptor, $0, $1) } }

    /// Leaves so much of what is there.
    func truncate(to size: Int64) throws(POSIXError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw SystemError.last }
    }

    /// From now on `write(_:at:)` does what it says, and `append` must not be called: Linux writes at the end whatever the place, as long as a
    /// file is open for appending.
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
}

/// The class has a method of that name.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int { write(descriptor, bytes, count) }

/// What is done with files by name.
enum FileSystem {
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The size of a regular file, `nil` if there is none.
    static func size(_ path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    static func remove(_ path: String) { unlink(path) }

    /// Gives a file its final name in one step: whoever looks sees all of it or none.
    ///
    /// - Parameter replaces: Takes the place of a file that has the name; otherwise that is an error.
    static func move(_ path: String, to target: String, replaces: Bool) throws(POSIXError) {
        if !replaces {
            // A second name cannot be given to a name that is taken, which renaming would not mind.
            if link(path, target) == 0 {
                unlink(path)
                return
            }
            guard errno != EEXIST, !exists(target) else { throw POSIXError(.EEXIST) }
        }
        guard rename(path, target) == 0 else { throw SystemError.last }
    }
}
