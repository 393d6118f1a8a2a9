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

/// Writes header blocks: as HEADERS, and as CONTINUATION frames what does not fit.
package struct HTTP2HeaderWriter {
    private var encoder = HPACKEncoder()
    /// The last block, whose memory the next one uses.
    private var block: [UInt8] = []

    package init() {}

    package mutating func setTableLimit(_ size: UInt32) { encoder.setTableLimit(size) }

    /// - Parameter write: Calls its parameter with each field, pseudo-header fields first.
    package mutating func write(
        to output: inout [UInt8], on stream: UInt32, endsStream: Bool, _ settings: HTTP2Settings,
        _ write: (_ add: (String, String) -> Void) -> Void
    ) {
        block.removeAll(keepingCapacity: true)
        encoder.begin(into: &block)
        write { name, value in encoder.encode(name, value, HPACKEncoder.indexing(of: name), into: &block) }
        var kind = HTTP2Frame.Kind.headers
        var rest = block[...]
        repeat {
            let part = rest.prefix(settings.frameSize)
            rest = rest.dropFirst(part.count)
            var flags: HTTP2Frame.Flags = endsStream && kind == .headers ? .endStream : []
            if rest.isEmpty { flags.insert(.endHeaders) }
            output.append(frame: kind, flags, on: stream, length: part.count)
            output.append(contentsOf: part)
            kind = .continuation
        } while !rest.isEmpty
    }
}
