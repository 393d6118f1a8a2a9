/// A name in a DNS message (RFC 1035 §3.1): labels in lower case, since case does not count.
struct DNSName: Hashable, Sendable {
    /// Each label after its length, and a zero at the end.
    let bytes: [UInt8]
    /// The most bytes of a name, with the lengths and the zero at the end (RFC 1035 §2.3.4).
    static let mostBytes = 255
    static let mostLabelBytes = 63

    fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

    /// - Returns: `nil` for a name with an empty label, with one of more than 63 bytes, or of more than 255 bytes in
    ///   all.
    init?(_ text: String) {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        for label in labels.last?.isEmpty == true ? labels.dropLast() : labels[...] {
            guard 1...Self.mostLabelBytes ~= label.count else { return nil }
            bytes.append(UInt8(label.count))
            bytes += label.map(\.asciiLowercased)
        }
        guard !bytes.isEmpty, bytes.count < Self.mostBytes else { return nil }
        self.bytes = bytes + [0]
    }
}

/// Reads the parts of a DNS message (RFC 1035 §4.1), which is not trusted: reads stay within the bytes, and loops
/// end.
struct DNSReader {
    let bytes: [UInt8]
    private(set) var position = 0

    mutating func take(_ count: Int) throws(DNSFailure) -> ArraySlice<UInt8> {
        guard count <= bytes.count - position else { throw .truncated }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func number16() throws(DNSFailure) -> UInt16 { try take(2).reduce(0) { $0 << 8 | UInt16($1) } }
    mutating func number32() throws(DNSFailure) -> UInt32 { try take(4).reduce(0) { $0 << 8 | UInt32($1) } }

    /// Reads a name. It may end with a pointer to labels of an earlier name (RFC 1035 §4.1.4). Each pointer must lead
    /// to a place before the last pointer's, so that none leads in a circle.
    mutating func name() throws(DNSFailure) -> DNSName {
        var labels: [UInt8] = []
        var place = position
        var limit = position
        var end: Int?
        while true {
            let length = try byte(place)
            switch length {
            case 0:
                position = end ?? place + 1
                return DNSName(bytes: labels + [0])
            case 1...DNSName.mostLabelBytes:
                labels += try label(at: place, length)
                guard labels.count < DNSName.mostBytes else { throw .malformed("a name is longer than 255 bytes") }
                place += 1 + length
            case 0xC0...0xFF:
                let target = (length & 0x3F) << 8 | (try byte(place + 1))
                guard target < limit else { throw .malformed("a name's pointer does not lead backwards") }
                end = end ?? place + 2
                (place, limit) = (target, target)
            default: throw .malformed("a label has an unknown form")
            }
        }
    }

    private func byte(_ place: Int) throws(DNSFailure) -> Int {
        guard place < bytes.count else { throw .truncated }
        return Int(bytes[place])
    }

    private func label(at place: Int, _ length: Int) throws(DNSFailure) -> [UInt8] {
        guard place + length < bytes.count else { throw .truncated }
        return bytes[place...place + length].map(\.asciiLowercased)
    }
}

enum DNSFailure: Error, Hashable, CustomStringConvertible {
    /// The name does not exist (RFC 1035 §4.1.1).
    case noSuchName
    /// The name, or the name that its aliases lead to, has no addresses of the kind that was asked for (RFC 2308 §2.2).
    case noData
    case refused(Int)
    case truncated
    case malformed(String)

    var isAnswer: Bool { self == .noSuchName || self == .noData }

    var description: String {
        switch self {
        case .noSuchName: "the name does not exist"
        case .noData: "the name has no addresses"
        case .refused(let code): "the name server failed with \(Self.codes[code] ?? "code \(code)")"
        case .truncated: "the name server's answer ends early"
        case .malformed(let what): "the name server's answer is not valid DNS: \(what)"
        }
    }

    private static let codes = [1: "FORMERR", 2: "SERVFAIL", 4: "NOTIMP", 5: "REFUSED"]
}
