import Foundation

struct RouteTable: Equatable, Sendable {
    struct Link: Equatable, Sendable {
        var name: String
        var isUp: Bool
        var isRunning: Bool
        var isLoopback: Bool
        /// The hardware type, `ARPHRD_…`, such as 1 for Ethernet.
        var hardware: UInt16
        /// The kind of a virtual link, such as `veth` or `bridge`; `nil` for a device.
        var virtualKind: String?
    }

    struct Address: Equatable, Sendable {
        var link: Int32
        var isIPv6: Bool
        var text: String
        /// Whether packets with this source address can leave the link.
        var isUsable: Bool
    }

    struct DefaultRoute: Equatable, Sendable {
        var isIPv6: Bool
        var metric: UInt32
        /// The indices of the route's links; empty if the message does not contain them.
        var links: [Int32]
    }

    private(set) var links: [Int32: Link] = [:]
    private(set) var addresses: [Address] = []
    private(set) var routes: [DefaultRoute] = []

    mutating func add(_ message: NetlinkMessage) {
        switch message.type {
        case NetlinkType.newLink:
            if let (index, link) = Link.reading(message.body) { links[index] = link }
        case NetlinkType.newAddress:
            if let address = Address(message.body) { addresses.append(address) }
        case NetlinkType.newRoute:
            if let route = DefaultRoute(message.body) { routes.append(route) }
        default: break
        }
    }
}

extension RouteTable.Link {
    /// Reads `struct ifinfomsg`. Bridges send messages of the same type, with another family, about their ports.
    static func reading(_ body: NetlinkBytes) -> (Int32, RouteTable.Link)? {
        guard body.number(UInt8.self, at: 0) == 0, let hardware = body.number(UInt16.self, at: 2),
            let index = body.number(Int32.self, at: 4), let flags = body.number(UInt32.self, at: 8)
        else { return nil }
        let attributes = body.attributes(from: 16)
        let isUp = flags & 0x1 != 0
        let isLoopback = flags & 0x8 != 0
        let isRunning = flags & 0x40 != 0
        return (
            index,
            RouteTable.Link(
                name: attributes[3]?.text ?? "", isUp: isUp, isRunning: isUp && isRunning, isLoopback: isLoopback,
                hardware: hardware,
                virtualKind: attributes[18]?.attributes(from: 0)[1]?.text)
        )
    }
}

extension RouteTable {
    fileprivate static let v4 = UInt8(truncatingIfNeeded: AF_INET)
    fileprivate static let v6 = UInt8(truncatingIfNeeded: AF_INET6)
}

extension RouteTable.Address {
    /// Reads `struct ifaddrmsg`.
    init?(_ body: NetlinkBytes) {
        guard let family = body.number(UInt8.self, at: 0), let scope = body.number(UInt8.self, at: 3),
            let link = body.number(Int32.self, at: 4), let short = body.number(UInt8.self, at: 2)
        else { return nil }
        let attributes = body.attributes(from: 8)
        // An address with a peer, as tunnels have, is IFA_LOCAL (2); IFA_ADDRESS (1) is the peer's.
        let isIPv6 = family == RouteTable.v6
        guard let value = attributes[2] ?? attributes[1],
            let text = IPText.text(of: Array(value.slice(from: 0, size: isIPv6 ? 16 : 4)), family: Int32(family))
        else { return nil }
        let flags = attributes[8]?.number(UInt32.self, at: 0) ?? UInt32(short)
        self.init(
            link: link, isIPv6: isIPv6, text: text,
            isUsable: scope < 253 && !Self.isLinkLocal(value, isIPv6) && !Self.isUnchecked(flags))
    }

    private static func isLinkLocal(_ value: NetlinkBytes, _ isIPv6: Bool) -> Bool {
        guard let first = value.number(UInt8.self, at: 0), let second = value.number(UInt8.self, at: 1) else {
            return true
        }
        return isIPv6 ? first == 0xFE && second & 0xC0 == 0x80 : first == 169 && second == 254
    }

    /// Whether the address is a duplicate (IFA_F_DADFAILED), or still being checked (IFA_F_TENTATIVE) and not usable
    /// meanwhile (no IFA_F_OPTIMISTIC).
    private static func isUnchecked(_ flags: UInt32) -> Bool {
        flags & 0x08 != 0 || (flags & 0x40 != 0 && flags & 0x04 == 0)
    }
}

extension RouteTable.DefaultRoute {
    /// Reads `struct rtmsg`; `nil` for a route that is no unicast default route of the tables `main` and `default`.
    init?(_ body: NetlinkBytes) {
        guard let family = body.number(UInt8.self, at: 0), body.number(UInt8.self, at: 1) == 0,
            body.number(UInt8.self, at: 7) == 1, let flags = body.number(UInt32.self, at: 8), flags & 0x200 == 0,
            family == RouteTable.v4 || family == RouteTable.v6, let table = body.number(UInt8.self, at: 4)
        else { return nil }
        let attributes = body.attributes(from: 12)
        guard [253, 254].contains(attributes[15]?.number(UInt32.self, at: 0) ?? UInt32(table)) else { return nil }
        let single = attributes[4]?.number(Int32.self, at: 0)
        self.init(
            isIPv6: family == RouteTable.v6, metric: attributes[6]?.number(UInt32.self, at: 0) ?? 0,
            links: single.map { [$0] } ?? attributes[9].map(Self.links) ?? [])
    }

    /// The links of a multipath route (`struct rtnexthop`).
    private static func links(_ value: NetlinkBytes) -> [Int32] {
        var links: [Int32] = []
        var offset = 0
        while let length = value.number(UInt16.self, at: offset), length >= 8,
            let link = value.number(Int32.self, at: offset + 4)
        {
            links.append(link)
            offset += (Int(length) + 3) & ~3
        }
        return links
    }
}
