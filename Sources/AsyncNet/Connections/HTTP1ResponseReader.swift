import Foundation

/// Reads one HTTP/1.1 response from the bytes of a connection (RFC 9112 §6, §7). Without I/O: bytes go in, and the head and
/// pieces of the body come out.
struct HTTP1ResponseReader {
    private enum Framing {
        case length(Int64)
        case untilEnd
        /// Before a chunk's size.
        case chunkSize
        /// In a chunk, with what is left of it and the line break after it.
        case chunk(Int)
        case trailers
        case done
    }

    private let url: URL
    private let method: HTTPMethod
    private var parser: HTTPHeadParser
    /// A slice, so that taking a line copies nothing else.
    private var input = Data()
    private var framing = Framing.done
    private var trailerBytes = 0
    /// How many bytes at the front of the input have no line break.
    private var scanned = 0

    /// The longest line of a chunk's size with its extensions, in bytes.
    private static let longestLine = 8192

    init(_ request: HTTPRequestHead, limit: Int = 256 * 1024) {
        (url, method, parser) = (request.url, request.method, HTTPHeadParser(limit: limit))
    }

    /// What has been received and not read.
    var rest: Data { Data(input) }

    mutating func receive(_ bytes: Data) {
        guard !input.isEmpty else { return input = bytes }
        // A slice keeps what was taken from it. What is left is copied only when it is less than that.
        if input.startIndex > input.count { input = Data(input) }
        input.append(bytes)
    }

    /// The next head, which may be that of a 1xx response; `nil` if it is not complete.
    mutating func head() throws(AsyncNetError) -> HTTPResponseHead? {
        while let line = takeLine() {
            guard try line.withBytes({ bytes throws(AsyncNetError) in try parser.receive(bytes) }) else { continue }
            let head = parser.head(url: url)
            guard head.statusCode > 0 else {
                throw AsyncNetError(.badServerResponse, "The server's response does not begin with a status line")
            }
            parser.beginBlock()
            if head.statusCode >= 200 { try beginBody(head) }
            return head
        }
        guard input.count <= Self.longestLine * 8 else {
            throw AsyncNetError(.badServerResponse, "The server sent a status line or a header that is too large")
        }
        return nil
    }

    private mutating func beginBody(_ head: HTTPResponseHead) throws(AsyncNetError) {
        try head.checkLength(answering: method)
        if head.isBodyless(answering: method) {
            framing = .done
        } else if let coding = head.value(for: "Transfer-Encoding") {
            let last = coding.split(separator: ",").last.map { String($0).trimmedHTTPSpace.lowercased() }
            framing = last == "chunked" ? .chunkSize : .untilEnd
        } else {
            framing = head.contentLength.map { .length($0) } ?? .untilEnd
        }
    }

    /// Whether the body is complete.
    var isComplete: Bool {
        switch framing {
        case .done, .length(0): true
        default: false
        }
    }

    /// The next bytes of the body; `nil` if none have arrived.
    mutating func body() throws(AsyncNetError) -> Data? {
        while true {
            switch framing {
            case .done: return nil
            case .untilEnd: return take(input.count)
            case .length(let left):
                let bytes = take(Int(min(left, Int64(input.count))))
                framing = .length(left - Int64(bytes?.count ?? 0))
                return bytes
            case .chunkSize: if try !beginChunk() { return nil }
            case .chunk(let left):
                if left > 2, let bytes = take(min(left - 2, input.count)) {
                    framing = .chunk(left - bytes.count)
                    return bytes
                }
                if try !endChunk(left) { return nil }
            case .trailers:
                guard let line = takeLine() else {
                    guard input.count <= Self.longestLine else { throw Self.invalidChunk }
                    return nil
                }
                trailerBytes += line.count
                guard trailerBytes <= Self.longestLine * 8 else { throw Self.invalidChunk }
                if line.isBlank { framing = .done }
            }
        }
    }

    /// - Throws: ``AsyncNetError`` with code `.bodyEndedEarly` if the connection must not end here.
    mutating func endOfInput() throws(AsyncNetError) {
        switch framing {
        case .untilEnd: framing = .done
        case .done, .length(0): break
        default: throw AsyncNetError(.bodyEndedEarly)
        }
    }

    private mutating func beginChunk() throws(AsyncNetError) -> Bool {
        guard let line = takeLine() else {
            guard input.count <= Self.longestLine else { throw Self.invalidChunk }
            return false
        }
        let text = String(decoding: line, as: UTF8.self)
        let digits = text.prefix { $0.isHexDigit }
        let end = text.dropFirst(digits.count).first
        guard !digits.isEmpty, end.map({ ";\t ".contains($0) || $0.isNewline }) == true,
            let size = Int(digits, radix: 16), size < Int.max - 2
        else { throw Self.invalidChunk }
        framing = size == 0 ? .trailers : .chunk(size + 2)
        return true
    }

    /// The line break after a chunk.
    private mutating func endChunk(_ left: Int) throws(AsyncNetError) -> Bool {
        guard left <= 2, input.count >= left else { return false }
        guard take(left).map({ $0.elementsEqual([0x0D, 0x0A]) }) == true else { throw Self.invalidChunk }
        framing = .chunkSize
        return true
    }

    private static var invalidChunk: AsyncNetError {
        AsyncNetError(.badServerResponse, "The server sent a chunk without a valid size or end")
    }

    private mutating func take(_ count: Int) -> Data? {
        guard count > 0 else { return nil }
        scanned = 0
        defer { input = input.dropFirst(count) }
        return Data(input.prefix(count))
    }

    /// A line with its line break.
    private mutating func takeLine() -> Data? {
        guard let end = input.dropFirst(scanned).firstIndex(of: 0x0A) else {
            scanned = input.count
            return nil
        }
        return take(end - input.startIndex + 1)
    }
}

extension Data {
    fileprivate var isBlank: Bool { allSatisfy { $0 == 0x0D || $0 == 0x0A } }

    /// `withUnsafeBytes` with a typed error.
    fileprivate func withBytes<Value>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(AsyncNetError) -> Value
    ) throws(AsyncNetError) -> Value {
        let result = withUnsafeBytes { bytes in
            Result { () throws(AsyncNetError) in try body(bytes.bindMemory(to: UInt8.self)) }
        }
        return try result.get()
    }
}
