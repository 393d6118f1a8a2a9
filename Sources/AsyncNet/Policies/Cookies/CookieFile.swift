import Foundation

/// The file of a cookie jar. Only its owner may read it, since cookies authenticate sessions.
final class CookieFile: Sendable {
    private let url: URL
    /// The number of the latest written state of the jar.
    private let written = Locked(0)

    init(_ url: URL) { self.url = url }

    /// The largest file that is read, in bytes. A full jar needs less.
    private static let maximumSize = 64 << 20

    /// The file's content; empty if there is no file.
    @concurrent
    func read() async throws(AsyncNetError) -> Data {
        do throws(POSIXError) {
            let file = try InputFile(try path())
            var data = Data()
            while case let piece = try file.read(upTo: 1 << 20), !piece.isEmpty {
                data.append(piece)
                guard data.count <= Self.maximumSize else { throw POSIXError(.EFBIG) }
            }
            return data
        } catch {
            if error.code == .ENOENT { return Data() }
            throw failure(.fileNotReadable, "read", error)
        }
    }

    /// Replaces the file in one step, so that readers see either the old or the new content.
    ///
    /// - Parameter generation: The number of the jar's state. An older state never replaces a newer one, even if it is
    ///   written later.
    @concurrent
    func write(_ text: String, generation: Int) async throws(AsyncNetError) {
        try written.withLock { written throws(AsyncNetError) in
            guard generation > written else { return }
            do throws(POSIXError) {
                try replace(with: Data(text.utf8))
            } catch {
                throw failure(.fileNotWritable, "written", error)
            }
            written = generation
        }
    }

    /// Writes a temporary file, which has mode 0600, and moves it.
    private func replace(with data: Data) throws(POSIXError) {
        let path = try path()
        guard !FileSystem.exists(path) || FileSystem.size(path) != nil else { throw POSIXError(.EINVAL) }
        let temporary = try TemporaryFile(in: (path as NSString).deletingLastPathComponent, keepsName: true)
        try temporary.append(data)
        guard let name = temporary.path else { return }
        try FileSystem.move(name, to: path, replaces: true)
    }

    /// The path with symbolic links resolved, so that the target of a link is replaced and not the link.
    private func path() throws(POSIXError) -> String {
        guard url.isFileURL else { throw POSIXError(.EINVAL) }
        return FileSystem.resolved(url.absoluteURL.path)
    }

    private func failure(_ code: AsyncNetError.Code, _ what: String, _ error: POSIXError) -> AsyncNetError {
        AsyncNetError(
            code, "The cookie file \"\(url.lastPathComponent)\" cannot be \(what): \(SystemError.text(ofFile: error))",
            underlyingError: error)
    }
}
