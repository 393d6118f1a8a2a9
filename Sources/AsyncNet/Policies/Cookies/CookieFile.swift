package import Foundation

/// The file of a cookie jar. Nobody but its owner may read it: it holds what logs in.
package final class CookieFile: Sendable {
    private let url: URL
    /// The latest of the jar's states that was written.
    private let written = Locked(0)

    package init(_ url: URL) { self.url = url }

    /// Beyond any that a jar can fill.
    private static let maximumSize = 64 << 20

    /// What is in it, nothing if there is none.
    @concurrent
    package func read() async throws(AsyncNetError) -> Data {
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

    /// Puts a new file in the place of the old one; whoever looks sees one of them, whole.
    ///
    /// - Parameter generation: An older state never replaces a newer one, whichever comes first to the disk.
    @concurrent
    package func write(_ text: String, generation: Int) async throws(AsyncNetError) {
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

    /// A temporary file has mode 0600.
    private func replace(with data: Data) throws(POSIXError) {
        let path = try path()
        guard !FileSystem.exists(path) || FileSystem.size(path) != nil else { throw POSIXError(.EINVAL) }
        let temporary = try TemporaryFile(in: (path as NSString).deletingLastPathComponent, keepsName: true)
        try temporary.append(data)
        guard let name = temporary.path else { return }
        try FileSystem.move(name, to: path, replaces: true)
    }

    /// A link stays one: what it leads to is replaced.
    private func path() throws(POSIXError) -> String {
        guard url.isFileURL else { throw POSIXError(.EINVAL) }
        return url.absoluteURL.resolvingSymlinksInPath().path
    }

    private func failure(_ code: AsyncNetError.Code, _ what: String, _ error: POSIXError) -> AsyncNetError {
        AsyncNetError(
            code, "The cookie file \"\(url.lastPathComponent)\" cannot be \(what): \(SystemError.text(error))",
            underlyingError: error)
    }
}
