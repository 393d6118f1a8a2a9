/// Which part of a representation a response holds, as in `Content-Range: bytes 0-99/1234` (RFC 9110 §14.4).
package struct ContentRange: Hashable, Sendable {
    /// The first and last byte, counted from 0; `nil` in a 416 response, where none could be sent.
    package let bytes: ClosedRange<Int64>?
    /// The bytes of the whole representation; `nil` if the server does not know.
    package let total: Int64?

    /// Reads `bytes 0-99/1234`, `bytes 0-99/*` or `bytes */1234`; the unit's case does not matter.
    ///
    /// `nil` for anything else: other units, a last byte before the first or not below the total, and numbers beyond
    /// `Int64`.
    package init?(_ text: String) {
        let words = text.trimmedHTTPSpace.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let total = Self.number(sides[1])
        guard total != nil || sides[1] == "*" else { return nil }
        if sides[0] == "*" {
            guard total != nil else { return nil }
            bytes = nil
        } else {
            guard let bytes = Self.bounds(sides[0]), bytes.upperBound < total ?? .max else { return nil }
            self.bytes = bytes
        }
        self.total = total
    }

    private static func bounds(_ text: Substring) -> ClosedRange<Int64>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]), first <= last else {
            return nil
        }
        return first...last
    }

    /// Digits only: `Int64` by itself would take a sign too.
    private static func number(_ digits: Substring) -> Int64? {
        digits.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(digits) : nil
    }
}

extension ContentRange: CustomStringConvertible {
    package var description: String {
        "bytes \(bytes.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "*")/\(total.map { "\($0)" } ?? "*")"
    }
}

extension HTTPResponseHead {
    /// How many bytes the body of a 206 response has by its `Content-Range` (RFC 9110 §15.3.7).
    ///
    /// `nil` for other responses, for several ranges in one body, and for a body with a `Content-Encoding`, which is
    /// counted decoded.
    package var rangeLength: Int64? {
        guard statusCode == 206, let bytes = value(for: "Content-Range").flatMap(ContentRange.init)?.bytes,
            value(for: "Content-Encoding") == nil
        else { return nil }
        return bytes.upperBound - bytes.lowerBound + 1
    }
}

/// Which part of a representation to ask for, as in `Range: bytes=5-` (RFC 9110 §14.1.2, §14.2).
///
/// Bytes are counted from 0; negative numbers count as 0.
package enum ByteRange: Hashable, Sendable {
    /// Everything from this byte on.
    case from(Int64)
    /// From the first byte to the last, both included.
    case closed(ClosedRange<Int64>)
    /// This many bytes at the end.
    case last(Int64)

    /// What stands in the `Range` header.
    package var headerValue: String {
        switch self {
        case .from(let first): "bytes=\(max(0, first))-"
        case .closed(let range): "bytes=\(max(0, range.lowerBound))-\(max(0, range.upperBound))"
        case .last(let count): "bytes=-\(max(0, count))"
        }
    }
}
