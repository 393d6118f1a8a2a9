import Foundation

/// Reads a measured body once, from start to end. Used by one task or thread at a time.
final class BodyReader {
    private var waiting: ArraySlice<MeasuredBody.Piece>
    private var current: OpenPiece?
    /// Receives the bytes that are read, and `nil` at the end.
    private let tap: (@Sendable (UnsafeRawBufferPointer?) -> Void)?
    private let makeTrailers: (@Sendable () async throws -> HTTPHeaders)?

    private enum OpenPiece {
        case data(Data)
        case file(FileReader)
        case stream(StreamReader)
        case compressed(CompressingReader)
    }

    init(_ body: MeasuredBody, tap: (@Sendable (UnsafeRawBufferPointer?) -> Void)?) {
        waiting = body.pieces[...]
        self.tap = tap
        makeTrailers = body.trailers
    }

    /// The next bytes, never empty; `nil` at the end.
    func next() async throws(AsyncNetError) -> Data? {
        while try advance(), let source = current {
            let chunk: Data? =
                switch source {
                case .data, .file: try takeAtOnce(source)
                case .stream(let stream): try await stream.next()
                case .compressed(let reader): try await reader.next()
                }
            if let chunk, !chunk.isEmpty { return tapped(chunk) }
            if chunk == nil { current = nil }
        }
        return tapped(nil)
    }

    /// As ``next()``, for a body whose ``MeasuredBody/isReadableAtOnce`` is `true`: waits only for a disk.
    func nextAtOnce() throws(AsyncNetError) -> Data? {
        while try advance(), let source = current {
            let chunk = try takeAtOnce(source)
            if let chunk, !chunk.isEmpty { return tapped(chunk) }
            if chunk == nil { current = nil }
        }
        return tapped(nil)
    }

    /// Copies the next bytes into a buffer; returns their number, 0 at the end, or `nil` if they must be waited for.
    func readCached(into buffer: UnsafeMutableRawBufferPointer) throws(AsyncNetError) -> Int? {
        while try advance(), let piece = current {
            switch piece {
            case .data(let data):
                let count = data.copyBytes(to: buffer)
                current = count == data.count ? nil : .data(data.dropFirst(count))
                if count > 0 { return tapped(count, in: buffer) }
            case .file(let file):
                guard let count = try file.readCached(into: buffer) else { return nil }
                if count > 0 { return tapped(count, in: buffer) }
                current = nil
            case .stream, .compressed: return nil
            }
        }
        tap?(nil)
        return 0
    }

    /// The body's trailers; called after the last chunk. Throws `.bodyStreamFailed` or `.invalidRequest`.
    func trailers() async throws(AsyncNetError) -> HTTPHeaders {
        guard let makeTrailers else { return [:] }
        let trailers: HTTPHeaders
        do { trailers = try await makeTrailers() } catch {
            throw AsyncNetError(.bodyStreamFailed, underlyingError: error)
        }
        try trailers.validate()
        for trailer in trailers {
            // Headers that must not be trailers (RFC 9110 §6.5.1).
            guard !Self.noTrailers.contains(where: trailer.hasName) else {
                throw AsyncNetError(.invalidRequest, "The header \(trailer.name) cannot be a trailer")
            }
        }
        return trailers
    }

    private static let noTrailers = [
        "Transfer-Encoding", "Content-Length", "Host", "Trailer", "TE", "Connection", "Expect", "Authorization",
        "Content-Encoding", "Content-Type", "Content-Range",
    ]

    private func tapped(_ chunk: Data?) -> Data? {
        guard let tap else { return chunk }
        if let chunk { chunk.withUnsafeBytes { tap($0) } } else { tap(nil) }
        return chunk
    }

    private func tapped(_ count: Int, in buffer: UnsafeMutableRawBufferPointer) -> Int {
        tap?(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
        return count
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

    /// Opens the next piece if none is open; `false` at the end.
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

/// Reads a file in pieces, and checks that it has not changed since it was measured.
private final class FileReader {
    private let measured: MeasuredFile
    private let file: InputFile
    private var rest: Int64

    /// Larger pieces are not faster, and an upload buffers several pieces.
    private static let pieceSize: Int64 = 128 * 1024

    init(_ measured: MeasuredFile) throws(AsyncNetError) {
        self.measured = measured
        file = try MeasuredFile.open(measured.url)
        rest = measured.stamp.size
        if file.stamp != measured.stamp { throw changed }
    }

    /// The last piece is returned only if the file has not changed.
    func next() throws(AsyncNetError) -> Data? {
        guard rest > 0 else { return nil }
        let piece: Data
        do { piece = try file.read(upTo: Int(min(rest, Self.pieceSize))) } catch {
            throw MeasuredFile.unreadable(measured.url, error)
        }
        rest -= Int64(piece.count)
        guard !piece.isEmpty, rest > 0 || isUnchanged else { throw changed }
        return piece
    }

    /// Reads into a buffer from the page cache; returns 0 at the end, and `nil` if the read would wait for the disk.
    func readCached(into buffer: UnsafeMutableRawBufferPointer) throws(AsyncNetError) -> Int? {
        guard rest > 0 else { return 0 }
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(min(rest, Int64(buffer.count)))))
        // Linux 5.9 and 5.10 return 0 instead of EAGAIN. After `nil` a blocking read finds whether the file ended.
        guard let count = file.readCached(into: room), count > 0 else { return nil }
        rest -= Int64(count)
        guard rest > 0 || isUnchanged else { throw changed }
        return count
    }

    /// Whether the file at the path, not only the open file, is unchanged: a rename may have replaced it.
    private var isUnchanged: Bool { file.isUnchanged(measured.stamp, at: measured.url.path) }

    private var changed: AsyncNetError {
        AsyncNetError(.fileChanged, "The file \"\(measured.url.lastPathComponent)\" changed while it was sent")
    }
}
