import CPlatform
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Which file it is, how long, and when it was last written and changed: where these differ somebody changed it in
/// between.
///
/// A writer can set the time of writing back, but not the time of the change.
struct FileStamp: Equatable, Sendable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    let modifiedSeconds: Int64
    let modifiedNanoseconds: Int64
    let changedSeconds: Int64
    let changedNanoseconds: Int64

    /// By all but the time of the change.
    fileprivate func hasSameContents(as other: FileStamp) -> Bool {
        (device, inode, size) == (other.device, other.inode, other.size)
            && (modifiedSeconds, modifiedNanoseconds) == (other.modifiedSeconds, other.modifiedNanoseconds)
    }

    fileprivate init(_ stamp: cp_stamp) {
        (device, inode, size) = (stamp.device, stamp.inode, stamp.size)
        (modifiedSeconds, modifiedNanoseconds) = (stamp.modified_seconds, stamp.modified_nanoseconds)
        (changedSeconds, changedNanoseconds) = (stamp.changed_seconds, stamp.changed_nanoseconds)
    }
}

/// A regular file that is open for reading. Closed when nobody holds it any more.
///
/// Other kinds are refused: reading a pipe or a device can block its thread for good, and of those Swift has few.
final class InputFile: Sendable {
    /// As it was when the file was opened.
    let stamp: FileStamp
    private let descriptor: Int32

    init(_ path: String) throws(POSIXError) {
        // Without O_NONBLOCK opening a pipe would wait for somebody to write to it.
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

    /// Up to `count` bytes from where the last read ended; none at the end.
    func read(upTo count: Int) throws(POSIXError) -> Data {
        try SystemError.reading(upTo: count) { systemRead(descriptor, $0, count) }
    }

    /// Reads on into a buffer without ever waiting for a disk: how many bytes, 0 at the end, `nil` if it would have to
    /// wait or cannot tell.
    func readCached(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard let start = buffer.baseAddress else { return nil }
        let count = cp_read_cached(descriptor, start, buffer.count)
        return count < 0 ? nil : count
    }

    /// Whether the file of this name is still the one that is open, as it was when it was measured; links are followed,
    /// as on opening.
    ///
    /// Where no file has the name any more, the open one counts. Losing its name has set its time of change.
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

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

/// What the system says went wrong.
enum SystemError {
    /// Of the last call that failed on this thread.
    static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    /// What a call that reads into a buffer reads; it is called again if a signal interrupts it.
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

    /// Writes all of the data with as many calls as it takes.
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

    /// In the system's words, such as `No such file or directory`.
    static func text(_ error: POSIXError) -> String {
        switch error.code {
        case .EINVAL: "It is not a regular file"
        case .ESTALE: "Another file has taken its place"
        default: String(cString: strerror(error.code.rawValue))
        }
    }
}
