package import Foundation

/// Reads a measured body from its start to its end, once. Used by one task, or one thread, at a time.
package final class BodyReader {
    private var waiting: ArraySlice<MeasuredBody.Piece>
    private var current: OpenPiece?

    private enum OpenPiece {
        case data(Data)
        case file(FileReader)
        case stream(StreamReader)
        case compressed(CompressingReader)
    }

    init(_ body: MeasuredBody) { waiting = body.pieces[...] }

    /// The next bytes, never none; `nil` at the end.
    package func next() async throws(AsyncNetError) -> Data? {
        while try advance(), let source = current {
            let chunk: Data? =
                switch source {
                case .data, .file: try takeAtOnce(source)
                case .stream(let stream): try await stream.next()
                case .compressed(let reader): try await reader.next()
                }
            if let chunk, !chunk.isEmpty { return chunk }
            if chunk == nil { current = nil }
        }
        return nil
    }

    /// The next bytes of a body that ``MeasuredBody/isReadableAtOnce``; `nil` at the end.
    package func nextAtOnce() throws(AsyncNetError) -> Data? {
        while try advance(), let source = current {
            let chunk = try takeAtOnce(source)
            if let chunk, !chunk.isEmpty { return chunk }
            if chunk == nil { current = nil }
        }
        return nil
    }

    /// Moves the next bytes into a buffer, without ever waiting: how many, 0 at the end, `nil` if what comes has to be
    /// waited for.
    package func readCached(into buffer: UnsafeMutableRawBufferPointer) throws(AsyncNetError) -> Int? {
        while try advance(), let piece = current {
            switch piece {
            case .data(let data):
                let count = data.copyBytes(to: buffer)
                current = count == data.count ? nil : .data(data.dropFirst(count))
                if count > 0 { return count }
            case .file(let file):
                guard let count = try file.readCached(into: buffer) else { return nil }
                if count > 0 { return count }
                current = nil
            case .stream, .compressed: return nil
            }
        }
        return 0
    }

    private func takeAtOnce(_ source: OpenPiece) throws(AsyncNetError) -> Data? {
        switch source {
        case .data(let data):
            current = nil
            return data
        case .file(let file): return try file.next()
        case .stream, .compressed: return nil
        }
    }

    /// Goes on to the next piece if there is none; `false` at the end.
    private func advance() throws(AsyncNetError) -> Bool {
        guard current == nil else { return true }
        switch waiting.popFirst() {
        case nil: return false
        case .data(let data): current = .data(data)
        case .file(let file): current = .file(try FileReader(file))
        case .stream(let stream): current = .stream(stream.makeReader())
        case .compressed(let body, let coding): current = .compressed(try CompressingReader(body.makeReader(), coding))
        }
        return true
    }
}

/// Reads a file piece by piece and sees to it that it stays what was measured.
private final class FileReader {
    private let measured: MeasuredFile
    private let file: InputFile
    private var rest: Int64

    /// As fast as larger ones, and four of them are all that an upload holds.
    private static let pieceSize: Int64 = 128 * 1024

    init(_ measured: MeasuredFile) throws(AsyncNetError) {
        self.measured = measured
        file = try MeasuredFile.open(measured.url)
        rest = measured.stamp.size
        if file.stamp != measured.stamp { throw changed }
    }

    /// The last piece is given only once the file is known not to have changed.
    func next() throws(AsyncNetError) -> Data? {
        guard rest > 0 else { return nil }
        let piece = try read()
        rest -= Int64(piece.count)
        guard !piece.isEmpty, rest > 0 || isUnchanged else { throw changed }
        return piece
    }

    /// The same into a buffer without waiting for a disk; 0 at the end, `nil` if it would have to wait.
    func readCached(into buffer: UnsafeMutableRawBufferPointer) throws(AsyncNetError) -> Int? {
        guard rest > 0 else { return 0 }
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(min(rest, Int64(buffer.count)))))
        // Linux 5.9 and 5.10 say 0 where they mean that they would have to wait: a read that waits tells the end from
        // that.
        guard let count = file.readCached(into: room), count > 0 else { return nil }
        rest -= Int64(count)
        guard rest > 0 || isUnchanged else { throw changed }
        return count
    }

    private func read() throws(AsyncNetError) -> Data {
        do { return try file.read(upTo: Int(min(rest, Self.pieceSize))) } catch {
            throw MeasuredFile.unreadable(measured.url, error)
        }
    }

    /// Looks at the name, not at what is open: another file that took its place, by a rename for instance, has another
    /// inode.
    private var isUnchanged: Bool { file.isUnchanged(measured.stamp, at: measured.url.path) }

    private var changed: AsyncNetError {
        AsyncNetError(.fileChanged, "The file \"\(measured.url.lastPathComponent)\" changed while it was sent")
    }
}
