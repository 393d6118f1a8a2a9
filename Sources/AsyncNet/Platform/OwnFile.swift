import CAsyncNetPlatform
import Foundation

/// A regular file of this user that is open for reading, closed with the last reference. Each read names its offset.
final class OwnFile: Sendable {
    let size: Int64
    private let descriptor: Int32

    init?(_ path: String) {
        guard let descriptor = FileSystem.openOwn(path) else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            close(descriptor)
            return nil
        }
        (self.descriptor, size) = (descriptor, Int64(status.st_size))
    }

    deinit { close(descriptor) }

    func read(_ count: Int, at offset: Int64) -> Data? {
        var data = Data()
        while data.count < count {
            let (rest, place) = (count - data.count, offset + Int64(data.count))
            let piece = try? SystemError.reading(upTo: rest) { pread(descriptor, $0, rest, off_t(place)) }
            guard let piece, !piece.isEmpty else { return nil }
            if data.isEmpty { data = piece } else { data.append(piece) }
        }
        return data
    }

    func touch() { futimens(descriptor, nil) }
}

extension FileSystem {
    struct Listed {
        let path: String
        let size: Int64
        /// The time of modification in seconds since 1970.
        let modified: Double

        var age: Double { Date().timeIntervalSince1970 - modified }
    }

    static func listed(_ path: String) -> Listed? {
        var stamp = cp_stamp()
        guard cp_read_stamp_of(path, &stamp) == 0 else { return nil }
        let modified = Double(stamp.modified_seconds) + Double(stamp.modified_nanoseconds) / 1e9
        return Listed(path: path, size: stamp.size, modified: modified)
    }

    /// Whether this user owns a folder, and only this user and the folder's group may write to it.
    static func isOwn(_ folder: String) -> Bool {
        var status = stat()
        return stat(folder, &status) == 0 && status.st_uid == geteuid() && status.st_mode & S_IWOTH == 0
    }

    static func makeFolder(_ path: String) { mkdir(path, 0o700) }

    /// Runs the code while it alone holds the lock of a file, which is made if needed; `nil` without running the code
    /// if the file cannot be opened, or another process or thread holds the lock.
    static func withLock<Value>(at path: String, _ code: () -> Value) -> Value? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
        return code()
    }
}
