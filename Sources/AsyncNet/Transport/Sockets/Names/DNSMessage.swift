import Foundation

struct DNSQuestion: Hashable, Sendable {
    enum Kind: UInt16, Sendable {
        case a = 1
        case aaaa = 28

        var family: Int32 { self == .a ? AF_INET : AF_INET6 }
    }

    let name: DNSName
    let kind: Kind

    private static let internet: UInt16 = 1

    /// The query (RFC 1035 §4.1): with ID 0, as RFC 8484 §4.1 asks for, and recursion desired.
    var message: [UInt8] {
        let header: [UInt8] = [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        return header + name.bytes + [0, UInt8(kind.rawValue), 0, UInt8(Self.internet)]
    }

    /// The addresses in the answer. The time to live of each is the shortest of its own record and of the aliases that
    /// lead to it. Records of other names, classes and types are left out.
    func addresses(in answer: [UInt8]) throws(DNSFailure) -> [ResolvedAddress] {
        var reader = DNSReader(bytes: answer)
        let count = try checkHeader(&reader)
        var records = Records()
        for _ in 0..<count { try readRecord(&reader, into: &records) }
        return try records.addresses(of: name)
    }

    private func checkHeader(_ reader: inout DNSReader) throws(DNSFailure) -> UInt16 {
        _ = try reader.number16()
        let flags = try reader.number16()
        let (questions, answers) = (try reader.number16(), try reader.number16())
        _ = try reader.take(4)
        guard flags & 0xF800 == 0x8000 else { throw .malformed("it is no response to a query") }
        let code = Int(flags & 0xF)
        guard code != 3 else { throw .noSuchName }
        guard code == 0 else { throw .refused(code) }
        guard flags & 0x0200 == 0 else { throw .truncated }
        guard questions == 1, try reader.name() == name, try reader.number16() == kind.rawValue,
            try reader.number16() == Self.internet
        else { throw .malformed("it answers another question") }
        return answers
    }

    private func readRecord(_ reader: inout DNSReader, into records: inout Records) throws(DNSFailure) {
        let owner = try reader.name()
        let (type, ofClass) = (try reader.number16(), try reader.number16())
        let seconds = try reader.number32()
        let length = Int(try reader.number16())
        // The highest bit is not part of the time (RFC 2181 §8).
        let timeToLive = Duration.seconds(seconds > UInt32(Int32.max) ? 0 : Int64(seconds))
        let end = reader.position + length
        if ofClass == Self.internet, type == Self.alias {
            let target = try reader.name()
            guard reader.position == end else { throw .malformed("an alias has a wrong length") }
            if records.aliases[owner] == nil { records.aliases[owner] = (target, timeToLive) }
            return
        }
        let data = Array(try reader.take(length))
        guard ofClass == Self.internet, type == kind.rawValue else { return }
        guard let text = IPText.text(of: data, family: kind.family) else {
            throw .malformed("an address has a wrong length")
        }
        records.addresses[owner, default: []].append(ResolvedAddress(text, timeToLive: timeToLive))
    }

    private static let alias: UInt16 = 5

    private struct Records {
        var addresses: [DNSName: [ResolvedAddress]] = [:]
        var aliases: [DNSName: (target: DNSName, timeToLive: Duration)] = [:]
        private static let mostAliases = 16

        func addresses(of name: DNSName) throws(DNSFailure) -> [ResolvedAddress] {
            var name = name
            var shortest = Duration.seconds(Int64(Int32.max))
            for _ in 0...Self.mostAliases {
                if let found = addresses[name] {
                    return found.map { ResolvedAddress($0.text, timeToLive: min($0.timeToLive, shortest)) }
                }
                guard let alias = aliases[name] else { throw .noData }
                shortest = min(shortest, alias.timeToLive)
                name = alias.target
            }
            throw .malformed("it has more than \(Self.mostAliases) aliases in a row")
        }
    }
}
