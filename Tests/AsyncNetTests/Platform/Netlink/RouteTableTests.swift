import Testing

@testable import AsyncNet

/// What the kernel's messages say, and what follows from it.
@Suite("Routing tables", .timeLimit(.minutes(5)))
struct RouteTableTests {
    private static let global: [UInt8] = [192, 0, 2, 7]
    private static let local: [UInt8] = [169, 254, 1, 1]
    private static let global6: [UInt8] = [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [7]
    private static let local6: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
    private static let (running, up, down): (UInt32, UInt32, UInt32) = (0x1043, 0x1003, 0x1002)

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var flags: UInt32 = 0x1043
        var made: String?
        var address: [UInt8]? = global
        var scope: UInt8 = 0
        var addressFlags: UInt8 = 0x80
        var more: [UInt8] = []
        var route: [UInt8]?
        let expected: NetworkPath.Status
        var hasRoute = false
    }

    @Test(
        "A running interface with a usable address satisfies a path; a virtual interface also needs a default route",
        arguments: [
            Case(testDescription: "an IPv4 address without a default route", expected: .satisfied),
            Case(
                testDescription: "an IPv4 address and a default route", route: Netlink.route(over: 2),
                expected: .satisfied,
                hasRoute: true),
            Case(testDescription: "no address", address: nil, route: Netlink.route(over: 2), expected: .unsatisfied),
            Case(
                testDescription: "an interface that is not up", flags: down, route: Netlink.route(over: 2),
                expected: .unsatisfied),
            Case(
                testDescription: "an interface without a carrier", flags: up, route: Netlink.route(over: 2),
                expected: .unsatisfied),
            Case(
                testDescription: "the loopback interface", flags: running | 0x8, route: Netlink.route(over: 2),
                expected: .unsatisfied),
            Case(testDescription: "a link-local IPv4 address only", address: local, expected: .unsatisfied),
            Case(testDescription: "an IPv4 address of link-local scope", scope: 253, expected: .unsatisfied),
            Case(testDescription: "a global IPv6 address", address: global6, expected: .satisfied),
            Case(
                testDescription: "a link-local IPv6 address only", address: local6, route: Netlink.route(10, over: 2),
                expected: .unsatisfied),
            Case(
                testDescription: "a tentative IPv6 address", address: global6, addressFlags: 0x40,
                expected: .unsatisfied),
            Case(
                testDescription: "a tentative IPv6 address that is optimistic", address: global6, addressFlags: 0x44,
                expected: .satisfied
            ),
            Case(
                testDescription: "an IPv6 address that failed duplicate address detection", address: global6,
                addressFlags: 0x88, expected: .unsatisfied),
            Case(
                testDescription: "an IPv6 address that is tentative by its 32-bit flags", address: global6,
                addressFlags: 0x80,
                more: Netlink.attribute(8, Netlink.native(UInt32(0x40))), expected: .unsatisfied),
            Case(
                testDescription: "a point-to-point link with a link-local peer and a global address of its own",
                address: local, more: Netlink.attribute(2, global),
                expected: .satisfied),
            Case(testDescription: "a veth interface without a default route", made: "veth", expected: .satisfied),
            Case(testDescription: "a bridge without a default route", made: "bridge", expected: .unsatisfied),
            Case(
                testDescription: "a WireGuard tunnel without a default route", made: "wireguard", expected: .unsatisfied
            ),
            Case(
                testDescription: "a tunnel with a default route", made: "tun", route: Netlink.route(over: 2),
                expected: .satisfied, hasRoute: true),
            Case(
                testDescription: "a bridge with a route to a network only", made: "bridge",
                route: Netlink.route(length: 24, over: 2),
                expected: .unsatisfied),
            Case(
                testDescription: "a bridge with an unreachable default route", made: "bridge",
                route: Netlink.route(type: 7, over: 2),
                expected: .unsatisfied),
            Case(
                testDescription: "a bridge with a default route of another table", made: "bridge",
                route: Netlink.route(table: 51820, over: 2),
                expected: .unsatisfied),
            Case(
                testDescription: "a bridge with a cached default route", made: "bridge",
                route: Netlink.route(flags: 0x200, over: 2),
                expected: .unsatisfied),
            Case(
                testDescription: "a bridge with a default route of the other address family", made: "bridge",
                route: Netlink.route(10, over: 2),
                expected: .unsatisfied),
            Case(
                testDescription: "a bridge, and a default route over another link", made: "bridge",
                route: Netlink.route(over: 3),
                expected: .unsatisfied),
            Case(
                testDescription: "a tunnel, and a default route that names no link", made: "tun",
                route: Netlink.route(over: nil),
                expected: .satisfied, hasRoute: true),
            Case(
                testDescription: "a multipath default route over two links, one of which is the tunnel", made: "tun",
                route: Netlink.route(
                    over: nil, more: Netlink.attribute(9, [8, 0, 0, 0, 9, 0, 0, 0, 8, 0, 0, 0, 2, 0, 0, 0])),
                expected: .satisfied,
                hasRoute: true),
            Case(
                testDescription: "a multipath default route over another link than the tunnel", made: "tun",
                route: Netlink.route(over: nil, more: Netlink.attribute(9, [8, 0, 0, 0, 9, 0, 0, 0])),
                expected: .unsatisfied),
        ])
    func status(_ test: Case) {
        let path = Netlink.table(
            links: [Netlink.link(2, "eth0", flags: test.flags, made: test.made)],
            addresses: test.address.map {
                [Netlink.address(2, $0, scope: test.scope, flags: test.addressFlags, more: test.more)]
            } ?? [],
            routes: test.route.map { [$0] } ?? []
        ).path { _ in nil }
        #expect(path.status == test.expected)
        #expect((path.hasIPv4 || path.hasIPv6) == test.hasRoute)
    }

