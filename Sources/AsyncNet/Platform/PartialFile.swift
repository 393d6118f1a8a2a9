import CAsyncNetPlatform
import Foundation

/// The marks of partial files, which prove that a download made them: resume data is `Codable`, so it may come from
/// anywhere and name any file.
///
/// A mark is a random text, in the resume data and in an extended attribute of the file. If the file system has no
/// attributes, a second file, `NAME.mark`, has the mark and the inode of the first. Forged resume data can neither mark
/// a file nor make a second file.
enum PartialFile {
    enum MarkPlace: Sendable {
        /// In an extended attribute if the file system has them, otherwise in a second file.
        case attribute
        case beside
    }

    static let suffix = ".partial"
    private static let longestMark = 64

    /// The mark of a file that a download made; `nil` for a file that is not regular, has no suffix or mark, is
    /// another user's, or has a second hard link.
    static func mark(at path: String) -> String? {
        guard let descriptor = FileSystem.openOwn(path) else { return nil }
        defer { close(descriptor) }
        return mark(of: descriptor, at: path)
    }

    static func mark(of descriptor: Int32, at path: String) -> String? {
        var status = stat()
        guard path.hasSuffix(suffix), fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_nlink == 1, status.st_uid == geteuid()
        else { return nil }
        return attribute(of: descriptor) ?? markBeside(path, inode: UInt64(status.st_ino))
    }

    private static func attribute(of descriptor: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: longestMark)
        let count = cp_read_mark(descriptor, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }

    private static func markBeside(_ path: String, inode: UInt64) -> String? {
        guard let text = FileSystem.readOwn(path + ".mark", upTo: 2 * longestMark) else { return nil }
        let words = String(decoding: text, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        return words.count == 2 && words[1] == "\(inode)" ? String(words[0]) : nil
    }

    static func write(_ mark: String, on descriptor: Int32, at path: String, _ place: MarkPlace) throws(POSIXError) {
        let bytes = Array(mark.utf8)
        if place == .attribute, cp_write_mark(descriptor, bytes, bytes.count) == 0 { return }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError.last }
        try FileSystem.writePrivately(Data("\(mark) \(status.st_ino)".utf8), to: path + ".mark")
    }

    static func removeMark(of descriptor: Int32, at path: String) {
        cp_remove_mark(descriptor)
        FileSystem.remove(path + ".mark")
    }

    /// Removes the file if it has this mark. Another file at this path is kept.
    static func remove(_ path: String, _ mark: String?) {
        guard let mark, self.mark(at: path) == mark else { return }
        FileSystem.remove(path)
        FileSystem.remove(path + ".mark")
    }
}
