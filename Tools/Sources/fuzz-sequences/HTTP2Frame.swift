import Foundation

/// One frame of HTTP/2 (RFC 9113 §4.1), whose length field may be a lie.
struct HTTP2Frame {
    enum Kind: UInt8, CaseIterable {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation,
            altSvc, blocked, origin
    }

    var type: UInt8
    var flags: UInt8
    var stream: UInt32
    var payload: Data
    var statedLength: Int?

    static let endStream: UInt8 = 1, acknowledgement: UInt8 = 1, endHeaders: UInt8 = 4, padded: UInt8 = 8,
        priority: UInt8 = 32

    init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: Data = Data()) {
        (type, self.flags, self.stream, self.payload) = (kind.rawValue, flags, stream, payload)
    }

    var bytes: Data {
        let length = statedLength ?? payload.count
        return Data([UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags])
            + Self.number(stream) + payload
    }

    static func number(_ value: UInt32) -> Data { withUnsafeBytes(of: value.bigEndian) { Data($0) } }

    /// The next one that a client sends; `nil` at the end.
    static func read(from socket: Socket) -> HTTP2Frame? {
        guard let head = socket.receive(exactly: 9).map(Array.init) else { return nil }
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        guard let payload = length == 0 ? Data() : socket.receive(exactly: length) else { return nil }
        let stream = head[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        var frame = HTTP2Frame(.data, flags: head[4], stream: stream, payload)
        frame.type = head[3]
        return frame
    }

    static func settings(_ pairs: [(UInt16, UInt32)]) -> HTTP2Frame {
        HTTP2Frame(
            .settings, pairs.reduce(Data()) { $0 + Data([UInt8($1.0 >> 8), UInt8($1.0 & 255)]) + number($1.1) })
    }
}
