public import Foundation

/// What a request sends after its head.
///
///     try await session.upload(.file(fileURL), to: url).serializing(Receipt.self).value
///
/// Making one does no I/O: files are looked at when the request is sent. See ``replay`` for which can be sent again.
public struct RequestBody: Sendable {
    /// Whether the body can be sent a second time, as a redirect (307, 308) or a retry needs.
    public enum Replay: Sendable {
        case once
        case repeatable
    }

    package enum Content: Sendable {
        case none
        case data(Data)
        case file(URL)
        case stream(BodyStream)
        case multipart(MultipartForm)
        indirect case compressed(RequestBody, ContentCoding)
    }

    package let content: Content

    /// No body at all.
    public static let none = RequestBody(content: .none)

    /// These bytes, sent with their `Content-Length`.
    public static func data(_ data: Data) -> RequestBody { RequestBody(content: .data(data)) }

    /// The contents of a regular file, read piece by piece while they are sent, with their `Content-Length`.
    ///
    /// A file that is missing or may not be read ends the request with `.fileNotReadable` before anything is sent. A
    /// file that changes while it is sent ends the request with `.fileChanged` before its last byte: written to,
    /// replaced by another one of its name, or with other permissions or links, which set its time of change
    /// (`st_ctime`) too. A file that is removed or renamed meanwhile is sent whole.
    public static func file(_ url: URL) -> RequestBody { RequestBody(content: .file(url)) }

    /// Chunks as they come, asked for as fast as the network takes them, at most 256 KiB and one chunk ahead; sent
    /// once.
    ///
    /// The sequence is asked on a thread that may block without holding up other requests. While the network waits for
    /// it no timeout runs; a server that closes the connection meanwhile ends the request. What it throws ends the
    /// request as `.bodyStreamFailed`.
    ///
    /// - Parameter chunks: What is sent.
    /// - Parameter length: How many bytes there will be in all, sent as `Content-Length`; more or fewer end the request
    ///   with `.bodyLengthMismatch`. The last of them are sent once the sequence has ended too. `nil` sends them in
    ///   chunks over HTTP/1.1 (RFC 9112 §7.1). A negative length ends the request with `.invalidRequest` before
    ///   anything is sent.
    public static func stream<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64? = nil) -> RequestBody
    where Chunks.Element == Data {
        RequestBody(content: .stream(BodyStream(chunks, length: length)))
    }

    /// Chunks as they come, from a sequence that is made anew each time the body is sent, so that it can be sent again.
    ///
    /// - Parameter length: As for a stream that is sent once.
    /// - Parameter makeChunks: Makes the sequence; what it throws ends the request as `.bodyStreamFailed`.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        length: Int64? = nil, _ makeChunks: @escaping @Sendable () throws -> Chunks
    ) -> RequestBody where Chunks.Element == Data {
        RequestBody(content: .stream(BodyStream(length: length, making: makeChunks)))
    }

    /// A form of several parts, `multipart/form-data` (RFC 7578), streamed part by part.
    ///
    /// The request gets the form's `Content-Type`, and its exact `Content-Length` if every part's length is known.
    public static func multipart<Failure: Error>(
        boundary: String? = nil, _ build: (inout MultipartForm) throws(Failure) -> Void
    ) throws(Failure) -> RequestBody {
        var form = MultipartForm(boundary: boundary)
        try build(&form)
        return .multipart(form)
    }

    /// A form that was put together elsewhere.
    public static func multipart(_ form: MultipartForm) -> RequestBody { RequestBody(content: .multipart(form)) }

    public var replay: Replay {
        switch content {
        case .none, .data, .file: .repeatable
        case .stream(let stream): stream.replay
        case .multipart(let form): form.parts.allSatisfy { $0.body.replay == .repeatable } ? .repeatable : .once
        case .compressed(let body, _): body.replay
        }
    }

    /// Length in bytes as of now, `nil` if there is no body or nobody knows.
    public var length: Int64? {
        if case .none = content { nil } else { try? MeasuredBody(self).length }
    }

    /// The bytes, where they are in memory.
    public var data: Data? {
        if case .data(let data) = content { data } else { nil }
    }

    /// The bytes in pieces, for a transport of one's own; reading a body that can be sent once is sending it.
    ///
    /// - Throws: ``AsyncNetError``, with the codes that ``file(_:)`` and ``stream(_:length:)`` name.
    public var chunks: some AsyncSequence<Data, any Error> & Sendable { BodyChunks(body: self) }

    /// The same body, compressed: at once if it is in memory, so that its length is known, otherwise while it is sent.
    package func compressed(with coding: ContentCoding) throws(AsyncNetError) -> RequestBody {
        guard let data else { return RequestBody(content: .compressed(self, coding)) }
        return .data(try Compressor(coding).compress(data, isLast: true))
    }

    /// Refuses what nothing can have, such as a stream of fewer than 0 bytes.
    ///
    /// - Throws: `.invalidRequest`.
    package func check() throws(AsyncNetError) {
        switch content {
        case .none, .data, .file: break
        case .stream(let stream): try stream.checkLength()
        case .multipart(let form): for part in form.parts { try part.body.check() }
        case .compressed(let body, _): try body.check()
        }
    }

    package var form: MultipartForm? {
        if case .multipart(let form) = content { form } else { nil }
    }

    package var isNone: Bool {
        if case .none = content { true } else { false }
    }
}

extension RequestBody: CustomStringConvertible, CustomReflectable {
    /// Kind and size; nothing of what is inside.
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

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
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
