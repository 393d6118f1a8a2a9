import AsyncNet
import Foundation

/// Receives the bodies, heads and trailers of requests.
extension HTTP2ServerMachine {
    mutating func receiveData(_ header: HTTP2Frame.Header, _ payload: Input) throws(HTTP2Violation) -> Event? {
        try header.checkOpened(below: lastStream + 1)
        receiveWindow -= payload.count
        try require(receiveWindow >= 0, else: .flowControlError, "DATA beyond the connection's window", "6.9.1")
        let bytes = try header.unpadded(payload)
        guard var stream = streams[header.stream] else { return nil }
        guard !stream.isRequestComplete else {
            return fail(header.stream, HTTP2Violation(.streamClosed, "DATA after the end of its stream", "5.1"))
        }
        stream.receiveWindow -= payload.count
        stream.received += payload.count
        stream.bytesLeft = stream.bytesLeft.map { $0 - bytes.count }
        guard stream.receiveWindow >= 0 else {
            return fail(header.stream, HTTP2Violation(.flowControlError, "DATA beyond its stream's window", "6.9.1"))
        }
        streams[header.stream] = stream
        let isComplete = header.flags.contains(.endStream)
        return try end(header.stream, isComplete) ?? .body(header.stream, Data(bytes), isComplete: isComplete)
    }

    /// If `isComplete`, marks the request as complete. Returns a reset if its length is not `Content-Length`.
    private mutating func end(_ stream: UInt32, _ isComplete: Bool) throws(HTTP2Violation) -> Event? {
        guard isComplete else { return nil }
        streams[stream]?.isRequestComplete = true
        guard let left = streams[stream]?.bytesLeft, left != 0 else { return nil }
        return fail(stream, HTTP2Violation(.protocolError, "another number of bytes than Content-Length says", "8.1.1"))
    }

    /// Enlarges each window by the bytes received, once these are more than half of the window.
    mutating func allowMore() {
        let used = Self.connectionWindow - receiveWindow
        if used > Self.connectionWindow / 2 {
            output.append(frame: .windowUpdate, numbers: UInt32(used))
            receiveWindow += used
        }
        let window = initialWindows[0]
        for (id, stream) in streams where !stream.isRequestComplete && stream.received > window / 2 && window > 0 {
            output.append(frame: .windowUpdate, on: id, numbers: UInt32(stream.received))
            streams[id]?.receiveWindow += stream.received
            streams[id]?.received = 0
        }
    }

    // MARK: Header blocks

    mutating func receive(_ block: HTTP2HeaderReader.Block?) throws(HTTP2Violation) -> Event? {
        guard let block else { return nil }
        let stream = block.header.stream
        let endsStream = block.header.flags.contains(.endStream)
        if streams[stream] != nil { return try receiveTrailers(stream, endsStream) }
        // The client has sent these HEADERS before it knew that the stream was reset.
        guard stream > lastStream else { return nil }
        try require(stream % 2 == 1, else: .protocolError, "HEADERS on a stream with an even number", "5.1.1")
        lastStream = stream
        return stream <= lastServed ? open(stream, block.fields.fields, endsStream) : nil
    }

    private mutating func open(_ stream: UInt32, _ fields: [HTTPHeader], _ endsStream: Bool) -> Event? {
        guard streams.count < settings.concurrentStreams else {
            reset(stream, HTTP2ErrorCode.refusedStream.rawValue)
            return nil
        }
        do throws(HTTP2Violation) {
            let head = try HTTP2RequestHead(fields)
            streams[stream] = Stream(
                sendWindow: peer.initialWindow, receiveWindow: initialWindows[0],
                bytesLeft: head.headers["Content-Length"].flatMap { Int($0) }.map { max(0, $0) })
            return try end(stream, endsStream)
                ?? .head(stream, head, isComplete: endsStream)
        } catch {
            return fail(stream, error)
        }
    }

    private mutating func receiveTrailers(_ stream: UInt32, _ endsStream: Bool) throws(HTTP2Violation) -> Event? {
        guard endsStream, streams[stream]?.isRequestComplete == false else {
            return fail(stream, HTTP2Violation(.protocolError, "HEADERS inside a stream or after its end", "8.1"))
        }
        return try end(stream, true) ?? .body(stream, Data(), isComplete: true)
    }
}
