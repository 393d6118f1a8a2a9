import AsyncNet
import Foundation

/// Requests: their bodies, then their heads and trailers.
extension HTTP2ServerMachine {
    mutating func receiveData(_ header: HTTP2Frame.Header, _ payload: Input) throws(HTTP2Violation) -> Event? {
        try header.checkOpened(below: lastStream + 1)
        receiveWindow -= payload.count
        guard receiveWindow >= 0 else {
            throw HTTP2Violation(.flowControlError, "DATA beyond the connection's window", "6.9.1")
        }
        let bytes = try unpadded(header, payload)
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

    /// Marks the request as complete. - Returns: the failure of one whose length is not what its head says.
    private mutating func end(_ stream: UInt32, _ isComplete: Bool) throws(HTTP2Violation) -> Event? {
        guard isComplete else { return nil }
        streams[stream]?.isRequestComplete = true
        guard let left = streams[stream]?.bytesLeft, left != 0 else { return nil }
        return fail(stream, HTTP2Violation(.protocolError, "another number of bytes than Content-Length says", "8.1.1"))
    }

    private func unpadded(_ header: HTTP2Frame.Header, _ payload: Input) throws(HTTP2Violation) -> Input {
        guard header.flags.contains(.padded) else { return payload }
        guard let padding = payload.first.map(Int.init), padding < payload.count else {
            throw HTTP2Violation(.protocolError, "a frame whose padding is longer than it", "6.1")
        }
        return Input(rebasing: payload[1..<(payload.count - padding)])
    }

    /// Gives each window back what was received, once that is more than half of it.
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

    mutating func beginBlock(_ header: HTTP2Frame.Header, _ payload: Input) throws(HTTP2Violation) -> Event? {
        var bytes = try unpadded(header, payload)
        if header.flags.contains(.priority) {
            guard bytes.count >= 5 else {
                throw HTTP2Violation(.frameSizeError, "a HEADERS frame that is too short", "6.2")
            }
            bytes = Input(rebasing: bytes[5...])
        }
        block = HeaderBlock(
            stream: header.stream, endsStream: header.flags.contains(.endStream), bytes: Array(bytes))
        return try header.flags.contains(.endHeaders) ? endBlock() : nil
    }

    mutating func continueBlock(_ header: HTTP2Frame.Header, _ payload: Input) throws(HTTP2Violation) -> Event? {
        guard block != nil else {
            throw HTTP2Violation(.protocolError, "a CONTINUATION frame without HEADERS before it", "6.10")
        }
        block?.bytes.append(contentsOf: payload)
        guard block?.bytes.count ?? 0 <= Self.mostHeadBytes else {
            throw HTTP2Violation(.enhanceYourCalm, "HEADERS of more than \(Self.mostHeadBytes) bytes", "10.5.1")
        }
        return try header.flags.contains(.endHeaders) ? endBlock() : nil
    }

    private mutating func endBlock() throws(HTTP2Violation) -> Event? {
        guard let block = block.take() else { return nil }
        let fields = try decode(block.bytes)
        if streams[block.stream] != nil { return try receiveTrailers(block) }
        // Frames that the client sent before it knew of a reset.
        guard block.stream > lastStream else { return nil }
        guard block.stream % 2 == 1 else {
            throw HTTP2Violation(.protocolError, "HEADERS on a stream with an even number", "5.1.1")
        }
        lastStream = block.stream
        guard block.stream <= lastServed else { return nil }
        return open(block, fields)
    }

    private mutating func decode(_ bytes: [UInt8]) throws(HTTP2Violation) -> [HPACKField] {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(HTTP2Violation) in
                try decoder.decode(bytes, listBytes: Self.mostHeadBytes, fields: 10_000)
            }
        }
        return try result.get().fields
    }

    private mutating func open(_ block: HeaderBlock, _ fields: [HPACKField]) -> Event? {
        guard streams.count < settings.concurrentStreams else {
            reset(block.stream, HTTP2ErrorCode.refusedStream.rawValue)
            return nil
        }
        do throws(HTTP2Violation) {
            let head = try HTTP2RequestHead(fields)
            streams[block.stream] = Stream(
                sendWindow: peer.initialWindow, receiveWindow: initialWindows[0],
                bytesLeft: head.headers["Content-Length"].flatMap { Int($0) })
            return try end(block.stream, block.endsStream)
                ?? .head(block.stream, head, isComplete: block.endsStream)
        } catch {
            return fail(block.stream, error)
        }
    }

    private mutating func receiveTrailers(_ block: HeaderBlock) throws(HTTP2Violation) -> Event? {
        guard block.endsStream, streams[block.stream]?.isRequestComplete == false else {
            return fail(block.stream, HTTP2Violation(.protocolError, "HEADERS inside a stream or after its end", "8.1"))
        }
        return try end(block.stream, true) ?? .body(block.stream, Data(), isComplete: true)
    }
}
