/// Parts of a representation: which requests for a range a stored response is for (RFC 9111 §3.3), and which stored
/// parts become one (§3.4).
extension StoredResponse {
    var contentRange: ContentRange? { Self.contentRange(statusCode, headers) }

    /// The part that a response has; `nil` for other statuses than 206, for several parts in one body, and for a part
    /// of a coded body, which would not decode.
    static func contentRange(_ status: Int, _ headers: HTTPHeaders) -> ContentRange? {
        guard status == 206, isPlain(headers), let range = headers["Content-Range"].flatMap(ContentRange.init) else {
            return nil
        }
        return range.bytes == nil ? nil : range
    }

    /// Whether byte ranges refer to the stored bytes: the body has no content coding, and had none.
    private static func isPlain(_ headers: HTTPHeaders) -> Bool { headers["Content-Encoding"] == nil }

    /// Whether the stored response has what the request asks for: the whole, or a part of it.
    func responds(to request: CacheRequest) -> Bool {
        guard request.range != nil else { return statusCode != 206 }
        guard statusCode == 200 || statusCode == 206 else {
            // Another status does not depend on the range (RFC 9110 §14.2).
            return !request.headers.contains(name: "If-Range")
        }
        // The version that the request's `If-Range` names, if it has one (RFC 9110 §13.1.5).
        let isVersion = request.headers["If-Range"].map { IfRange.validator(of: headers) == $0 } != false
        guard Self.isPlain(headers), isVersion else { return false }
        let length = headers["Content-Length"].flatMap { Int64($0) }
        return statusCode == 200 && length == nil || part(for: request, size: length ?? 0) != nil
    }

    /// The part of the stored body that the request asks for; `nil` without a satisfiable range. `size` is a 200's.
    func part(for request: CacheRequest, size: Int64) -> ContentRange? {
        guard let range = request.range else { return nil }
        if statusCode == 200 { return range.bytes(of: size).map { ContentRange($0, of: size) } }
        guard let own = contentRange, let bounds = own.bytes, let bytes = range.bytes(of: own.total),
            bounds.contains(bytes.lowerBound), bounds.contains(bytes.upperBound)
        else { return nil }
        return ContentRange(bytes, of: own.total)
    }

    /// Whether this response and `other` have the same bytes, by a strong validator (RFC 9110 §8.8.1).
    func hasSameBytes(as other: StoredResponse) -> Bool {
        guard let validator = IfRange.validator(of: headers) else { return false }
        return IfRange.validator(of: other.headers) == validator
    }

    /// This part joined with a stored part of the same version that it adjoins or overlaps, with this part's headers
    /// (RFC 9111 §3.4); a 200 response if the two parts are the whole. `nil` if they cannot be joined.
    func combined(with stored: StoredResponse) -> StoredResponse? {
        guard let (own, bytes) = contentRange.flatMap({ range in range.bytes.map { (range, $0) } }),
            let other = stored.contentRange?.bytes, stored.variant == variant, own.total == stored.contentRange?.total,
            hasSameBytes(as: stored), other.lowerBound <= bytes.upperBound + 1, bytes.lowerBound <= other.upperBound + 1
        else { return nil }
        let union = min(bytes.lowerBound, other.lowerBound)...max(bytes.upperBound, other.upperBound)
        return part(union, of: own.total)
    }

    /// This response with a head for these bytes: 206, or 200 if they are the whole.
    private func part(_ bytes: ClosedRange<Int64>, of total: Int64?) -> StoredResponse {
        var copy = self
        copy.headers.update(HTTPHeader(name: "Content-Length", value: "\(bytes.upperBound - bytes.lowerBound + 1)"))
        guard let total, bytes == 0...(total - 1) else {
            copy.headers.update(HTTPHeader(name: "Content-Range", value: ContentRange(bytes, of: total).description))
            return copy
        }
        copy.headers.remove("Content-Range")
        copy.statusCode = 200
        copy.reasonPhrase = "OK"
        copy.variant.isPart = false
        return copy
    }

    /// This response with the head of a 206 response that has a part of its body.
    func cut(to range: ContentRange) -> StoredResponse {
        guard let bytes = range.bytes else { return self }
        var copy = self
        (copy.statusCode, copy.reasonPhrase) = (206, "Partial Content")
        copy.headers.update(HTTPHeader(name: "Content-Length", value: "\(bytes.upperBound - bytes.lowerBound + 1)"))
        copy.headers.update(HTTPHeader(name: "Content-Range", value: range.description))
        return copy
    }
}
