public import Foundation

/// A form of several parts, as `multipart/form-data` (RFC 7578) writes it.
///
///     try await session.upload(.multipart { form in
///         form.append("Ada", name: "name")
///         form.append(fileURL, name: "avatar")
///     }, to: url).serializing(Receipt.self).value
///
/// Parts are sent in the order they were added, each streamed: a form of large files needs no memory for them and no
/// copy. Names and file names are escaped as browsers do (WHATWG HTML, multipart/form-data encoding algorithm): in
/// UTF-8, with `"`, CR and LF percent-encoded; there is no `filename*`, which RFC 7578 §4.2 forbids. Other control
/// characters, such as NUL, which browsers send as they are and servers refuse (RFC 9110 §5.5), end the request with
/// `.encodingFailed`. Values are sent byte for byte.
///
/// Adding does no I/O and cannot fail; what is wrong with a part ends the request, with `.encodingFailed`, or with
/// `.fileNotReadable` for its file.
public struct MultipartForm: Sendable {
    struct Part: Sendable {
        let name: String
        let fileName: String?
        let headers: HTTPHeaders
        let body: RequestBody
    }

    private(set) var parts: [Part] = []
    /// What separates the parts.
    public private(set) var boundary: String
    private let isBoundaryGiven: Bool

    /// An empty form.
    ///
    /// - Parameter boundary: What separates the parts, 1 to 70 characters of RFC 2046 §5.1.1; it must occur in none.
    ///   `nil` takes a random one, and another if that is found in a part that is in memory.
    public init(boundary: String? = nil) {
        self.boundary = boundary ?? Self.randomBoundary()
        isBoundaryGiven = boundary != nil
    }

    /// How many parts there are.
    public var count: Int { parts.count }

    /// `multipart/form-data` with the boundary.
    public var contentType: String { "multipart/form-data; boundary=\(Self.quotedIfNeeded(boundary))" }

    // MARK: Adding parts

    /// Adds text.
    public mutating func append(_ text: String, name: String) {
        append(.data(Data(text.utf8)), name: name)
    }

    /// Adds bytes; as a file if there is a file name.
    ///
    /// - Parameters:
    ///   - data: The content of the part.
    ///   - name: The name of the form's field.
    ///   - fileName: Makes the part a file; `nil` makes it a plain field.
    ///   - mimeType: The media type. `nil` takes it from the extension of the file name; without a file name none is
    ///     sent.
    public mutating func append(_ data: Data, name: String, fileName: String? = nil, mimeType: String? = nil) {
        append(.data(data), name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Adds a file, read while it is sent.
    ///
    /// - Parameters:
    ///   - file: The file's URL. The file must not change until the form has been sent.
    ///   - name: The name of the form's field.
    ///   - fileName: The file name in `Content-Disposition`; the file's own name by default.
    ///   - mimeType: The media type. `nil` takes it from the extension of the file name; `application/octet-stream` if
    ///     that is unknown.
    public mutating func append(_ file: URL, name: String, fileName: String? = nil, mimeType: String? = nil) {
        append(.file(file), name: name, fileName: fileName ?? file.lastPathComponent, mimeType: mimeType)
    }

    /// Adds the chunks of a sequence, which are sent as they arrive.
    ///
    /// - Parameters:
    ///   - chunks: The content of the part.
    ///   - length: The number of bytes in all chunks; with `nil` the length of the whole form is unknown.
    ///   - name: The name of the form's field.
    ///   - fileName: Makes the part a file; `nil` makes it a plain field.
    ///   - mimeType: The media type. `nil` takes it from the extension of the file name; without a file name none is
    ///     sent.
    public mutating func append<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, length: Int64?, name: String, fileName: String? = nil, mimeType: String? = nil
    ) where Chunks.Element == Data {
        append(.stream(chunks, length: length), name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Adds any body.
    ///
    /// - Parameters:
    ///   - body: The content of the part.
    ///   - name: The name of the form's field.
    ///   - fileName: Makes the part a file; `nil` makes it a plain field.
    ///   - mimeType: The media type. `nil` takes the body's own, or that of the file name's extension.
    ///   - headers: Headers of the part, sent after `Content-Disposition`. A `Content-Type` here replaces the derived
    ///     one.
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

    // MARK: Ready to be sent

    /// This form with a boundary that is in no part that is in memory.
    ///
    /// - Throws: ``AsyncNetError`` with code `.encodingFailed` if the boundary that was given is, or is none.
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

    /// Also of the forms inside.
    private func checkBoundary() throws(AsyncNetError) {
        guard Self.isBoundary(boundary) else {
            throw AsyncNetError(
                .encodingFailed, "The form's boundary is not 1 to 70 characters that a boundary may have")
        }
        if isBoundaryInside {
            throw AsyncNetError(.encodingFailed, "The form's boundary occurs inside one of its parts")
        }
        for part in parts { try part.body.form?.checkBoundary() }
    }

    private var isBoundaryInside: Bool { holds(Data(boundary.utf8)) }

    /// Whether a part in memory holds these bytes, or one of a form inside this one, whose boundary counts too.
    private func holds(_ bytes: Data) -> Bool {
        parts.contains { part in
            part.body.data.map { ByteSearch.contains(bytes, in: $0) } == true
                || part.headers.contains { ByteSearch.contains(bytes, in: Data($0.value.utf8)) }
                || part.body.form.map { ByteSearch.contains(bytes, in: Data($0.boundary.utf8)) || $0.holds(bytes) }
                    == true
        }
    }
}
