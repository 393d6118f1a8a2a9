extension RouteTable {
    /// - Parameter deviceType: Returns the type of a device by its name, such as `wlan`.
    func path(deviceType: (String) -> String?) -> NetworkPath {
        let (hasIPv4, hasIPv6) = (hasDefaultRoute(isIPv6: false), hasDefaultRoute(isIPv6: true))
        let isOnNetwork = addresses.contains {
            $0.isUsable && links[$0.link].map { $0.isRunning && !$0.isLoopback && $0.isConnection } ?? false
        }
        return NetworkPath(
            status: hasIPv4 || hasIPv6 || isOnNetwork ? .satisfied : .unsatisfied,
            interfaces: order.map { interface($0, $1, deviceType) }, hasIPv4: hasIPv4, hasIPv6: hasIPv6)
    }

    /// Whether a link that is up has a default route, and a link, perhaps another, has a usable address to send from.
    private func hasDefaultRoute(isIPv6: Bool) -> Bool {
        let isRouted = routes.contains { route in
            route.isIPv6 == isIPv6 && (route.links.isEmpty ? Array(links.keys) : route.links).contains { isOutward($0) }
        }
        return isRouted && addresses.contains { $0.isIPv6 == isIPv6 && $0.isUsable && links[$0.link]?.isUp == true }
    }

    private func isOutward(_ index: Int32) -> Bool { links[index].map { $0.isRunning && !$0.isLoopback } ?? false }

    private var order: [(Int32, Link)] {
        var metrics: [Int32: UInt32] = [:]
        for route in routes {
            for link in route.links { metrics[link] = min(metrics[link] ?? .max, route.metric) }
        }
        return links.map { ($0.key, $0.value) }.sorted { one, other in
            switch (metrics[one.0], metrics[other.0]) {
            case (let left?, let right?) where left != right: left < right
            case (_?, nil): true
            case (nil, _?): false
            default: one.0 < other.0
            }
        }
    }

    private func interface(_ index: Int32, _ link: Link, _ deviceType: (String) -> String?) -> NetworkInterface {
        NetworkInterface(
            name: link.name, kind: link.kind(deviceType), isUp: link.isRunning,
            addresses: addresses.filter { $0.link == index }.map(\.text).sorted())
    }
}

extension RouteTable.Link {
    private static let connections: Set<String> = [
        "bond", "ipvlan", "ipvtap", "macvlan", "macvtap", "netkit", "team", "veth", "vlan", "wwan",
    ]

    /// Whether the link is a connection to a network, unlike a bridge or a tunnel.
    var isConnection: Bool { virtualKind.map(Self.connections.contains) ?? true }

    func kind(_ deviceType: (String) -> String?) -> NetworkInterface.InterfaceKind {
        if isLoopback { return .loopback }
        switch virtualKind ?? deviceType(name) {
        case "wlan": return .wifi
        case "wwan": return .cellular
        // A device without a type is Ethernet if its hardware is ARPHRD_ETHER (1).
        default: return hardware == 1 && isConnection ? .ethernet : .other
        }
    }
}
