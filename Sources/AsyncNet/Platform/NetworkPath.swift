/// The network interfaces and default routes of this machine.
///
/// Only a request shows whether a server can be reached.
public struct NetworkPath: Hashable, Sendable {
    /// Whether a connection to a network exists.
    public enum Status: Hashable, Sendable {
        /// A connection exists, as ``NetworkPath/status`` defines it.
        case satisfied
        /// No connection exists. A request may wait for a change of the path.
        case unsatisfied
        /// The system does not report the status, or a request may establish a connection, such as a VPN on demand. A
        /// request should not wait.
        case unknown
    }

    /// Whether a connection to a network exists.
    ///
    /// On Linux the status is `.satisfied` if an interface other than the loopback is up, has a carrier and has a
    /// usable address, which is neither link-local nor still being checked for duplicates. Bridges, tunnels and other
    /// virtual interfaces also need a default route; otherwise a laptop without Wi-Fi would be online by its Docker
    /// bridge. On Apple platforms the system decides.
    public let status: Status
    /// The interfaces, by the system's preference of their default routes: on Linux all interfaces of this network
    /// namespace, on Apple platforms the ones that the path can use.
    public internal(set) var interfaces: [NetworkInterface] = []
    /// Whether there is a default route for IPv4, over an interface that is up, and a local address to send from. On
    /// Linux the tables `main` and `default` are read.
    public internal(set) var hasIPv4 = false
    /// Whether there is a default route for IPv6; see ``hasIPv4``.
    public internal(set) var hasIPv6 = false

    /// The path if the system reports nothing.
    public static let unknown = NetworkPath(status: .unknown)
}

/// A network interface of this machine.
public struct NetworkInterface: Hashable, Sendable {
    /// The technology of an interface.
    public enum InterfaceKind: Hashable, Sendable {
        /// The interface to this machine itself.
        case loopback
        /// A wired network, or its virtual form in a container or a virtual machine.
        case ethernet
        /// A wireless network (IEEE 802.11).
        case wifi
        /// A modem for mobile data.
        case cellular
        /// A tunnel, a bridge or any other interface.
        case other
    }

    /// The system's name, such as `eth0`.
    public let name: String
    /// The technology of the interface.
    public let kind: InterfaceKind
    /// Whether the interface is enabled and has a carrier: a connected cable, or an access point.
    public let isUp: Bool
    /// The addresses as sorted text, such as `192.0.2.7` and `fe80::1`, including link-local addresses. Empty on Apple
    /// platforms, whose monitor does not report them.
    public internal(set) var addresses: [String] = []
}