    @Test("A default route of one address family sets hasIPv4 or hasIPv6 of the path, not both")
    func families() {
        func path(_ routes: [[UInt8]]) -> NetworkPath {
            let addresses = [Netlink.address(2, Self.global), Netlink.address(2, Self.global6)]
            return Netlink.table(links: [Netlink.link(2, "eth0")], addresses: addresses, routes: routes).path { _ in nil
            }
        }
        #expect(
            path([Netlink.route(2, over: 2)])
                == path([Netlink.route(2, over: 2), Netlink.route(10, length: 64, over: 2)]))
        #expect((path([Netlink.route(2, over: 2)]).hasIPv4, path([Netlink.route(2, over: 2)]).hasIPv6) == (true, false))
        #expect(
            (path([Netlink.route(10, over: 2)]).hasIPv4, path([Netlink.route(10, over: 2)]).hasIPv6) == (false, true))
    }

    @Test("A default route is usable with the loopback interface's global address if its own link has none")
    func unnumbered() {
        let links = [Netlink.link(1, "lo", flags: 0x49, hardware: 772), Netlink.link(2, "eth0")]
        let addresses = [Netlink.address(1, Self.global), Netlink.address(2, Self.local6, scope: 253)]
        #expect(
            Netlink.table(links: links, addresses: addresses, routes: [Netlink.route(over: 2)]).path { _ in nil }.status
                == .satisfied)
        #expect(Netlink.table(links: links, addresses: addresses).path { _ in nil }.status == .unsatisfied)
    }

    @Test("A path lists the interface of the preferred route first, and each with its kind and addresses")
    func interfaces() {
        let links = [
            Netlink.link(1, "lo", flags: 0x49, hardware: 772), Netlink.link(2, "eth0", flags: Self.up),
            Netlink.link(3, "wlp3s0"),
            Netlink.link(4, "wwan0", hardware: 519), Netlink.link(5, "br0", made: "bridge"),
            Netlink.link(6, "tun0", hardware: 65534, made: "tun"),
        ]
        let addresses = [
            Netlink.address(3, Self.local6, scope: 253), Netlink.address(3, Self.global),
            Netlink.address(1, [127, 0, 0, 1], scope: 254),
        ]
        let routes = [Netlink.route(metric: 700, over: 4), Netlink.route(metric: 600, over: 3)]
        let path = Netlink.table(links: links, addresses: addresses, routes: routes).path {
            ["wlp3s0": "wlan", "wwan0": "wwan"][$0]
        }
        #expect(
            path.interfaces == [
                NetworkInterface(name: "wlp3s0", kind: .wifi, isUp: true, addresses: ["192.0.2.7", "fe80::1"]),
                NetworkInterface(name: "wwan0", kind: .cellular, isUp: true),
                NetworkInterface(name: "lo", kind: .loopback, isUp: true, addresses: ["127.0.0.1"]),
                NetworkInterface(name: "eth0", kind: .ethernet, isUp: false),
                NetworkInterface(name: "br0", kind: .other, isUp: true),
                NetworkInterface(name: "tun0", kind: .other, isUp: true),
            ])
    }

    @Test("A link message of the bridge family (a port) adds no link to the table")
    func bridgePort() {
        #expect(Netlink.table(links: [Netlink.link(2, "eth0", family: 7)]) == RouteTable())
    }
}
