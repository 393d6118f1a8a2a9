/// Header blocks: HEADERS, and the CONTINUATION frames that follow (RFC 9113 §4.3, §6.10).
extension HTTP2Machine {
    struct HeaderBlock {
        let stream: UInt32
        let endsStream: Bool
        var bytes: [UInt8]
        var continuations = 0
    }

    mutating func beginBlock(
        _ header: HTTP2Frame.Header, _ payload: Input, _ now: ContinuousClock.Instant
    ) throws(HTTP2Violation) -> Event? {
        try checkKnown(header)
        var (start, end) = (0, payload.count)
        if header.flags.contains(.padded) {
            guard let padding = payload.first.map(Int.init), padding < payload.count else {
                throw HTTP2Violation(.protocolError, "a HEADERS frame whose padding is longer than it", "6.2")
            }
            (start, end) = (1, end - padding)
        }
        if header.flags.contains(.priority) { start += 5 }
        guard start <= end else {
            throw HTTP2Violation(.frameSizeError, "a HEADERS frame of \(payload.count) bytes", "6.2")
        }
        let bytes = Input(rebasing: payload[start..<end])
        let endsStream = header.flags.contains(.endStream)
        if header.flags.contains(.endHeaders) { return try receive(bytes, header.stream, endsStream, now) }
        block = HeaderBlock(stream: header.stream, endsStream: endsStream, bytes: Array(bytes))
        return nil
    }

    mutating func continueBlock(
        _ header: HTTP2Frame.Header, _ payload: Input, _ now: ContinuousClock.Instant
    ) throws(HTTP2Violation) -> Event? {
        guard var block else {
            throw HTTP2Violation(.protocolError, "a CONTINUATION frame without HEADERS before it", "6.10")
        }
        block.continuations += 1
        guard block.continuations <= limits.continuations else {
            throw HTTP2Violation(.enhanceYourCalm, "more than \(limits.continuations) CONTINUATION frames", "10.5")
        }
        block.bytes.append(contentsOf: payload)
        guard header.flags.contains(.endHeaders) else {
            self.block = block
            return nil
        }
        self.block = nil
        let whole = block
        let result = whole.bytes.withUnsafeBytes { bytes in
            Result { () throws(HTTP2Violation) in try receive(bytes, whole.stream, whole.endsStream, now) }
        }
        return try result.get()
    }

    /// Receives a whole header block. A block for an ended stream is decoded too, since all blocks of the connection
    /// share a table.
    private mutating func receive(
        _ bytes: Input, _ number: UInt32, _ endsStream: Bool, _ now: ContinuousClock.Instant
    ) throws(HTTP2Violation) -> Event? {
        let list: HPACKFields
        do throws(HPACKError) {
            list = try decoder.decode(bytes, HPACKLimits(listBytes: limits.headBytes, fields: limits.fields))
        } catch {
            throw HTTP2Violation(.compressionError, "HEADERS that cannot be decoded (\(error.reason))", "4.3")
        }
        guard let stream = streams[number] else {
            try spend("HEADERS of ended streams", now)
            return nil
        }
        stream.headBytes += bytes.count
        do throws(HTTP2Violation) {
            return try receive(list, stream, endsStream)
        } catch {
            return fail(stream, error)
        }
    }

    private mutating func receive(
        _ list: HPACKFields, _ stream: HTTP2Stream, _ endsStream: Bool
    ) throws(HTTP2Violation) -> Event? {
        guard !list.exceedsLimits else {
            throw HTTP2Violation(
                .enhanceYourCalm, "HEADERS larger than \(limits.headBytes) bytes or \(limits.fields) fields", "10.5.1")
        }
        guard stream.phase != .ended else {
            throw HTTP2Violation(.streamClosed, "HEADERS after the end of their stream", "5.1")
        }
        if stream.phase == .body {
            guard endsStream else { throw HTTP2Violation(.protocolError, "trailers that do not end the stream", "8.1") }
            ending = stream
            return .trailers(stream, try HTTP2Fields.headers(list.fields[...]))
        }
        let head = try HTTP2Fields.head(list.fields, stream.url)
        if head.statusCode < 200 {
            guard !endsStream else {
                throw HTTP2Violation(.protocolError, "a 1xx response that ends the stream", "8.1")
            }
            stream.informational += 1
            guard stream.informational <= limits.informationalResponses else {
                throw HTTP2Violation(
                    .enhanceYourCalm, "more than \(limits.informationalResponses) informational responses", "10.5")
            }
            return .informational(stream, head)
        }
        try stream.receive(head)
        if endsStream { ending = stream }
        return .head(stream, head)
    }
}
