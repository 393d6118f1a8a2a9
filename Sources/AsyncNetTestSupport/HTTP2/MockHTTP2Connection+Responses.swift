import AsyncNet
import Foundation

/// Writes the responses of all streams in turn.
extension MockHTTP2Connection {
    /// Writes a part of each response in turn, until 128 KiB are to be sent.
    ///
    /// - Returns: Whether there may be more to write at once.
    mutating func write() -> Bool {
        var hasWritten = true
        while hasWritten, end == nil, machine.output.count < 128 * 1024 {
            hasWritten = false
            let ids = streams.keys.sorted()
            for id in ids.filter({ $0 > lastWritten }) + ids.filter({ $0 <= lastWritten }) where writeNext(id) {
                lastWritten = id
                hasWritten = true
            }
        }
        if isLeaving, streams.isEmpty, end == nil { end = .close }
        return hasWritten
    }

    /// Carries out a stream's next step, or a part of it.
    ///
    /// - Returns: Whether anything could be done.
    private mutating func writeNext(_ id: UInt32) -> Bool {
        guard end == nil, let stream = streams[id], let step = stream.steps.first else { return false }
        guard let rest = write(step, id) else { return false }
        // The step may have ended the stream, or others with it.
        streams[id]?.steps.replaceSubrange(stream.steps.startIndex...stream.steps.startIndex, with: rest)
        if machine.streams[id] == nil, streams[id]?.steps.isEmpty == true { drop(id) }
        return true
    }

    /// - Returns: The steps in place of this one, none if it is done; `nil` if it cannot be carried out yet.
    mutating func write(_ step: HTTP2Script.Step, _ id: UInt32) -> [HTTP2Script.Step]? {
        switch step {
        case .stall: return nil
        case .wait(let duration): return wait(duration, id) ? [] : nil
        case .head(let status, let headers, let endsStream):
            let fields = [(":status", "\(status)")] + headers.map { ($0.name, $0.value) }
            machine.send(fields, on: id, endsStream: endsStream)
        case .trailers(let headers):
            machine.send(headers.map { ($0.name, $0.value) }, on: id, endsStream: true)
        case .body(let bytes, let endsStream): return write(bytes, endsStream, id)
        case .stream(let chunks, let fault):
            return [.rest(StreamedBody(chunks, fault) { [inbox] in inbox.wakeup.set() })]
        case .rest(let body): return write(body, id)
        case .reset(let code): machine.reset(id, code.rawValue)
        case .goAway(let code, let last): goAway(code, last ?? id)
        case .frames(let frames): for frame in frames { machine.send(frame, on: id) }
        case .bytes(let bytes): machine.output.append(contentsOf: bytes)
        case .end(let end): self.end = end
        }
        return []
    }

    private mutating func write(_ bytes: Data, _ endsStream: Bool, _ id: UInt32) -> [HTTP2Script.Step]? {
        let part = bytes.prefix(machine.room(on: id))
        guard !part.isEmpty || bytes.isEmpty else { return nil }
        let isWhole = part.count == bytes.count
        machine.send(part, on: id, endsStream: endsStream && isWhole)
        return isWhole ? [] : [.body(bytes.dropFirst(part.count), endsStream: endsStream)]
    }

    /// Writes the next piece, if the sequence has made one.
    private mutating func write(_ body: StreamedBody, _ id: UInt32) -> [HTTP2Script.Step]? {
        switch body.take() {
        case nil: return nil
        case .piece(let piece): return [.wait(piece.pause), .body(piece.bytes, endsStream: false), .rest(body)]
        case .end(nil): return []
        case .end:
            // The reset replaces all steps that would follow.
            if let steps = streams[id]?.steps { streams[id]?.steps = steps.prefix(1) }
            return [.reset(.internalError)]
        }
    }

    private mutating func wait(_ duration: Duration, _ id: UInt32) -> Bool {
        guard duration > .zero, let resumption = streams[id]?.resumption else {
            if duration > .zero { streams[id]?.resumption = .now + duration }
            return duration <= .zero
        }
        guard resumption <= .now else { return false }
        streams[id]?.resumption = nil
        return true
    }

    /// Sends GOAWAY. With the largest number it only warns, and the connection stays open (RFC 9113 §6.8).
    private mutating func goAway(_ code: MockResponse.HTTP2Code, _ last: UInt32) {
        machine.goAway(code.rawValue, lastStream: last)
        for id in streams.keys where id > last { drop(id) }
        if last < 0x7FFF_FFFF { isLeaving = true }
    }
}
