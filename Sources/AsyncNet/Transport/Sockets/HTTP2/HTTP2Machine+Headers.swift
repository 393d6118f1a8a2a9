extension HTTP2Machine {
    /// Receives a header block, once it is whole. The block of an ended stream was decoded too, since all blocks of the
    /// connection share a table.
    mutating func receive(_ block: HTTP2HeaderReader.Block?) throws(HTTP2Violation) -> Event? {
        guard let block else { return nil }
        guard let stream = streams[block.header.stream] else {
            try budget.spend("HEADERS of ended streams", now())
            return nil
        }
        stream.headBytes += block.size
        do throws(HTTP2Violation) {
            return try receive(block.fields, stream, block.header.flags.contains(.endStream))
        } catch {
            return fail(stream, error)
        }
    }

    private mutating func receive(
        _ list: HPACKFields, _ stream: HTTP2Stream, _ endsStream: Bool
    ) throws(HTTP2Violation) -> Event? {
        guard !list.exceedsLimits else {
            let (bytes, fields) = (limits.head.headBytes, limits.head.headerLines)
            throw HTTP2Violation(.enhanceYourCalm, "HEADERS larger than \(bytes) bytes or \(fields) fields", "10.5.1")
        }
        try require(stream.phase != .ended, else: .streamClosed, "HEADERS after the end of their stream", "5.1")
        if stream.phase == .body {
            try require(endsStream, else: .protocolError, "trailers that do not end the stream", "8.1")
            ending = stream
            return .trailers(stream, try HTTP2Fields.headers(list.fields[...]))
        }
        let head = try HTTP2Fields.head(list.fields, stream.url)
        if head.statusCode < 200 {
            try require(!endsStream, else: .protocolError, "a 1xx response that ends the stream", "8.1")
            stream.informational += 1
            let most = limits.head.informationalResponses
            try require(
                stream.informational <= most, else: .enhanceYourCalm, "more than \(most) informational responses",
                "10.5")
            return .informational(stream, head)
        }
        try stream.receive(head)
        if endsStream { ending = stream }
        return .head(stream, head)
    }
}
