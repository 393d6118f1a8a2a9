public import Foundation

/// Encodes a form outside of a request, on a thread that files and streams may block. A stream can be read once.
extension MultipartForm {
    /// The length of the encoded form in bytes, boundaries and headers included; `nil` if the length of a part is
    /// unknown or a file cannot be read.
    public var contentLength: Int64? { RequestBody.multipart(self).length }

    /// The encoded form, in memory. Its type is ``contentType``, with a ``boundary`` that must not occur in a part.
    ///
    /// - Throws: ``AsyncNetError``: `.encodingFailed` for an invalid part, or if the boundary occurs in a part;
    ///   `.fileNotReadable`, `.bodyStreamFailed` and the like for its content; `.cancelled`.
    public func encode() async throws(AsyncNetError) -> Data {
        try await UserCode.run { () async throws(AsyncNetError) in
            let reader = try makeReader()
            var encoded = Data()
            while let chunk = try await reader.next() { encoded.append(chunk) }
            return encoded
        }
    }

    /// Writes the encoded form to a new file, which is removed if there is an error.
    ///
    /// - Throws: ``AsyncNetError``, as ``encode()``; `.fileNotWritable` if the file cannot be written or exists.
    public func write(to file: URL) async throws(AsyncNetError) {
        try await UserCode.run { () async throws(AsyncNetError) in
            let reader = try makeReader()
            do { try Data().write(to: file, options: .withoutOverwriting) } catch {
                throw AsyncNetError(.fileNotWritable, "The file for the form cannot be created", underlyingError: error)
            }
            do {
                let handle = try FileHandle(forWritingTo: file)
                defer { try? handle.close() }
                while let chunk = try await reader.next() { try handle.write(contentsOf: chunk) }
            } catch {
                try? FileManager.default.removeItem(at: file)
                throw AsyncNetError(wrapping: error, as: .fileNotWritable, "The form cannot be written")
            }
        }
    }

    private func makeReader() throws(AsyncNetError) -> BodyReader {
        // `settled()` throws if a given boundary occurs in a part, and replaces a random boundary that does.
        guard try settled().boundary == boundary else {
            throw AsyncNetError(.encodingFailed, "The form's boundary occurs inside one of its parts")
        }
        return try MeasuredBody(.multipart(self)).makeReader()
    }
}
