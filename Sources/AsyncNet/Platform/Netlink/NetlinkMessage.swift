/// Bytes with numbers in the machine's byte order; a number beyond the end is `nil`.
struct NetlinkBytes {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var count: Int { bytes.count }

    func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type, at offset: Int) -> Number? {
        guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }

    func slice(from offset: Int, size: Int = .max) -> ArraySlice<UInt8> { bytes.dropFirst(offset).prefix(size) }

    var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}

/// The types of messages (`linux/rtnetlink.h`).
enum NetlinkType {
    static let error: UInt16 = 2
    static let done: UInt16 = 3
    static let newLink: UInt16 = 16
    static let deletedLink: UInt16 = 17
    static let getLink: UInt16 = 18
    static let newAddress: UInt16 = 20
    static let deletedAddress: UInt16 = 21
    static let getAddress: UInt16 = 22
    static let newRoute: UInt16 = 24
    static let deletedRoute: UInt16 = 25
    static let getRoute: UInt16 = 26
}

enum NetlinkFlag {
    static let request: UInt16 = 0x1
    static let isInterrupted: UInt16 = 0x10
    static let dump: UInt16 = 0x300
}

/// One message of a datagram (`struct nlmsghdr`).
struct NetlinkMessage {
    static let headerSize = 16

    let type: UInt16
    let flags: UInt16
    let sequence: UInt32
    let port: UInt32
    let body: NetlinkBytes

    /// The messages of a datagram, up to the first message with an impossible length.
    static func all(_ datagram: ArraySlice<UInt8>) -> [NetlinkMessage] {
        var messages: [NetlinkMessage] = []
        var offset = 0
        let bytes = NetlinkBytes(datagram)
        while let length = bytes.number(UInt32.self, at: offset).flatMap({ Int(exactly: $0) }),
            let message = NetlinkMessage(bytes, at: offset, length: length)
        {
            messages.append(message)
            offset += (length + 3) & ~3
        }
        return messages
    }

    private init?(_ bytes: NetlinkBytes, at offset: Int, length: Int) {
        guard length >= Self.headerSize, length <= bytes.count - offset,
            let type = bytes.number(UInt16.self, at: offset + 4), let flags = bytes.number(UInt16.self, at: offset + 6),
            let sequence = bytes.number(UInt32.self, at: offset + 8),
            let port = bytes.number(UInt32.self, at: offset + 12)
        else { return nil }
        self.type = type
        self.flags = flags
        self.sequence = sequence
        self.port = port
        body = NetlinkBytes(bytes.slice(from: offset + Self.headerSize, size: length - Self.headerSize))
    }

    static func dump(_ type: UInt16, sequence: UInt32) -> [UInt8] {
        // The kernel reads only the family, 0 for all, unless strict checking is requested. The body of a link request
        // is the longest.
        let body = [UInt8](repeating: 0, count: 16)
        let header =
            native(UInt32(headerSize + body.count)) + native(type) + native(NetlinkFlag.request | NetlinkFlag.dump)
            + native(sequence)
        return header + native(UInt32(0)) + body
    }

    private static func native<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }
}

extension NetlinkBytes {
    /// The attributes that begin at an offset (`struct rtattr`), by type. If several have the same type, the last one
    /// counts.
    func attributes(from offset: Int) -> [UInt16: NetlinkBytes] {
        var attributes: [UInt16: NetlinkBytes] = [:]
        var offset = offset
        while let length = number(UInt16.self, at: offset), let type = number(UInt16.self, at: offset + 2) {
            guard length >= 4, Int(length) <= count - offset else { break }
            // The upper two bits are flags.
            attributes[type & 0x3FFF] = NetlinkBytes(slice(from: offset + 4, size: Int(length) - 4))
            offset += (Int(length) + 3) & ~3
        }
        return attributes
    }
}
