public import Foundation

/// The body of a request.
///
///     try await session.upload(.file(fileURL), to: url).serializing(Receipt.self).value
///
/// Creating a body does no I/O: files are opened when the request is sent.
public struct RequestBody: Sendable {
    /// Whether the body can be sent again, for a redirect (307, 308), a challenge or a retry.
    public enum Replay: Sendable {
        /// The body can be read only once.
        case once
        /// The body can be read any number of times.
        case repeatable
    }

    enum Content: Sendable {
        case none
        case data(Data)
        case file(URL)
        case stream(BodyStream)
        case multipart(MultipartForm)
        indirect case compressed(RequestBody, ContentCoding)
    }

    let content: Content
    var tap: RequestBodyTap?
    private(set) var trailers: (@Sendable () async throws -> HTTPHeaders)?

    /// Whether the request gets `Content-Type: application/json`, unless it has a type.
    private(set) var isJSON = false

    /// No body.
    public static let none = RequestBody(content: .none)

    /// Bytes in memory, with their `Content-Length`.
    public static func data(_ data: Data) -> RequestBody { RequestBody(content: .data(data)) }

    /// A value as JSON, encoded by this call; the request gets `Content-Type: application/json` unless it has a type.
    ///
    /// As ``JSONParameterEncoder`` encodes parameters; the session's ``SessionConfiguration/encoder`` is not used.
    ///
    /// - Throws: ``AsyncNetError`` with code `.encodingFailed`.
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) throws(AsyncNetError) -> RequestBody {
        do {
            var body = data(try JSONInsertions.data(value, encoder))
            body.isJSON = true
            return body
        } catch {
            throw AsyncNetError(encoding: error)
        }
    }

    /// The content of a regular file, read in pieces while it is sent, with its `Content-Length`.
    ///
    /// A file that is missing or not readable ends the request with `.fileNotReadable` before anything is sent. A file
    /// that changes while it is sent, or that another file replaces, ends the request with `.fileChanged` before the
    /// last byte is sent. So does a change of its permissions or links, which sets `st_ctime` as well. A file that is
    /// removed or renamed meanwhile is sent completely.
    public static func file(_ url: URL) -> RequestBody { RequestBody(content: .file(url)) }

    /// The chunks of a sequence, read as fast as the network accepts them, at most 256 KiB and one chunk ahead; can be
    /// sent once.
    ///
    /// The sequence is read on a thread that it may block. No timeout runs while the transfer waits for it; a server
    /// that closes the connection meanwhile ends the request. Its errors end the request with `.bodyStreamFailed`.
    ///
    /// - Parameter chunks: The bytes to send.
    /// - Parameter length: The number of bytes, sent as `Content-Length`; more or fewer end the request with
    ///   `.bodyLengthMismatch`. The last chunk is sent only after the sequence has ended. With `nil` HTTP/1.1 uses the
    ///   chunked transfer coding (RFC 9112 §7.1). A negative length ends the request with `.invalidRequest` before
    ///   anything is sent.
    public static func stream<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64? = nil) -> RequestBody
    where Chunks.Element == Data {
        RequestBody(content: .stream(BodyStream(chunks, length: length)))
    }

    /// The chunks of a sequence of unknown length, and the trailers that follow it (RFC 9110 §6.5); can be sent once.
    ///
    /// For what is known only once the body has been read, such as a digest. Over sockets; other transports end the
    /// request with `.unsupportedByTransport`.
    ///
    /// - Parameter chunks: The bytes to send, as for ``stream(_:length:)-(Chunks,_)``.
    /// - Parameter trailers: Called after the last chunk, on a thread that it may block. An error ends the request with
    ///   `.bodyStreamFailed`; a header that must not be a trailer, such as `Content-Length`, with `.invalidRequest`.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, trailers: @escaping @Sendable () async throws -> HTTPHeaders
    ) -> RequestBody where Chunks.Element == Data {
        var body = stream(chunks)
        body.trailers = trailers
        return body
    }

    /// Throws `.unsupportedByTransport` if the body has trailers; for transports that send none.
    package func checkHasNoTrailers() throws(AsyncNetError) {
        guard trailers != nil else { return }
        throw AsyncNetError(.unsupportedByTransport, "This transport sends no trailers after a body: use .sockets()")
    }

    /// The chunks of a sequence that is created each time the body is sent, so that it can be sent again.
    ///
    /// - Parameter length: As for ``stream(_:length:)-(Chunks,_)``.
    /// - Parameter makeChunks: Creates the sequence; an error ends the request with `.bodyStreamFailed`.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        length: Int64? = nil, _ makeChunks: @escaping @Sendable () throws -> Chunks
    ) -> RequestBody where Chunks.Element == Data {
        RequestBody(content: .stream(BodyStream(length: length, making: makeChunks)))
    }

    /// The bytes of an `InputStream` that is not open, read in pieces of 64 KiB on a thread that it may block; can be
    /// sent once.
    ///
    /// The stream is opened when the body is sent, closed at its end, and belongs to the request from now on. `length`
    /// is as for ``stream(_:length:)-(Chunks,_)``.
    public static func stream(_ stream: sending InputStream, length: Int64? = nil) -> RequestBody {
        RequestBody(content: .stream(BodyStream(stream, length: length)))
    }

    /// A form, `multipart/form-data` (RFC 7578), sent part by part.
    ///
    /// The request gets the form's `Content-Type`, and its exact `Content-Length` if the length of every part is known.
    public static func multipart<Failure: Error>(
        boundary: String? = nil, _ build: (inout MultipartForm) throws(Failure) -> Void
    ) throws(Failure) -> RequestBody {
        var form = MultipartForm(boundary: boundary)
        try build(&form)
        return .multipart(form)
    }

    /// A form that exists already.
    public static func multipart(_ form: MultipartForm) -> RequestBody { RequestBody(content: .multipart(form)) }

    /// Whether the body can be sent again.
    public var replay: Replay {
        switch content {
        case .none, .data, .file: .repeatable
        case .stream(let stream): stream.replay
        case .multipart(let form): form.parts.allSatisfy { $0.body.replay == .repeatable } ? .repeatable : .once
        case .compressed(let body, _): body.replay
        }
    }

    /// Whether the body can be sent now: it is repeatable, or no part of it has been read.
    var isReadable: Bool {
        switch content {
        case .none, .data, .file: true
        case .stream(let stream): stream.isReadable()
        case .multipart(let form): form.parts.allSatisfy(\.body.isReadable)
        case .compressed(let body, _): body.isReadable
        }
    }

    /// The current length in bytes, `nil` without a body or if it is unknown.
    public var length: Int64? {
        if case .none = content { nil } else { try? MeasuredBody(self).length }
    }

    /// The bytes, if they are in memory.
    public var data: Data? {
        if case .data(let data) = content { data } else { nil }
    }

    /// The bytes in chunks, for transports of the user's. A body that can be sent once can be read once.
    ///
    /// - Throws: ``AsyncNetError``, with the codes of ``file(_:)`` and ``stream(_:length:)-(Chunks,_)``.
    public var chunks: some AsyncSequence<Data, any Error> & Sendable { BodyChunks(body: self) }

    /// This body, compressed: at once if it is in memory, so that the length is known; otherwise while it is sent.
    func compressed(with coding: ContentCoding) throws(AsyncNetError) -> RequestBody {
        guard let data else {
            var body = RequestBody(content: .compressed(self, coding))
            body.trailers = trailers
            return body
        }
        return .data(try Compressor(coding).compress(data, isLast: true))
    }

    /// Throws `.invalidRequest` for a stream with a negative length.
    func check() throws(AsyncNetError) {
        switch content {
        case .none, .data, .file: break
        case .stream(let stream): try stream.checkLength()
        case .multipart(let form): for part in form.parts { try part.body.check() }
        case .compressed(let body, _): try body.check()
        }
    }

    var form: MultipartForm? {
        if case .multipart(let form) = content { form } else { nil }
    }

    package var isNone: Bool {
        if case .none = content { true } else { false }
    }

    var isInMemory: Bool { isNone || data != nil }
}

extension RequestBody: ShownByDescription {
    /// The kind of body, and the size of data and of a stream with a length; never the content.
    public var description: String {
        switch content {
        case .none: "no body"
        case .data(let data): "\(data.count) bytes"
        case .file: "a file"
        case .stream(let stream): stream.length.map { "a stream of \($0) bytes" } ?? "a stream"
        case .multipart(let form): "a form of \(form.parts.count) part(s)"
        case .compressed(let body, let coding): "\(body), compressed with \(coding)"
        }
    }
}

private struct BodyChunks: AsyncSequence, Sendable {
    let body: RequestBody

    func makeAsyncIterator() -> Iterator { Iterator(body: body) }

    struct Iterator: AsyncIteratorProtocol {
        let body: RequestBody
        var reader: BodyReader?

        mutating func next() async throws -> Data? {
            let reader = try reader ?? MeasuredBody(body).makeReader()
            self.reader = reader
            return try await reader.next()
        }
    }
}
