package import Foundation

/// What a peer has sent.
package enum WebSocketEvent: Hashable, Sendable {
    case message(WebSocketMessage)
    case ping(Data)
    case pong(Data)
    /// The peer's close frame; `nil` if it has no code. No event follows.
    case close(code: WebSocketCloseCode?, reason: String)
}

/// The most bytes of a received frame and of a received message.
package struct WebSocketLimits: Hashable, Sendable {
    package var frame: Int
    /// After decompression.
    package var message: Int

    package init(frame: Int, message: Int) { (self.frame, self.message) = (max(1, frame), max(1, message)) }
}

/// The protocol after the handshake (RFC 6455 §5 to §7, RFC 7692), for both roles and without I/O.
///
/// Bytes go in with `receive`, and each call of `next` returns the next event that they contain. `next` decodes no
/// bytes behind that event, so events do not fill memory while nobody asks for them. The caller sends what `reply`,
/// `encode` and the other functions return, in the order of the calls.
package struct WebSocketMachine: ~Copyable, Sendable {
    private let role: WebSocketRole
    private let parser: WebSocketFrameParser
    private var input = WebSocketInput()
    private var assembler: WebSocketAssembler
    var encoder: WebSocketEncoder
    /// The frame whose payload is being received, and how much of it was received.
    private var frame: (head: WebSocketFrameHead, received: Int)?
    private var controlPayload = Data()
    private var failure: WebSocketFailure?
    /// Whether the peer has sent a close frame; nothing after it counts (RFC 6455 §5.5.1).
    package private(set) var hasReceivedClose = false
    /// Whether this side has made a close frame; it sends nothing after it.
    package internal(set) var hasSentClose = false

    package init(
        role: WebSocketRole, compression: WebSocketDeflate? = nil, limits: WebSocketLimits,
        masks: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.role = role
        parser = WebSocketFrameParser(
            role: role, hasCompression: compression != nil, maximumFrameSize: limits.frame)
        assembler = WebSocketAssembler(
            limit: limits.message, inflater: compression.map { $0.inflater(from: role.peer) })
        encoder = WebSocketEncoder(
            role: role, masks: masks, deflater: compression.flatMap { $0.deflater(of: role) },
            minimumSize: compression?.minimumSize ?? 0)
    }

    /// Adds received bytes. Bytes after a close frame or a failure are ignored.
    package mutating func receive(_ bytes: Data) {
        if !hasReceivedClose, failure == nil { input.append(bytes) }
    }

    /// The next event; `nil` if more bytes must arrive first, or if the peer's close frame was returned.
    ///
    /// - Throws: A failure, now and at every later call. The caller sends `closeFrame(for:)` and closes the connection.
    package mutating func next() throws(WebSocketFailure) -> WebSocketEvent? {
        if let failure { throw failure }
        do {
            return try advance()
        } catch {
            failure = error
            discard()
            throw error
        }
    }

    private mutating func advance() throws(WebSocketFailure) -> WebSocketEvent? {
        while !hasReceivedClose {
            if frame == nil, try !beginFrame() { return nil }
            guard try readPayload() else { return nil }
            if let event = try endFrame() { return event }
        }
        return nil
    }

    /// Reads a frame's head; `false` if it is not complete.
    private mutating func beginFrame() throws(WebSocketFailure) -> Bool {
        guard let (head, size) = try parser.parse(input.peek(WebSocketFrameParser.longestHead)) else { return false }
        input.skip(size)
        if !head.opcode.isControl { try assembler.begin(head) }
        frame = (head, 0)
        return true
    }

    /// Reads the received bytes of the frame's payload; `false` if more must arrive.
    private mutating func readPayload() throws(WebSocketFailure) -> Bool {
        guard let (head, received) = frame else { return false }
        var piece = input.peek(head.length - received)
        if let mask = head.mask {
            // A copy: the slice shares its memory, and Foundation traps when an empty one is to be changed.
            piece = piece.withUnsafeBytes { Data($0) }
            piece.withUnsafeMutableBytes { mask.apply(to: $0, at: received) }
        }
        input.skip(piece.count)
        if head.opcode.isControl {
            controlPayload.append(piece)
        } else if !piece.isEmpty {
            try assembler.append(piece, of: head.length)
        }
        frame?.received += piece.count
        return received + piece.count == head.length
    }

    /// The event that a complete frame leads to; `nil` inside a message.
    private mutating func endFrame() throws(WebSocketFailure) -> WebSocketEvent? {
        guard let head = frame?.head else { return nil }
        let payload = controlPayload
        (frame, controlPayload) = (nil, Data())
        switch head.opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        case .close: return try close(payload)
        case .continuation, .text, .binary: return head.isFinal ? .message(try assembler.finish()) : nil
        }
    }

    private mutating func close(_ payload: Data) throws(WebSocketFailure) -> WebSocketEvent {
        let (code, reason) = try WebSocketCloseBody.parse(payload)
        hasReceivedClose = true
        discard()
        return .close(code: code, reason: reason)
    }

    /// Releases received bytes that no event will contain.
    private mutating func discard() {
        input = WebSocketInput()
        frame = nil
        controlPayload = Data()
        assembler.reset()
    }
}

extension WebSocketDeflate {
    fileprivate func inflater(from side: WebSocketRole) -> WebSocketInflater {
        WebSocketInflater(windowBits: windowBits(side), takesOver: takesOver(side))
    }

    /// Compresses the messages of a side; `nil` if zlib has no window as small as the agreed one.
    fileprivate func deflater(of side: WebSocketRole) -> WebSocketDeflater? {
        guard windowBits(side) >= Self.leastWindowBits else { return nil }
        return WebSocketDeflater(windowBits: windowBits(side), takesOver: takesOver(side))
    }
}
