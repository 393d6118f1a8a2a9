public import Foundation

/// A form as `multipart/form-data` (RFC 7578).
///
///     try await session.upload(.multipart { form in
///         form.append("Ada", name: "name")
///         form.append(fileURL, name: "avatar")
///     }, to: url).serializing(Receipt.self).value
///
/// Parts are sent in the order in which they were added, each as a stream: large files are neither read into memory nor
/// copied. A part with a file name is a file, a part without is a field. With `mimeType` as `nil`, the media type of a
/// file is that of the extension of its name, `application/octet-stream` for an unknown one; a field has none.
///
/// Names and file names are escaped as browsers do (WHATWG HTML, multipart/form-data encoding algorithm): in UTF-8,
/// with `"`, CR and LF percent-encoded, and without `filename*`, which RFC 7578 §4.2 forbids. Values are sent
/// unchanged. Adding a part does no I/O and cannot fail; a part with another control character in a name or header ends
/// the request with `.encodingFailed`, an unreadable file with `.fileNotReadable`.
public struct MultipartForm: Sendable {
    struct Part: Sendable {
        let name: String
        let fileName: String?
        let headers: HTTPHeaders
        let body: RequestBody
    }

    private(set) var parts: [Part] = []
    /// The delimiter between parts.
    public private(set) var boundary: String
    private let isBoundaryGiven: Bool

    /// Creates an empty form.
    ///
    /// - Parameter boundary: The delimiter between parts, 1 to 70 characters (RFC 2046 §5.1.1), which must not occur in
    ///   a part. With `nil` it is random, and replaced if it occurs in a part in memory.
    public init(boundary: String? = nil) {
        self.boundary = boundary ?? Self.randomBoundary()
        isBoundaryGiven = boundary != nil
    }

    /// The media type `multipart/form-data` with the boundary.
    public var contentType: String { "multipart/form-data; \(boundaryParameter)" }
    var boundaryParameter: String { "boundary=\(Self.quotedIfNeeded(boundary))" }

    /// Adds text.
    public mutating func append(_ text: String, name: String) {
        append(.data(Data(text.utf8)), name: name)
    }

    /// Adds bytes.
    public mutating func append(_ data: Data, name: String, fileName: String? = nil, mimeType: String? = nil) {
        append(.data(data), name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Adds a file, read while it is sent, until when it must not change; by default under its own name.
    public mutating func append(_ file: URL, name: String, fileName: String? = nil, mimeType: String? = nil) {
        append(.file(file), name: name, fileName: fileName ?? file.lastPathComponent, mimeType: mimeType)
    }

    /// Adds the chunks of a sequence, sent as they arrive. `length` is the number of their bytes; with `nil` the length
    /// of the whole form is unknown.
    public mutating func append<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, length: Int64?, name: String, fileName: String? = nil, mimeType: String? = nil
    ) where Chunks.Element == Data {
        append(.stream(chunks, length: length), name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Adds the bytes of an `InputStream` that is not open, as ``RequestBody/stream(_:length:)-(InputStream,_)`` reads
    /// them; such a form can be sent once.
    public mutating func append(
        _ stream: sending InputStream, length: Int64? = nil, name: String, fileName: String? = nil,
        mimeType: String? = nil
    ) {
        append(.stream(stream, length: length), name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Adds any body. With `mimeType` as `nil`, a form as the body has its own type. The headers follow
    /// `Content-Disposition`; a `Content-Type` among them is used instead of `mimeType`.
    public mutating func append(
        _ body: RequestBody, name: String, fileName: String? = nil, mimeType: String? = nil, headers: HTTPHeaders = [:]
    ) {
        var disposition = "form-data; name=\"\(Self.escaped(Self.normalized(name)))\""
        if let fileName { disposition += "; filename=\"\(Self.escaped(fileName))\"" }
        var all: HTTPHeaders = [.contentDisposition(disposition)]
        if !headers.contains(name: "Content-Type"),
            let type = mimeType ?? body.form?.contentType ?? fileName.map(MediaTypes.type(ofFileNamed:))
        {
            all.add(.contentType(type))
        }
        for header in headers { all.add(header) }
        parts.append(Part(name: name, fileName: fileName, headers: all, body: body))
    }

    func mapParts(_ change: (Part) -> Part) -> MultipartForm {
        var form = self
        form.parts = parts.map(change)
        return form
    }

    /// This form with a boundary that occurs in no part in memory. Throws `.encodingFailed` if the caller gave a
    /// boundary that is not valid or occurs in such a part.
    func settled() throws(AsyncNetError) -> MultipartForm {
        for part in parts { try part.body.form?.checkBoundary() }
        guard !isBoundaryGiven else {
            try checkBoundary()
            return self
        }
        var form = self
        while form.isBoundaryInside { form.boundary = Self.randomBoundary() }
        return form
    }

    private func checkBoundary() throws(AsyncNetError) {
        guard Self.isBoundary(boundary) else {
            throw AsyncNetError(
                .encodingFailed, "The form's boundary is not 1 to 70 of the characters of RFC 2046 §5.1.1")
        }
        if isBoundaryInside {
            throw AsyncNetError(.encodingFailed, "The form's boundary occurs inside one of its parts")
        }
        for part in parts { try part.body.form?.checkBoundary() }
    }

    private var isBoundaryInside: Bool { holds(Data(boundary.utf8)) }

    /// Whether these bytes are in a part in memory, in the value of a part's header, or in a nested form or its
    /// boundary.
    private func holds(_ bytes: Data) -> Bool {
        parts.contains { part in
            part.body.data.map { $0.range(of: bytes) != nil } == true
                || part.headers.contains { Data($0.value.utf8).range(of: bytes) != nil }
                || part.body.form.map { Data($0.boundary.utf8).range(of: bytes) != nil || $0.holds(bytes) }
                    == true
        }
    }
}
