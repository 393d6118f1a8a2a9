import CAsyncNetLibcurl

/// The sockets of a loop's connections with their local ports, by which libcurl's callbacks identify a connection.
struct ConnectionSockets {
    private(set) var all: Set<Int32> = []
    /// Sockets without a known port, such as those that are not connected yet.
    private var unnamed: Set<Int32> = []
    private var byPort: [Int32: Int32] = [:]
    private var ports: [Int32: Int32] = [:]
    private var portsOfHTTP1: Set<Int32> = []
    /// Local ports that several connections, to different servers, have. Such a port identifies no connection.
    private var sharedPorts: Set<Int32> = []

    mutating func insert(_ socket: Int32) {
        all.insert(socket)
        unnamed.insert(socket)
    }

    mutating func remove(_ socket: Int32) {
        all.remove(socket)
        unnamed.remove(socket)
        guard let port = ports.removeValue(forKey: socket) else { return }
        if sharedPorts.contains(port), !ports.values.contains(port) { sharedPorts.remove(port) }
        guard byPort[port] == socket else { return }
        byPort[port] = nil
        portsOfHTTP1.remove(port)
    }

    /// The connected socket with this local port; `nil` for port 0, which unix sockets have.
    mutating func socket(onPort port: Int32) -> Int32? {
        guard port > 0 else { return nil }
        if let socket = byPort[port], unnamed.isEmpty { return isShared(port) ? nil : socket }
        for socket in unnamed {
            let own = lc_local_port(socket)
            guard own > 0 else { continue }
            unnamed.remove(socket)
            if byPort[own] != nil { sharedPorts.insert(own) }
            (byPort[own], ports[socket]) = (socket, own)
        }
        return isShared(port) ? nil : byPort[port]
    }

    func isShared(_ port: Int32) -> Bool { sharedPorts.contains(port) }

    /// Whether another connection has the same local port.
    mutating func isPortShared(by socket: Int32) -> Bool {
        let port = ports[socket] ?? lc_local_port(socket)
        _ = self.socket(onPort: port)
        return isShared(port)
    }

    /// An HTTP/1 response has arrived on this connection. Other connections may be HTTP/2.
    mutating func noteHTTP1(onPort port: Int32) { portsOfHTTP1.insert(port) }

    func isHTTP1(onPort port: Int32) -> Bool { portsOfHTTP1.contains(port) && !isShared(port) }
}
