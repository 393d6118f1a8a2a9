/// The range in a response, as in `Content-Range: bytes 0-99/1234` (RFC 9110 §14.4).
struct ContentRange: Hashable, Sendable {
    /// The first and last byte, counted from 0; `nil` in a 416 response.
    let bytes: ClosedRange<Int64>?
    /// The size of the whole representation; `nil` if it is unknown.
    let total: Int64?

    /// Parses `bytes 0-99/1234`, `bytes 0-99/*` or `bytes */1234`; the case of the unit is ignored.
    ///
    /// `nil` for other units, a last byte before the first or not below the total, and numbers beyond `Int64`.
    init?(_ text: String) {
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

    init(_ bytes: ClosedRange<Int64>, of total: Int64?) { (self.bytes, self.total) = (bytes, total) }

    /// Digits only, since `Int64` accepts a sign too.
    private static func number(_ digits: Substring) -> Int64? {
        digits.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(digits) : nil
    }
}

extension ContentRange: CustomStringConvertible {
    var description: String {
        "bytes \(bytes.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "*")/\(total.map { "\($0)" } ?? "*")"
    }
}

extension HTTPResponseHead {
    /// The length of a 206 response's body by its `Content-Range` (RFC 9110 §15.3.7); `nil` for other responses, for
    /// several ranges in one body, and for a decoded body.
    var rangeLength: Int64? {
        guard statusCode == 206, let bytes = value(for: "Content-Range").flatMap(ContentRange.init)?.bytes,
            describesBody
        else { return nil }
        return bytes.upperBound - bytes.lowerBound + 1
    }

    /// Checks that a 206 response has bytes of the range that the request asked for: perhaps fewer, but no others (RFC
    /// 9110 §15.3.7). Several ranges in one body are not checked.
    func checkRange(askedBy request: HTTPRequestHead) throws(AsyncNetError) {
        guard statusCode == 206, let asked = request.headers["Range"].flatMap(ByteRange.init),
            let range = value(for: "Content-Range").flatMap(ContentRange.init), let bytes = range.bytes
        else { return }
        let isPart =
            if case .from(let first) = asked { bytes.lowerBound >= first } else {
                asked.bytes(of: range.total).map { bytes.clamped(to: $0) == bytes } ?? true
            }
        guard !isPart else { return }
        throw AsyncNetError(
            .badServerResponse, "The server sent \(range), which is not in the requested \(asked.headerValue)")
    }
}

/// The range of a request, as in `Range: bytes=5-` (RFC 9110 §14.1.2, §14.2). Bytes are counted from 0.
enum ByteRange: Hashable, Sendable {
    case from(Int64)
    case closed(ClosedRange<Int64>)
    /// This number of bytes at the end.
    case last(Int64)

    /// Parses the value of a `Range` header with a single range of bytes; `nil` for other values.
    init?(_ text: String) {
        let sides = text.trimmedHTTPSpace.split(separator: "=", omittingEmptySubsequences: false)
        guard sides.count == 2, sides[0].lowercased() == "bytes" else { return nil }
        let ends = String(sides[1]).trimmedHTTPSpace.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else { return nil }
        switch (Int64(ends[0]), Int64(ends[1])) {
        case (let first?, let last?) where first <= last: self = .closed(first...last)
        case (let first?, nil) where ends[1].isEmpty: self = .from(first)
        case (nil, let count?) where ends[0].isEmpty: self = .last(count)
        default: return nil
        }
    }

    /// The bytes of a representation of this size; `nil` if the range cannot be satisfied (RFC 9110 §14.1.2), or
    /// depends on a size that is not known.
    func bytes(of total: Int64?) -> ClosedRange<Int64>? {
        guard let total else { if case .closed(let range) = self { return range } else { return nil } }
        switch self {
        case .from(let first): return first < total ? first...(total - 1) : nil
        case .closed(let range):
            return range.lowerBound < total ? range.lowerBound...min(range.upperBound, total - 1) : nil
        case .last(let count): return count > 0 && total > 0 ? max(0, total - count)...(total - 1) : nil
        }
    }

    var headerValue: String {
        switch self {
        case .from(let first): "bytes=\(max(0, first))-"
        case .closed(let range): "bytes=\(max(0, range.lowerBound))-\(max(0, range.upperBound))"
        case .last(let count): "bytes=-\(max(0, count))"
        }
    }
}
