import Foundation

/// Receives one response over HTTP/1.1 (RFC 9112), without I/O: it reads bytes in a buffer of the caller's, and says
/// what they are. It holds no bytes: an incomplete line stays in the caller's buffer, in front of the next bytes.
///
/// head → (1xx: head) → length | chunk size ⇄ chunk → chunk's end ⇄ … → trailers | until close → complete
struct HTTP1Receiver {
    typealias Input = UnsafeRawBufferPointer

    enum Event {
        /// A 1xx response other than 101; another response follows.
        case informational(HTTPResponseHead)
        case head(HTTPResponseHead)
        /// Bytes of the body, by their place in the input.
        case body(Range<Int>)
        case trailers(HTTPHeaders)
        case complete
    }

    private enum State: Equatable {
        case head
        case length(Int64)
        case chunkSize
        case chunk(Int64)
        case chunkEnd
        case trailers
        case untilClose
        /// Everything has been received, and `complete` has not been returned.
        case ending
        case complete
    }

    private let url: URL
    private let method: HTTPMethod
    private let limits: HTTP1Limits
    private let isOfProxy: Bool
    private var state = State.head
    private var parser: HTTPHeadParser
    private var trailers: HTTPHeadParser
    private var lines = 0
    private var informational = 0
    private var extensionBytes = 0
    /// How many bytes at the start of the input are known to have no line feed.
    private var scanned = 0
    private(set) var hasBegun = false
    private(set) var headBytes = 0
    private(set) var keepsConnection = false

    /// The longest line of a chunk's size without its extension; the limit for all extensions applies to an extension.
    private static let longestSize = 16

    init(_ url: URL, _ method: HTTPMethod, _ limits: HTTP1Limits = HTTP1Limits(), isOfProxy: Bool = false) {
        self.url = url
        self.method = method
        self.limits = limits
        self.isOfProxy = isOfProxy
        parser = HTTPHeadParser(limit: limits.headBytes)
        trailers = HTTPHeadParser(limit: limits.trailerBytes)
    }

    var isComplete: Bool { state == .complete }
    /// Whether the response is complete, and another request may follow on the connection.
    var allowsReuse: Bool { state == .complete && keepsConnection }
    var endsWithConnection: Bool { state == .untilClose }
    /// How many bytes of a body with a Content-Length are still missing, never 0; `nil` before the head, for other
    /// bodies, and as soon as no byte is missing.
    var bytesLeft: Int64? { if case .length(let left) = state { left } else { nil } }

    /// What comes next in the input from `position` on, which moves behind it; `nil` if more bytes are needed.
    mutating func next(in input: Input, _ position: inout Int) throws(AsyncNetError) -> Event? {
        if position < input.count { hasBegun = true }
        while true {
            switch state {
            case .head:
                guard let line = try line(in: input, &position) else { return nil }
                if let event = try receiveHead(line) { return event }
            case .length(let left):
                guard let range = take(left, in: input, &position) else { return nil }
                didReceive(Int64(range.count))
                return .body(range)
            case .untilClose:
                guard let range = take(.max, in: input, &position) else { return nil }
                return .body(range)
            case .chunkSize:
                guard let line = try line(in: input, &position) else { return nil }
                try beginChunk(line)
            case .chunk(let left):
                guard let range = take(left, in: input, &position) else { return nil }
                state = Int64(range.count) == left ? .chunkEnd : .chunk(left - Int64(range.count))
                return .body(range)
            case .chunkEnd:
                guard try endChunk(in: input, &position) else { return nil }
            case .trailers:
                guard let line = try line(in: input, &position) else { return nil }
                guard try receiveTrailer(line) else { continue }
                state = .ending
                if !trailers.headers.isEmpty { return .trailers(trailers.headers) }
            case .ending:
                state = .complete
                return .complete
            case .complete: return nil
            }
        }
    }

    /// Called instead of `next` for bytes of a body of known length which the caller received into the body's memory.
    mutating func didReceive(_ count: Int64) {
        guard case .length(let left) = state else { return }
        state = left == count ? .ending : .length(left - count)
    }

