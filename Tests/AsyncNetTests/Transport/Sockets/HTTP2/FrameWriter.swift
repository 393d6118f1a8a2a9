import Foundation

@testable import AsyncNet

/// What a server sends, frame by frame, right or wrong.
struct FrameWriter {
    private(set) var bytes: [UInt8] = []
    private var encoder = HPACKEncoder()

    mutating func raw(_ more: [UInt8]) { bytes += more }

    mutating func frame(_ kind: UInt8, _ flags: UInt8 = 0, on stream: UInt32 = 0, _ payload: [UInt8] = []) {
        let length = payload.count
        bytes += [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), kind, flags]
        bytes.append(number: stream)
        bytes += payload
    }

    mutating func settings(_ entries: [(UInt16, UInt32)] = []) {
        var payload: [UInt8] = []
        for (name, value) in entries {
            payload += [UInt8(name >> 8), UInt8(name & 0xFF)]
            payload.append(number: value)
        }
        frame(4, 0, payload)
    }

    /// A header block, as a HEADERS frame's payload.
    mutating func block(_ fields: [(String, String)]) -> [UInt8] {
        var block: [UInt8] = []
        encoder.begin(into: &block)
        for (name, value) in fields { encoder.encode(name, value, .indexed, into: &block) }
        return block
    }

    mutating func headers(_ fields: [(String, String)], on stream: UInt32 = 1, ends: Bool = false) {
        let payload = block(fields)
        frame(1, ends ? 0x5 : 0x4, on: stream, payload)
    }

    mutating func data(_ text: String, on stream: UInt32 = 1, ends: Bool = false) {
        frame(0, ends ? 1 : 0, on: stream, Array(text.utf8))
    }

    mutating func numbers(_ kind: UInt8, on stream: UInt32 = 0, _ numbers: UInt32...) {
        var payload: [UInt8] = []
        for number in numbers { payload.append(number: number) }
        frame(kind, 0, on: stream, payload)
    }
}

/// What a machine wrote, by frame.
struct WrittenFrame: Equatable, CustomStringConvertible {
    var kind: UInt8
    var flags: UInt8
    var stream: UInt32
    var payload: [UInt8]

    var description: String { "\(kind)/\(flags) on \(stream): \(payload.prefix(16))" }

    static func all(_ bytes: [UInt8]) -> [WrittenFrame] {
        var (rest, frames) = (bytes[...], [WrittenFrame]())
        if rest.starts(with: HTTP2Frame.preface) { rest = rest.dropFirst(HTTP2Frame.preface.count) }
        while rest.count >= 9 {
            let header = Array(rest.prefix(9)).withUnsafeBytes { HTTP2Frame.Header($0) }
            let kind = rest[rest.startIndex + 3]
            let payload = Array(rest.dropFirst(9).prefix(header.length))
            frames.append(
                WrittenFrame(kind: kind, flags: header.flags.rawValue, stream: header.stream, payload: payload))
            rest = rest.dropFirst(9 + header.length)
        }
        return frames
    }
}
