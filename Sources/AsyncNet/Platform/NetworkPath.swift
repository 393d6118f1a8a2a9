/// What the system knows about the ways out of this machine.
///
/// It tells whether trying makes sense, not whether a server can be reached: only a request tells that.
public struct NetworkPath: Hashable, Sendable {
    public enum Status: Hashable, Sendable {
        /// There is a way out; see ``NetworkPath`` for what counts as one.
        case satisfied
        /// There is none: whoever waits for it may wait.
        case unsatisfied
        /// The system does not say, or one more try may bring up a way, such as a VPN on demand: there is nothing to
        /// wait for.
        case unknown
    }

    /// On Linux it is satisfied by an interface that is up, has a carrier, is not the loopback and has a usable
    /// address, which is none of the link's own (169.254.0.0/16, fe80::/10) nor one that is still being checked for
    /// duplicates. A default route is not needed: in a container or on a closed network the servers may stand beside
    /// this machine. Bridges, tunnels and other interfaces that this machine makes for itself do need one, or a laptop
    /// without Wi-Fi would be online by its Docker bridge. Elsewhere it is what the system says.
    public let status: Status
    /// On Linux all of this network namespace, on Apple platforms those that the path can use. Those with a default
    /// route come first, the preferred one before the others.
    public let interfaces: [NetworkInterface]
    /// Whether there is a default route for IPv4, over an interface that is up and with an address to send from. On
    /// Linux those in the tables `main` and `default` count.
    public let hasIPv4: Bool
    /// The same for IPv6.
    public let hasIPv6: Bool

    /// Whether more can be reached than the networks that this machine is part of.
    public var hasDefaultRoute: Bool { hasIPv4 || hasIPv6 }

    public init(status: Status, interfaces: [NetworkInterface] = [], hasIPv4: Bool = false, hasIPv6: Bool = false) {
        self.status = status
        self.interfaces = interfaces
        self.hasIPv4 = hasIPv4
        self.hasIPv6 = hasIPv6
    }

    /// Where the system tells nothing.
    public static let unknown = NetworkPath(status: .unknown)
}

/// One of a machine's connections to a network.
public struct NetworkInterface: Hashable, Sendable {
    public enum InterfaceKind: Hashable, Sendable {
        /// To this machine itself.
        case loopback
        /// By cable, or what stands for one in a container or a virtual machine.
        case ethernet
        case wifi
        /// Over a modem for mobile data.
        case cellular
        /// Tunnels, bridges and everything else.
        case other
    }

    /// As the system has it, such as `eth0`.
    public let name: String
    public let kind: InterfaceKind
    /// Whether it is switched on and has a carrier: the other end of the cable, or the access point, is there.
    public let isUp: Bool
    /// As text in order, such as `192.0.2.7` and `fe80::1`, link-local ones too. Empty on Apple platforms, whose
    /// monitor does not tell.
    public let addresses: [String]

    public init(name: String, kind: InterfaceKind, isUp: Bool, addresses: [String] = []) {
        self.name = name
        self.kind = kind
        self.isUp = isUp
        self.addresses = addresses
    }
}
