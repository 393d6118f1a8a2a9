import Foundation

/// A file that is in its place only once it is whole. What is there and is no regular file, such as /dev/null, is
/// written to, not replaced.
struct AtomicFile {
    private let name: String
    /// `nil` for a special file.
    private let temporary: String?
    private let file: FileHandle

    /// The permissions of the regular file that is replaced.
    private let mode: mode_t?

    /// - Throws: ``ExitError`` if a regular file is there that may not be written to.
    init(_ link: String) throws(ExitError) {
        name = Self.resolved(link)
        mode = try Self.mode(of: name)
        var descriptor: Int32
        if Self.isSpecial(name) {
            temporary = nil
            descriptor = open(name, O_WRONLY | O_CLOEXEC)
        } else {
            var template = Array("\(name).XXXXXX".utf8CString)
            descriptor = mkstemp(&template)
            temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        guard descriptor >= 0 else { throw Self.unwritable(name, String(cString: strerror(errno))) }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// The name of the file that symbolic links of this user or of root lead to. What is no regular file keeps its
    /// name: the link /dev/stdout to a pipe has no name as its target.
    static func resolved(_ link: String) -> String {
        var (name, status) = (link, stat())
        if isSpecial(name) { return name }
        for _ in 0..<40 {
            guard lstat(name, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
                [0, geteuid()].contains(status.st_uid),
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: URL(file: name).path)
            else { break }
            name = URL(fileURLWithPath: target, relativeTo: URL(file: name).deletingLastPathComponent()).path
        }
        return name
    }

    /// The permissions of a regular file; `nil` if there is none.
    ///
    /// - Throws: ``ExitError`` if the file may not be written to, although its folder would allow to replace it.
    static func mode(of name: String) throws(ExitError) -> mode_t? {
        var status = stat()
        guard stat(name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        guard access(name, W_OK) == 0 else { throw unwritable(name, String(cString: strerror(errno))) }
        return status.st_mode & 0o777
    }

    static func isSpecial(_ name: String) -> Bool {
        var status = stat()
        return stat(name, &status) == 0 && status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
    }

    func write(_ data: Data) throws(ExitError) {
        do { try file.write(contentsOf: data) } catch { throw Self.unwritable(name, ExitError.cause(error)) }
    }

    func commit() throws(ExitError) {
        guard let temporary else { return }
        let mask = umask(0)
        umask(mask)
        fchmod(file.fileDescriptor, mode ?? 0o666 & ~mask)
        guard rename(temporary, name) == 0 else {
            let cause = String(cString: strerror(errno))
            discard()
            throw Self.unwritable(name, cause)
        }
    }

    func discard() {
        if let temporary { unlink(temporary) }
    }

    static func unwritable(_ name: String, _ cause: String) -> ExitError {
        ExitError(ExitStatus.cannotWrite, "The file \(name) cannot be written to. \(cause).")
    }

    static func write(_ data: Data, to name: String) throws(ExitError) {
        let file = try AtomicFile(name)
        do throws(ExitError) {
            try file.write(data)
        } catch {
            file.discard()
            throw error
        }
        try file.commit()
    }
}

extension URL {
    /// The file with this name, which is the shell's to expand: Foundation would take `~root` for a user's home.
    init(file name: String) { self.init(fileURLWithPath: name.hasPrefix("~") ? "./\(name)" : name) }
}
