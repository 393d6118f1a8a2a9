import CAsyncNetPlatform
package import Foundation

package enum FileSystem {
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    static func size(_ path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// The permissions of a regular file of this user.
    static func permissions(_ path: String) -> mode_t? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            return nil
        }
        return status.st_mode & 0o777
    }

    /// The path that symbolic links of this user or of root lead to, also if no file is there. Links to anything but a
    /// regular file stay: that to a pipe, such as /dev/stdin, has no path as its target.
    package static func resolved(_ path: String) -> String {
        var (path, status) = (path, stat())
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG { return path }
        for _ in 0..<40 {
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
                [0, geteuid()].contains(status.st_uid),
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            else { break }
            let folder = (path as NSString).deletingLastPathComponent
            path = target.hasPrefix("/") || folder.isEmpty ? target : "\(folder)/\(target)"
        }
        return path
    }

    static func remove(_ path: String) { unlink(path) }

    /// Renames a file in one step. Throws `EEXIST` if the target exists, unless `replaces` is set.
    static func move(_ path: String, to target: String, replaces: Bool) throws(POSIXError) {
        if !replaces {
            let error = cp_rename_new(path, target)
            guard error != 0 else { return }
            guard error == EINVAL || error == ENOSYS || error == ENOTSUP else {
                throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO)
            }
            // Unlike `rename`, `link` fails if the target exists.
            if link(path, target) == 0 {
                unlink(path)
                return
            }
            guard errno != EEXIST, !exists(target) else { throw POSIXError(.EEXIST) }
        }
        guard rename(path, target) == 0 else { throw SystemError.last }
    }

    /// Opens a regular file of this user for reading; `nil` for anything else, such as symbolic links and pipes.
    static func openOwn(_ path: String) -> Int32? {
        // Without O_NONBLOCK, opening a pipe waits for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// The contents of a regular file of this user; `nil` if it has more than `limit` bytes.
    static func readOwn(_ path: String, upTo limit: Int) -> Data? {
        guard let descriptor = openOwn(path) else { return nil }
        defer { close(descriptor) }
        var data = Data()
        while data.count <= limit {
            guard let piece = try? SystemError.reading(upTo: limit + 1, { read(descriptor, $0, limit + 1) })
            else { return nil }
            if piece.isEmpty { return data }
            data.append(piece)
        }
        return nil
    }

    /// Writes a file that only this user may read, in one step: another process sees the whole file or the former one.
    /// Throws `EINVAL` in place of replacing what is no regular file, such as a device or a symbolic link.
    package static func writePrivately(_ data: Data, to path: String) throws(POSIXError) {
        guard !exists(path) || size(path) != nil else { throw POSIXError(.EINVAL) }
        let folder = (path as NSString).deletingLastPathComponent
        let temporary = try TemporaryFile(in: folder.isEmpty ? "." : folder, keepsName: true)
        guard let name = temporary.path else { throw POSIXError(.EIO) }
        try temporary.append(data)
        try move(name, to: path, replaces: true)
    }
}
