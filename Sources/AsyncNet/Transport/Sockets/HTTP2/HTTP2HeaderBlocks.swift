/// Reads the header blocks that the peer sends: HEADERS, and the CONTINUATION frames that follow (RFC 9113 §4.3,
/// §6.10).
package struct HTTP2HeaderReader {
    package struct Block {
        package let header: HTTP2Frame.Header
        let size: Int
        package let fields: HPACKFields
    }

    /// A block whose CONTINUATION frames must follow.
    private struct Start {
        let header: HTTP2Frame.Header
        var bytes: [UInt8]
        var continuations = 0
    }

    /// The most CONTINUATION frames of a block (CVE-2024-27316).
    private static let continuations = 16

    private var decoder: HPACKDecoder
    private var start: Start?

    /// - Parameter listBytes: The most bytes of all fields: names and values, and 32 for each field (RFC 9113 §6.5.2).
    package init(listBytes: Int, fields: Int) { decoder = HPACKDecoder(listBytes: listBytes, fields: fields) }

    /// The stream whose block is not complete: its CONTINUATION frame comes next.
    package var openStream: UInt32? { start?.header.stream }

    /// Reads a HEADERS frame; returns `nil` if the block goes on in CONTINUATION frames.
    package mutating func begin(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Violation) -> Block? {
        var bytes = try header.unpadded(payload)
        if header.flags.contains(.priority) {
            try require(bytes.count >= 5, else: .frameSizeError, "a HEADERS frame of \(payload.count) bytes", "6.2")
            bytes = UnsafeRawBufferPointer(rebasing: bytes[5...])
        }
        if header.flags.contains(.endHeaders) {
            return Block(header: header, size: bytes.count, fields: try decoder.decode(bytes))
        }
        start = Start(header: header, bytes: Array(bytes))
        return nil
    }

    /// Reads a CONTINUATION frame; returns `nil` if another one must follow.
    package mutating func goOn(
        _ header: HTTP2Frame.Header, _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Violation) -> Block? {
        guard var block = start.take() else {
            throw HTTP2Violation(.protocolError, "a CONTINUATION frame without HEADERS before it", "6.10")
        }
        block.continuations += 1
        try require(
            block.continuations <= Self.continuations, else: .enhanceYourCalm,
            "more than \(Self.continuations) CONTINUATION frames", "10.5")
        block.bytes.append(contentsOf: payload)
        guard header.flags.contains(.endHeaders) else {
            start = block
            return nil
        }
        let fields = try block.bytes.withBytes { bytes throws(HTTP2Violation) in try decoder.decode(bytes) }
        return Block(header: block.header, size: block.bytes.count, fields: fields)
    }
}

/// Writes header blocks: as HEADERS, and as CONTINUATION frames what does not fit.
package struct HTTP2HeaderWriter {
    private var encoder = HPACKEncoder()
    /// The last block, whose memory the next one uses.
    private var block: [UInt8] = []

    package init() {}

    package mutating func setTableLimit(_ size: UInt32) { encoder.setTableLimit(size) }

    package mutating func write(
        _ fields: HTTPHeaders, to output: inout [UInt8], on stream: UInt32, endsStream: Bool, _ settings: HTTP2Settings
    ) {
        block.removeAll(keepingCapacity: true)
        encoder.begin(into: &block)
        for field in fields { encoder.encode(field.name, field.value, into: &block) }
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
