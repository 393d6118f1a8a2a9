public import AsyncNet
import AsyncNetMonitors
public import Foundation

extension Recording {
    /// Writes the recording to a file in the HTTP Archive format, HAR 1.2
    /// (http://www.softwareishard.com/blog/har-12-spec/), whole or not at all.
    ///
    /// Another process sees the former file or the new one. The folder is made if it is missing. Secrets are redacted,
    /// and the same traffic gives the same file; see ``RecordingFormat``. Bodies in UTF-8 are written as text;
    /// `_readable` beside the text is a copy for people, with JSON indented, that a replay ignores. Large bodies that
    /// are no text are written to the folder `NAME.har.files` beside the file; unused files in it are removed.
    ///
    /// Fields of AsyncNet's own: `_error`, `_truncated`, `_readable`, `_file`, `_encoding`, `_chunks` with the pieces
    /// of a body in bytes and their times in milliseconds, `_informational`, `_trailers`.
    ///
    /// - Parameters:
    ///   - file: The file, which is replaced if it exists.
    ///   - format: What is written.
    /// - Throws: `AsyncNetError` with code `.fileNotWritable`.
    public func write(to file: URL, as format: RecordingFormat = .standard) throws(AsyncNetError) {
        let writer = RecordingWriter(self, format)
        do { try writer.write(to: file) } catch {
            throw AsyncNetError(
                .fileNotWritable, "The recording \(file.lastPathComponent) cannot be written", underlyingError: error)
        }
    }

    /// Writes the recording as ``write(to:as:)`` does, in the standard format with another rule for redaction.
    public func write(to file: URL, redaction: RedactionRule) throws(AsyncNetError) {
        try write(to: file, as: RecordingFormat(redaction: redaction))
    }
}

/// The text of a recording's file, and the bodies beside it.
struct RecordingWriter {
    private let entries: [HAREntry]
    private let bodies: BodyFiles

    init(_ recording: Recording, _ format: RecordingFormat) {
        var exchanges = recording.exchanges.map(format.written)
        if format.isSorted { exchanges = Self.sorted(exchanges) }
        var bodies = BodyFiles(largestInline: format.largestBinaryBody)
        entries = exchanges.map { HAREntry($0, &bodies) }
        self.bodies = bodies
    }

    private static func sorted(_ exchanges: [RecordedExchange]) -> [RecordedExchange] {
        func key(_ request: RecordedExchange.Request) -> [String] {
            [request.url.absoluteString, request.method.rawValue, request.body.base64EncodedString()]
        }
        let keyed = exchanges.enumerated().map { (key: key($1.request), index: $0, exchange: $1) }
        return keyed.sorted {
            $0.key == $1.key ? $0.index < $1.index : $0.key.lexicographicallyPrecedes($1.key)
        }.map(\.exchange)
    }

    /// Writes the bodies' files before the file that names them.
    func write(to file: URL) throws {
        let text = try HARText.file(entries, comment: nil)
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let beside = BodyFiles.folder(of: file)
        let made = try bodies.write(to: beside)
        do { try text.write(to: file, options: .atomic) } catch {
            made.forEach { try? FileManager.default.removeItem(at: $0) }
            BodyFiles.removeIfEmpty(beside)
            throw error
        }
        bodies.removeOthers(in: beside)
    }
}
