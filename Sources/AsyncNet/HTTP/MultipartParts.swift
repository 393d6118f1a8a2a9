/// The parts of a multipart body (RFC 2046 §5.1), which may be cut or malformed. All pieces in order are the body.
package struct MultipartParts {
    package struct Part {
        /// The part's headers, with the empty line after them.
        package let head: ArraySlice<UInt8>
        package let content: ArraySlice<UInt8>
        /// The line end before the next delimiter.
        package let end: ArraySlice<UInt8>
        package let headers: HTTPHeaders

        package var disposition: ContentDisposition? {
            headers["Content-Disposition"].flatMap { ContentDisposition($0) }
        }
        /// The name of a form's field (RFC 7578 §4.2). Some clients encode it as `name*`, as RFC 8187 does.
        package var name: String? {
            guard let parameters = disposition?.parameters else { return nil }
            return parameters["name"] ?? parameters["name*"].map { ExtendedValue.decoded($0) ?? $0 }
        }
    }

    package enum Piece {
        case part(Part)
        /// A delimiter, or text that is no part.
        case other(ArraySlice<UInt8>)
    }

    package let pieces: [Piece]

    package var parts: [Part] {
        pieces.compactMap { if case .part(let part) = $0 { part } else { nil } }
    }

    /// - Parameter boundary: The media type's. If it is `nil` or not in the body, a first line such as `--B` is used.
    package init(_ bytes: ArraySlice<UInt8>, boundary: String?) {
        var delimiter = Array("--\(boundary ?? "")".utf8)
        var delimiters = delimiter.count > 2 ? Self.delimiters(delimiter, in: bytes) : []
        if delimiters.isEmpty {
            delimiter = Array(bytes.prefix { $0 != 0x0A && $0 != 0x0D })
            let isDelimiter = delimiter.count > 2 && delimiter.starts(with: "--".utf8)
            delimiters = isDelimiter ? Self.delimiters(delimiter, in: bytes) : []
        }
        var pieces: [Piece] = []
        var start = bytes.startIndex
        for range in delimiters {
            pieces.append(Self.piece(bytes[start..<range.lowerBound]))
            pieces.append(.other(bytes[range]))
            start = range.upperBound
        }
        self.pieces = pieces + [delimiters.isEmpty ? .other(bytes[start...]) : Self.piece(bytes[start...])]
    }

    /// The delimiters, each at the beginning of a line and followed by a line end, a space or a hyphen.
    private static func delimiters(_ delimiter: [UInt8], in bytes: ArraySlice<UInt8>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = bytes.startIndex
        while let next = bytes[start...].firstRange(of: delimiter) {
            let begins = next.lowerBound == bytes.startIndex || bytes[next.lowerBound - 1] == 0x0A
            let ends =
                next.upperBound == bytes.endIndex || [0x0A, 0x0D, 0x20, 0x09, 0x2D].contains(bytes[next.upperBound])
            if begins, ends { found.append(next) }
            start = next.upperBound
        }
        return found
    }

    private static func piece(_ bytes: ArraySlice<UInt8>) -> Piece {
        let ends = [Array("\r\n\r\n".utf8), Array("\n\n".utf8)].compactMap { bytes.firstRange(of: $0)?.upperBound }
        guard let start = ends.min() else { return .other(bytes) }
        var content = bytes[start...]
        if content.last == 0x0A { content.removeLast() }
        if content.last == 0x0D { content.removeLast() }
        let head = bytes[..<start]
        let lines = [UInt8]("part\n".utf8) + unfolded(head.drop { $0 == 0x0D || $0 == 0x0A })
        let headers = lines.withUnsafeBytes { SentHead($0).headers }
        return .part(Part(head: head, content: content, end: bytes[content.endIndex...], headers: headers))
    }

    /// The head with lines that begin with a space or a tab joined to the lines before (RFC 5322 §2.2.3).
    private static func unfolded(_ head: ArraySlice<UInt8>) -> [UInt8] {
        var lines: [UInt8] = []
        for byte in head {
            if byte == 0x20 || byte == 0x09, lines.last == 0x0A {
                lines.removeLast()
                if lines.last == 0x0D { lines.removeLast() }
            }
            lines.append(byte)
        }
        return lines
    }
}