    /// Called when the server has closed the connection, and all bytes before that were taken. Unless the response is
    /// complete, throws `.emptyReply` before its first byte, `.connectionLost` in its head, `.bodyEndedEarly` in its body.
    mutating func receiveEnd() throws(AsyncNetError) {
        switch state {
        case .untilClose, .ending, .complete: state = .complete
        case .head:
            guard hasBegun else { throw AsyncNetError(.emptyReply) }
            throw AsyncNetError(.connectionLost, "The server closed the connection inside the response's head")
        default: throw AsyncNetError(.bodyEndedEarly)
        }
    }

    private mutating func receiveHead(_ line: HTTPHeadParser.Line) throws(AsyncNetError) -> Event? {
        headBytes += line.count
        let isFirst = parser.statusCode == 0
        if isFirst { try Self.checkVersion(line) } else { try checkHeader(line) }
        guard try parser.receive(line) else {
            if !isFirst { try count(line: "headers") }
            return nil
        }
        guard parser.statusCode > 0 else { throw Self.notHTTP }
        let head = parser.head(url: url)
        parser.beginBlock()
        lines = 0
        guard head.statusCode >= 200 || head.statusCode == 101 else {
            return .informational(try countInformational(head))
        }
        try begin(head)
        return .head(head)
    }

    /// Refuses a second status line, and a framing header that is continued on the next line: another recipient may
    /// ignore that line (RFC 9112 §5.2).
    private func checkHeader(_ line: HTTPHeadParser.Line) throws(AsyncNetError) {
        let isContinued = line.first == 0x20 || line.first == 0x09
        let framing = ["Transfer-Encoding", "Content-Length", "Connection"]
        let isOfFraming = isContinued && framing.contains { parser.headers.last?.hasName($0) == true }
        if isOfFraming || HTTPHeadParser.isStatusLine(line) {
            throw AsyncNetError(
                .badServerResponse,
                "The server's head has a second status line, or continues a framing header on the next line")
        }
    }

    private mutating func countInformational(_ head: HTTPResponseHead) throws(AsyncNetError) -> HTTPResponseHead {
        informational += 1
        guard informational <= limits.informationalResponses else {
            throw AsyncNetError(
                .badServerResponse, "The server sent more than \(limits.informationalResponses) informational responses"
            )
        }
        return head
    }

    private mutating func begin(_ head: HTTPResponseHead) throws(AsyncNetError) {
        let framing = try HTTP1Framing(head, answering: method)
        keepsConnection = head.keepsConnection(isOfProxy: isOfProxy) && framing != .untilClose && head.statusCode != 101
        switch framing {
        case .none, .length(0): state = .ending
        case .length(let length): state = .length(length)
        case .chunked: state = .chunkSize
        case .untilClose: state = .untilClose
        }
    }

    private static func checkVersion(_ line: HTTPHeadParser.Line) throws(AsyncNetError) {
        guard HTTPHeadParser.isStatusLine(line) else { throw notHTTP }
        guard line.count > 8, line[5] == 0x31, line[6] == 0x2E, 0x30...0x39 ~= line[7], line[8] == 0x20 else {
            throw AsyncNetError(
                .badServerResponse, "The server's status line has another version than HTTP/1.0 and 1.1")
        }
    }

    private static var notHTTP: AsyncNetError {
        AsyncNetError(.badServerResponse, "The server's response does not begin with a status line")
    }

    private mutating func count(line kind: String) throws(AsyncNetError) {
        lines += 1
        guard lines <= limits.headerLines else {
            throw AsyncNetError(.badServerResponse, "The server sent more than \(limits.headerLines) \(kind)")
        }
    }

    /// - Returns: Whether the line is the empty one at the end.
    private mutating func receiveTrailer(_ line: HTTPHeadParser.Line) throws(AsyncNetError) -> Bool {
        guard !HTTPHeadParser.isStatusLine(line) else { throw Self.invalidChunk }
        if try trailers.receive(line) { return true }
        try count(line: "trailers")
        // These headers would delimit a body that has been delimited already (RFC 9110 §6.5.1).
        let forbidden = ["Transfer-Encoding", "Content-Length", "Trailer"]
        guard let header = trailers.headers.last, forbidden.contains(where: header.hasName) else { return false }
        throw AsyncNetError(.badServerResponse, "The server sent the header \(header.name) as a trailer")
    }

