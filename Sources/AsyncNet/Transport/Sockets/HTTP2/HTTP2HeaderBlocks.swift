/// Reads the header blocks that the peer sends: HEADERS, and the CONTINUATION frames that follow (RFC 9113 §4.3,
/// §6.10).
struct HTTP2HeaderReader {
    struct Block {
        let header: HTTP2Frame.Header
        let size: Int
        let fields: HPACKFields
    }

    /// A block whose CONTINUATION frames must follow.
    private struct Start {
        let header: HTTP2Frame.Header
        var bytes: [UInt8]
        var continuations = 0
    }

    private var decoder = HPACKDecoder()
    private var start: Start?

    /// The stream whose block is not complete: its CONTINUATION frame comes next.
    var openStream: UInt32? { start?.header.stream }

    /// Reads a HEADERS frame; returns `nil` if the block goes on in CONTINUATION frames.
    mutating func begin(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer, _ limits: HTTP2Limits
    ) throws(HTTP2Violation) -> Block? {
        var (first, end) = (0, payload.count)
        if header.flags.contains(.padded) {
            guard let padding = payload.first.map(Int.init), padding < payload.count else {
                throw HTTP2Violation(.protocolError, "a HEADERS frame whose padding is longer than it", "6.2")
            }
            (first, end) = (1, end - padding)
        }
        if header.flags.contains(.priority) { first += 5 }
        guard first <= end else {
            throw HTTP2Violation(.frameSizeError, "a HEADERS frame of \(payload.count) bytes", "6.2")
        }
        let bytes = UnsafeRawBufferPointer(rebasing: payload[first..<end])
        if header.flags.contains(.endHeaders) { return try decode(bytes, header, limits) }
        start = Start(header: header, bytes: Array(bytes))
        return nil
    }

    /// Reads a CONTINUATION frame; returns `nil` if another one must follow.
    mutating func goOn(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer, _ limits: HTTP2Limits
    ) throws(HTTP2Violation) -> Block? {
        guard var block = start.take() else {
            throw HTTP2Violation(.protocolError, "a CONTINUATION frame without HEADERS before it", "6.10")
        }
        block.continuations += 1
        guard block.continuations <= limits.continuations else {
            throw HTTP2Violation(.enhanceYourCalm, "more than \(limits.continuations) CONTINUATION frames", "10.5")
        }
        block.bytes.append(contentsOf: payload)
        guard header.flags.contains(.endHeaders) else {
            start = block
            return nil
        }
        return try block.bytes.withBytes { bytes throws(HTTP2Violation) in try decode(bytes, block.header, limits) }
    }

    private mutating func decode(
        _ bytes: UnsafeRawBufferPointer, _ header: HTTP2Frame.Header, _ limits: HTTP2Limits
    ) throws(HTTP2Violation) -> Block {
        let fields = try decoder.decode(bytes, listBytes: limits.head.headBytes, fields: limits.head.headerLines)
        return Block(header: header, size: bytes.count, fields: fields)
    }
}

/// Writes the header blocks of requests, as HEADERS frames with the CONTINUATION frames for what does not fit.
struct HTTP2HeaderWriter {
    var encoder = HPACKEncoder()

    /// - Parameter write: Calls its parameter with each field, pseudo-header fields first.
    mutating func write(
        to output: inout [UInt8], on stream: UInt32, endsStream: Bool, _ settings: HTTP2Settings,
        _ write: (_ add: (String, String) -> Void) -> Void
    ) {
        let start = output.count
        output.append(frame: .headers, on: stream, length: 0)
        let first = output.count
        encoder.begin(into: &output)
        write { name, value in encoder.encode(name, value, HPACKEncoder.indexing(of: name), into: &output) }
        let length = min(output.count - first, settings.frameSize)
        var flags: HTTP2Frame.Flags = endsStream ? .endStream : []
        if first + length == output.count { flags.insert(.endHeaders) }
        output[start] = UInt8(length >> 16)
        output[start + 1] = UInt8(length >> 8 & 0xFF)
        output[start + 2] = UInt8(length & 0xFF)
        output[start + 4] = flags.rawValue
        continueBlock(at: first + length, in: &output, on: stream, settings.frameSize)
    }

    private func continueBlock(at start: Int, in output: inout [UInt8], on stream: UInt32, _ frameSize: Int) {
        var rest = Array(output[start...])[...]
        output.removeSubrange(start...)
        while !rest.isEmpty {
            let part = rest.prefix(frameSize)
            rest = rest.dropFirst(part.count)
            output.append(frame: .continuation, rest.isEmpty ? .endHeaders : [], on: stream, length: part.count)
            output.append(contentsOf: part)
        }
    }
}
