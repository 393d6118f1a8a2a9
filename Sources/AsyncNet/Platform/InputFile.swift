import CAsyncNetPlatform
import Foundation

/// Tells whether a file was changed: then its stamp differs. A writer can reset the time of modification (mtime), but
/// not the time of the change (ctime).
struct FileStamp: Equatable, Sendable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    let modifiedSeconds: Int64
    let modifiedNanoseconds: Int64
    let changedSeconds: Int64
    let changedNanoseconds: Int64

    fileprivate func hasSameContents(as other: FileStamp) -> Bool {
        (device, inode, size) == (other.device, other.inode, other.size)
            && (modifiedSeconds, modifiedNanoseconds) == (other.modifiedSeconds, other.modifiedNanoseconds)
    }

    init?(at path: String) {
        var stamp = cp_stamp()
        guard cp_read_stamp_of(path, &stamp) == 0 else { return nil }
        self.init(stamp)
    }

    fileprivate init(_ stamp: cp_stamp) {
        device = stamp.device
        inode = stamp.inode
        size = stamp.size
        (modifiedSeconds, modifiedNanoseconds) = (stamp.modified_seconds, stamp.modified_nanoseconds)
        (changedSeconds, changedNanoseconds) = (stamp.changed_seconds, stamp.changed_nanoseconds)
    }
}

/// A regular file that is open for reading, closed with the last reference. Other kinds of files are refused: reading a
/// pipe or a device can block a thread of Swift's pool forever.
final class InputFile: Sendable {
    let stamp: FileStamp
    private let descriptor: Int32

    init(_ path: String) throws(POSIXError) {
        // Without O_NONBLOCK, opening a pipe waits for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError.last }
        do throws(POSIXError) {
            stamp = try Self.stamp(descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    func read(upTo count: Int) throws(POSIXError) -> Data {
        try SystemError.reading(upTo: count) { Foundation.read(descriptor, $0, count) }
    }

    /// Reads from the current position without waiting for a disk: returns how many bytes were read, 0 at the end of the
    /// file; `nil` if the read would have to wait, or the system does not support such reads.
    func readCached(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard let start = buffer.baseAddress else { return nil }
        let count = cp_read_cached(descriptor, start, buffer.count)
        return count < 0 ? nil : count
    }

    /// Whether the file at this path is still the open file, unchanged since it was measured; follows symbolic links.
    /// If no file has this path any more, the time of the change does not count, as the removal has set it.
    func isUnchanged(_ measured: FileStamp, at path: String) -> Bool {
        var stamp = cp_stamp()
        let error = cp_read_stamp_of(path, &stamp)
        guard error == ENOENT else { return error == 0 && FileStamp(stamp) == measured }
        return (try? Self.stamp(descriptor))?.hasSameContents(as: measured) == true
    }

    private static func stamp(_ descriptor: Int32) throws(POSIXError) -> FileStamp {
        var stamp = cp_stamp()
        let error = cp_read_stamp(descriptor, &stamp)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
        return FileStamp(stamp)
    }
}

enum SystemError {
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    /// The bytes that a call reads into a buffer. The call is repeated if a signal interrupts it.
    static func reading(upTo count: Int, _ call: (UnsafeMutableRawPointer) -> Int) throws(POSIXError) -> Data {
        guard let buffer = malloc(count) else { throw POSIXError(.ENOMEM) }
        var received = -1
        repeat { received = call(buffer) } while received < 0 && errno == EINTR
        let failure = received < 0 ? last : nil
        guard received > 0 else {
            free(buffer)
            if let failure { throw failure }
            return Data()
        }
        return Data(bytesNoCopy: buffer, count: received, deallocator: .free)
    }

    static func writing(_ data: Data, _ call: (UnsafeRawPointer, Int) -> Int) throws(POSIXError) {
        let failure = data.withUnsafeBytes { bytes -> POSIXError? in
            var offset = 0
            while let start = bytes.baseAddress, offset < bytes.count {
                let count = call(start + offset, bytes.count - offset)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return last }
                offset += count
            }
            return nil
        }
        if let failure { throw failure }
    }

    static func text(_ error: POSIXError) -> String { String(cString: strerror(error.code.rawValue)) }

    static func text(ofFile error: POSIXError) -> String {
        switch error.code {
        case .EINVAL: "It is not a regular file"
        case .ESTALE: "Another file has taken its place"
        default: text(error)
        }
    }
}
