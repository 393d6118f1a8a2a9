import Foundation

/// Makes messages of the payloads of data frames (RFC 6455 §5.4), which may be compressed (RFC 7692 §6.2).
struct WebSocketAssembler: ~Copyable, Sendable {
    /// The most bytes that are reserved because a frame's head announces them.
    private static let mostReserved = 256 * 1024

    private let limit: Int
    private var inflater: WebSocketInflater?
    private var bytes = Data()
    private var utf8 = UTF8Validator()
    private var isText = false
    private var isCompressed = false
    private(set) var isInMessage = false

    init(limit: Int, inflater: consuming WebSocketInflater?) {
        self.limit = limit
        self.inflater = inflater
    }

    /// Begins a frame: checks its place in the sequence, and the message's size, before any payload.
    mutating func begin(_ head: WebSocketFrameHead) throws(WebSocketFailure) {
        let continues = head.opcode == .continuation
        guard continues == isInMessage else {
            throw .violation(
                continues ? "A continuation frame continues no message" : "A message begins inside another message")
        }
        if !continues {
            isInMessage = true
            isText = head.opcode == .text
            isCompressed = head.isCompressed
        }
        guard isCompressed || head.length <= limit - bytes.count else {
            throw .tooLarge("A message is larger than the limit of \(limit) bytes")
        }
    }

    /// Adds a piece of a frame's payload of `length` bytes. Validates the piece if the message is a text.
    mutating func append(_ piece: Data, of length: Int) throws(WebSocketFailure) {
        let start = bytes.count
        if isCompressed {
            try inflater?.inflate(piece, into: &bytes, limit: limit)
        } else {
            if bytes.isEmpty { bytes.reserveCapacity(min(length, Self.mostReserved)) }
            bytes.append(piece)
        }
        try validate(from: start)
    }

    mutating func finish() throws(WebSocketFailure) -> WebSocketMessage {
        let start = bytes.count
        if isCompressed { try inflater?.finish(into: &bytes, limit: limit) }
        try validate(from: start)
        guard utf8.isComplete else { throw .invalidData("A text ends inside a character of UTF-8") }
        defer { reset() }
        return isText ? .text(String(decoding: bytes, as: UTF8.self)) : .binary(bytes)
    }

    mutating func reset() {
        bytes = Data()
        utf8 = UTF8Validator()
        isInMessage = false
    }

    private mutating func validate(from start: Int) throws(WebSocketFailure) {
        guard isText, start < bytes.count else { return }
        var validator = utf8
        let isValid = bytes.withUnsafeBytes { validator.accept(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        guard isValid else { throw .invalidData("A text is not UTF-8") }
        utf8 = validator
    }
}
