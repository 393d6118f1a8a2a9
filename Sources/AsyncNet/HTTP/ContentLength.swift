/// The `Content-Length` field (RFC 9110 §8.6).
enum ContentLength {
    /// The length, of digits only and at most 2^63 - 1, from the values of the field joined by commas. `nil` if the
    /// values differ or one is invalid.
    static func bytes(_ text: String) -> Int64? {
        guard text.utf8.contains(0x2C) else { return number(text[...]) }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map(number)
        guard let first = numbers.first, let first, numbers.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    private static func number(_ text: Substring) -> Int64? {
        let digits = text.utf8.trimmedHTTPSpace
        guard digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int64(Substring(digits))
    }
}

extension HTTPResponseHead {
    /// The length of the body on the wire; `nil` if it is missing or invalid, or if several values differ.
    public var contentLength: Int64? { value(for: "Content-Length").flatMap(ContentLength.bytes) }

    /// Refuses a response whose body has no certain end (RFC 9112 §6.3): its `Content-Length` is invalid or sent with
    /// different values, and neither method, status nor `Transfer-Encoding` delimits the body.
    package func checkLength(answering method: HTTPMethod) throws(AsyncNetError) {
        guard let text = value(for: "Content-Length"), ContentLength.bytes(text) == nil, !isBodyless(answering: method),
            value(for: "Transfer-Encoding") == nil
        else { return }
        let lengths = text.split(separator: ",", omittingEmptySubsequences: false).map {
            ContentLength.bytes(String($0))
        }
        let problem =
            lengths.contains(nil)
            ? "that is not a number of bytes from 0 to 2^63 - 1" : "several times, with lengths that differ"
        throw AsyncNetError(.badServerResponse, "The server sent a Content-Length \(problem)")
    }

    /// Whether no body follows this head, regardless of its headers (RFC 9112 §6.3).
    package func isBodyless(answering method: HTTPMethod) -> Bool {
        method == .head || 100..<200 ~= statusCode || statusCode == 204 || statusCode == 304
    }
}
