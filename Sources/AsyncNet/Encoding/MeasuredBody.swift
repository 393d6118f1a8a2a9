import Foundation

/// A body immediately before it is sent: its files have been checked, and its length is known if that is possible.
package struct MeasuredBody: Sendable {
    enum Piece: Sendable {
        case data(Data)
        case file(MeasuredFile)
        case stream(BodyStream)
        indirect case compressed(MeasuredBody, ContentCoding)

        var length: Int64? {
            switch self {
            case .data(let data): Int64(data.count)
            case .file(let file): file.stamp.size
            case .stream(let stream): stream.length
            case .compressed: nil
            }
        }
    }

    let pieces: [Piece]
    private let tap: RequestBodyTap?
    let trailers: (@Sendable () async throws -> HTTPHeaders)?
    package let length: Int64?

    /// Measures the files, with up to three system calls each; throws `.fileNotReadable` or errors of an invalid body.
    package init(_ body: RequestBody) throws(AsyncNetError) {
        try body.check()
        (tap, trailers) = (body.tap, body.trailers)
        pieces = try Self.pieces(body)
        var sum: Int64? = 0
        for piece in pieces { sum = Self.sum(sum, piece.length) }
        length = sum
    }

    private static func pieces(_ body: RequestBody) throws(AsyncNetError) -> [Piece] {
        switch body.content {
        case .none: []
        case .data(let data): [.data(data)]
        case .file(let url): [.file(try MeasuredFile(url))]
        case .stream(let stream): [.stream(stream)]
        case .compressed(let body, let coding): [.compressed(try MeasuredBody(body), coding)]
        case .multipart(let form): try pieces(form)
        }
    }

    /// Delimiters are joined with adjacent parts in memory, so that there are few small pieces.
    private static func pieces(_ form: MultipartForm) throws(AsyncNetError) -> [Piece] {
        var pieces: [Piece] = []
        for part in form.parts {
            append(.data(try form.opening(part)), to: &pieces)
            for piece in try self.pieces(part.body) { append(piece, to: &pieces) }
            append(.data(Data("\r\n".utf8)), to: &pieces)
        }
        append(.data(form.closing), to: &pieces)
        return pieces
    }

    private static let small = 64 * 1024

    private static func append(_ piece: Piece, to pieces: inout [Piece]) {
        if case .data(let new) = piece, case .data(var last) = pieces.last, last.count + new.count <= small {
            pieces.removeLast()
            last.append(new)
            pieces.append(.data(last))
        } else {
            pieces.append(piece)
        }
    }

    private static func sum(_ one: Int64?, _ other: Int64?) -> Int64? {
        guard let one, let other else { return nil }
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? nil : sum
    }

    /// Whether the body can be read without waiting for anything but a disk: no code of the user's is called.
    package var isReadableAtOnce: Bool {
        pieces.allSatisfy { piece in
            switch piece {
            case .data, .file: true
            case .stream, .compressed: false
            }
        }
    }

    func makeReader() -> BodyReader { BodyReader(self, tap: tap?()) }
}

/// A file's state when the body was measured.
struct MeasuredFile: Sendable {
    let url: URL
    let stamp: FileStamp

    init(_ url: URL) throws(AsyncNetError) {
        self.url = url
        let file = try Self.open(url)
        stamp = file.stamp
        // Files that the system generates on reading, such as those in /proc, have the size 0.
        if stamp.size == 0, let bytes = try? file.read(upTo: 1), !bytes.isEmpty {
            throw AsyncNetError(
                .fileNotReadable,
                "The file \"\(url.lastPathComponent)\" has no known length; send it as a stream")
        }
    }

    static func open(_ url: URL) throws(AsyncNetError) -> InputFile {
        guard url.isFileURL else {
            throw AsyncNetError(.fileNotReadable, "The URL of a file to send is not a file URL")
        }
        do {
            return try InputFile(url.path)
        } catch {
            throw unreadable(url, error)
        }
    }

    static func unreadable(_ url: URL, _ error: POSIXError) -> AsyncNetError {
        AsyncNetError(
            .fileNotReadable,
            "The file \"\(url.lastPathComponent)\" cannot be read: \(SystemError.text(ofFile: error))",
            underlyingError: error)
    }
}