    /// A chunk's size: hexadecimal digits, then nothing, blanks, or an extension (RFC 9112 §7.1).
    private mutating func beginChunk(_ line: HTTPHeadParser.Line) throws(AsyncNetError) {
        var size: Int64 = 0
        var digits = 0
        while digits < line.count, let digit = line[digits].hexValue {
            guard digits < Self.longestSize, size <= Int64.max >> 4 else { throw Self.invalidChunk }
            size = size << 4 | Int64(digit)
            digits += 1
        }
        guard digits > 0 else { throw Self.invalidChunk }
        try checkExtension(HTTPHeadParser.Line(rebasing: line[digits...]))
        lines = 0
        state = size == 0 ? .trailers : .chunk(size)
    }

    /// Checks what follows a chunk's size: blanks and extensions, without a bare CR, which could end the line for
    /// another reader.
    private mutating func checkExtension(_ rest: HTTPHeadParser.Line) throws(AsyncNetError) {
        guard rest.count >= 2, rest[rest.count - 2] == 0x0D, rest.prefix(rest.count - 2).firstIndex(of: 0x0D) == nil
        else {
            throw Self.invalidChunk
        }
        guard rest.count > 2 else { return }
        guard let first = rest.first(where: { $0 != 0x20 && $0 != 0x09 }), first == 0x3B || first == 0x0D else {
            throw Self.invalidChunk
        }
        extensionBytes += rest.count
        guard extensionBytes <= limits.chunkExtensionBytes else {
            throw AsyncNetError(
                .badServerResponse, "The server sent more than \(limits.chunkExtensionBytes) bytes of chunk extensions")
        }
    }

    private mutating func endChunk(in input: Input, _ position: inout Int) throws(AsyncNetError) -> Bool {
        guard position < input.count else { return false }
        guard input[position] == 0x0D else { throw Self.invalidChunk }
        guard position + 1 < input.count else { return false }
        guard input[position + 1] == 0x0A else { throw Self.invalidChunk }
        position += 2
        state = .chunkSize
        return true
    }

    private static var invalidChunk: AsyncNetError {
        AsyncNetError(
            .badServerResponse,
            "The server sent a chunk without a valid size or end, or a status line after the last chunk")
    }

    private mutating func line(in input: Input, _ position: inout Int) throws(AsyncNetError) -> HTTPHeadParser.Line? {
        let rest = Input(rebasing: input[position...])
        guard let end = rest.firstIndex(ofByte: 0x0A, from: min(scanned, rest.count)) else {
            scanned = rest.count
            // A server of another protocol may never end its line: its first bytes are enough to refuse it.
            if state == .head, parser.statusCode == 0, !rest.prefix(5).elementsEqual("HTTP/".utf8.prefix(rest.count)) {
                throw Self.notHTTP
            }
            guard scanned <= longestLine else { throw tooLongLine }
            return nil
        }
        scanned = 0
        guard end < longestLine else { throw tooLongLine }
        position += end + 1
        return Input(rebasing: rest[...end]).bindMemory(to: UInt8.self)
    }

    private var longestLine: Int {
        switch state {
        case .chunkSize: Self.longestSize + 2 + limits.chunkExtensionBytes
        case .trailers: limits.trailerBytes
        default: limits.headBytes
        }
    }

    private var tooLongLine: AsyncNetError {
        guard state == .head else { return Self.invalidChunk }
        return AsyncNetError(
            .badServerResponse, "The server's head is larger than the limit of \(limits.headBytes) bytes")
    }

    private func take(_ most: Int64, in input: Input, _ position: inout Int) -> Range<Int>? {
        guard position < input.count else { return nil }
        let end = position + Int(min(most, Int64(input.count - position)))
        defer { position = end }
        return position..<end
    }
}

extension UnsafeRawBufferPointer {
    /// Calls the C library, which compares many bytes at a time.
    func firstIndex(ofByte byte: Int32, from start: Int) -> Int? {
        guard start < count, let base = baseAddress, let found = memchr(base + start, byte, count - start) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }
}
