import CPlatform
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

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
            let error = cp_rename_new(path, target)
            guard error != 0 else { return }
            guard error == EINVAL || error == ENOSYS || error == ENOTSUP else {
                throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO)
            }
            // A second name cannot be given to a name that is taken, which renaming would not mind.
            if link(path, target) == 0 {
                unlink(path)
                return
            }
            guard errno != EEXIST, !exists(target) else { throw POSIXError(.EEXIST) }
        }
        guard rename(path, target) == 0 else { throw SystemError.last }
    }

    // MARK: Files that only this user may see or have made

    /// A regular file of this user's, open for reading; `nil` for anything else, links and pipes among it.
    static func openOwn(_ path: String) -> Int32? {
        // Without O_NONBLOCK opening a pipe would wait for somebody to write to it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// The contents of such a file; `nil` if it is longer than that.
    static func readOwn(_ path: String, upTo limit: Int) -> Data? {
        guard let descriptor = openOwn(path) else { return nil }
        defer { close(descriptor) }
        var data = Data()
        while data.count <= limit {
            guard let piece = try? SystemError.reading(upTo: limit + 1, { systemRead(descriptor, $0, limit + 1) })
            else { return nil }
            if piece.isEmpty { return data }
            data.append(piece)
        }
        return nil
    }

    /// Writes a file that nobody else may read, from its first moment on, in one step: whoever looks sees all of it or
    /// what was there before.
    static func writePrivately(_ data: Data, to path: String) throws(POSIXError) {
        let folder = (path as NSString).deletingLastPathComponent
        let temporary = try TemporaryFile(in: folder.isEmpty ? "." : folder, keepsName: true)
        guard let name = temporary.path else { throw POSIXError(.EIO) }
        try temporary.append(data)
        try move(name, to: path, replaces: true)
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
