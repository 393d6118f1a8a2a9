import AsyncNet
import Foundation

/// Frames that concern the connection, and the frames that the server sends.
extension HTTP2ServerMachine {
    mutating func receiveSettings(_ header: HTTP2Frame.Header, _ payload: Input) throws(HTTP2Violation) {
        guard !header.flags.contains(.acknowledges) else { return try receiveAcknowledgement(payload) }
        let before = peer.initialWindow
        try peer.apply(payload)
        headerWriter.setTableLimit(peer.tableSize)
        output.append(frame: .settings, .acknowledges, length: 0)
        for id in streams.keys {
            streams[id]?.sendWindow += peer.initialWindow - before
            try require(
                streams[id]?.sendWindow ?? 0 <= HTTP2Settings.largestWindow, else: .flowControlError,
                "SETTINGS that make a window larger than 2^31 - 1", "6.9.2")
        }
    }

    /// Applies the initial window of the acknowledged SETTINGS to the open streams (RFC 9113 §6.9.2).
    private mutating func receiveAcknowledgement(_ payload: Input) throws(HTTP2Violation) {
        try require(payload.isEmpty, else: .frameSizeError, "an acknowledgement of SETTINGS with a payload", "6.5")
        guard initialWindows.count > 1 else { return }
        let before = initialWindows.removeFirst()
        for id in streams.keys { streams[id]?.receiveWindow += initialWindows[0] - before }
    }

    mutating func receiveControl(_ header: HTTP2Frame.Header, _ payload: Input) throws(HTTP2Violation) -> Event? {
        switch header.kind {
        case .reset:
            try header.checkOpened(below: lastStream + 1)
            return streams.removeValue(forKey: header.stream).map { _ in .reset(header.stream) }
        case .windowUpdate: return try receiveWindowUpdate(header, Int(payload.number(at: 0) & 0x7FFF_FFFF))
        case .ping where !header.flags.contains(.acknowledges) && settings.answersPings:
            output.append(frame: .ping, .acknowledges, length: 8)
            output.append(contentsOf: payload)
        default: break
        }
        return nil
    }

    private mutating func receiveWindowUpdate(
        _ header: HTTP2Frame.Header, _ increment: Int
    ) throws(HTTP2Violation) -> Event? {
        let isZero = increment == 0
        let violation = HTTP2Violation(
            isZero ? .protocolError : .flowControlError,
            isZero ? "a WINDOW_UPDATE frame of 0" : "WINDOW_UPDATE beyond a window of 2^31 - 1", "6.9")
        guard header.stream != 0 else {
            sendWindow += increment
            guard !isZero, sendWindow <= HTTP2Settings.largestWindow else { throw violation }
            return nil
        }
        try header.checkOpened(below: lastStream + 1)
        guard let window = streams[header.stream]?.sendWindow else { return nil }
        guard !isZero, window + increment <= HTTP2Settings.largestWindow else { return fail(header.stream, violation) }
        streams[header.stream]?.sendWindow += increment
        return nil
    }

    // MARK: Sending

    /// Sends changed settings to the client.
    mutating func update(_ settings: MockServer.HTTP2) {
        self.settings = settings
        initialWindows.append(settings.initialWindow)
        let entries = [(3, settings.concurrentStreams), (4, settings.initialWindow)]
        output.append(frame: .settings, length: entries.count * 6)
        for (name, value) in entries {
            output.append(contentsOf: [0, UInt8(name)])
            output.append(number: UInt32(clamping: value))
        }
    }

    mutating func send(_ fields: [(name: String, value: String)], on stream: UInt32, endsStream: Bool) {
        let fields = HTTPHeaders(fields.map { HTTPHeader(name: $0.name, value: $0.value) })
        headerWriter.write(fields, to: &output, on: stream, endsStream: endsStream, peer)
        if endsStream { close(stream) }
    }

    /// How many bytes of a body the client's windows and frame size allow in one frame now.
    func room(on stream: UInt32) -> Int {
        max(0, min(streams[stream]?.sendWindow ?? 0, sendWindow, peer.frameSize))
    }

    /// - Parameter bytes: At most `room(on:)` bytes.
    mutating func send(_ bytes: Data, on stream: UInt32, endsStream: Bool) {
        output.append(frame: .data, endsStream ? .endStream : [], on: stream, length: bytes.count)
        output.append(contentsOf: bytes)
        streams[stream]?.sendWindow -= bytes.count
        sendWindow -= bytes.count
        if endsStream { close(stream) }
    }

    /// Ends a stream whose response is complete; RST_STREAM stops a request that is not complete (RFC 9113 §8.1).
    private mutating func close(_ stream: UInt32) {
        if streams[stream]?.isRequestComplete == false { reset(stream, HTTP2ErrorCode.noError.rawValue) }
        streams[stream] = nil
    }

    mutating func reset(_ stream: UInt32, _ code: UInt32) {
        output.append(frame: .reset, on: stream, numbers: code)
        streams[stream] = nil
    }

    /// Sends GOAWAY, and drops the streams above `last`.
    mutating func goAway(_ code: UInt32, lastStream last: UInt32, text: String = "") {
        output.append(frame: .goAway, length: 8 + text.utf8.count)
        output.append(number: last)
        output.append(number: code)
        output.append(contentsOf: text.utf8)
        lastServed = min(lastServed, last)
        streams = streams.filter { $0.key <= last }
    }

    /// Sends a frame unchanged; it may end its stream.
    mutating func send(_ frame: MockResponse.Frame, on stream: UInt32) {
        let id = frame.stream ?? stream
        output.append(number: UInt32(truncatingIfNeeded: frame.payload.count) << 8 | UInt32(frame.kind))
        output.append(frame.flags)
        output.append(number: id)
        output.append(contentsOf: frame.payload)
        let kind = HTTP2Frame.Kind(rawValue: frame.kind)
        if kind == .data {
            streams[id]?.sendWindow -= frame.payload.count
            sendWindow -= frame.payload.count
        }
        let endsStream = HTTP2Frame.Flags(rawValue: frame.flags).contains(.endStream)
        if kind == .reset || endsStream && (kind == .data || kind == .headers) { streams[id] = nil }
    }
}
