import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The server behind a proxy.
struct ProxyTarget: Sendable {
    /// A `sockaddr_in` or a `sockaddr_in6`.
    struct Address: Sendable {
        let bytes: [UInt8]
        let isIPv6: Bool
    }

    let scheme: String
    let address: Address

    /// Finds the address of the URL's host. Blocks its thread.
    init(_ url: URL) throws {
        guard let host = url.host(percentEncoded: false), let scheme = url.scheme?.lowercased(),
            let port = url.port ?? Self.defaultPorts[scheme]
        else {
            throw FaultProxy.Failure(description: "The URL of the server has no host, or no port that is known")
        }
        self.scheme = scheme
        address = try Self.resolve(host.trimmingCharacters(in: ["[", "]"]), port)
    }

    private static let defaultPorts = ["http": 80, "https": 443, "ws": 80, "wss": 443]

    private static func resolve(_ host: String, _ port: Int) throws -> Address {
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, "\(port)", &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0, let first = list?.pointee, let address = first.ai_addr else {
            throw FaultProxy.Failure(description: "The host \(host) has no address")
        }
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(first.ai_addrlen))
        return Address(bytes: Array(bytes), isIPv6: first.ai_family == AF_INET6)
    }
}
