import AsyncNet
import Foundation

/// Replaces the boundary of a multipart body, which is random, by one that is always the same (RFC 2046 §5.1).
enum MultipartBoundary {
    static let standard = "AsyncNet-boundary"

    private static func boundary(_ type: String?) -> String? {
        guard let type = type.flatMap(MediaType.last), type.type == "multipart" else { return nil }
        return type.parameters["boundary"]
    }

    /// The value of `Content-Type` with the standard boundary.
    static func replaced(inType type: String) -> String {
        guard let boundary = boundary(type), !boundary.isEmpty,
            let range = type.range(of: boundary, options: .backwards)
        else { return type }
        let before = type[..<range.lowerBound]
        let isQuoted = before.last == "\"" && type[range.upperBound...].first == "\""
        guard isQuoted || before.last == "=" else { return type }
        return before.dropLast(isQuoted ? 1 : 0) + standard + type[range.upperBound...].dropFirst(isQuoted ? 1 : 0)
    }

    /// The body with the standard boundary in its delimiters.
    static func replaced(in body: Data, type: String?) -> Data {
        guard let boundary = boundary(type), boundary != standard else { return body }
        let delimiter = Array("--\(boundary)".utf8)
        return Data(
            MultipartParts(ArraySlice(body), boundary: boundary).pieces.flatMap { piece -> [UInt8] in
                switch piece {
                case .part(let part): Array(part.head + part.content + part.end)
                case .other(let bytes): bytes.elementsEqual(delimiter) ? Array("--\(standard)".utf8) : Array(bytes)
                }
            })
    }
}
