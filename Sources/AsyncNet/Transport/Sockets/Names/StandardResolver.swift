import Foundation

/// The resolvers of AsyncNet: ``Resolver/system``, ``Resolver/fixed(_:)``, ``Resolver/rotating`` and
/// ``Resolver/https(_:addresses:tls:)``.
public struct StandardResolver: Resolver {
    fileprivate enum Source: Sendable {
        case system
        case fixed([String: [ResolvedAddress]])
        case rotating(any Resolver, AddressRotation)
        case https(Result<HTTPSNames, AsyncNetError>)
    }

    fileprivate let source: Source

    /// Returns the addresses as a ``SocketTransport`` gets them; the resolver keeps nothing.
    public func addresses(of name: String) async throws -> [ResolvedAddress] {
        switch source {
        case .system: return try await Self.systemAddresses(of: name)
        case .rotating(let resolver, let rotation):
            return rotation.next(try await resolver.addresses(of: name), of: name, text: \.text)
        case .https(let names): return try await names.get().addresses(of: name)
        case .fixed(let table):
            guard let addresses = table[Self.key(name)] else {
                throw AsyncNetError.notResolved("it is not in the table")
            }
            return addresses
        }
    }

    fileprivate static func key(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    /// The resolver that a transport asks, `nil` for the system's, and the rotation of its connections. The rotation is
    /// outside the resolver, since the transport keeps answers.
    var parts: (resolver: (any Resolver)?, rotation: AddressRotation?) {
        switch source {
        case .system: (nil, nil)
        case .rotating(let standard as StandardResolver, let rotation): (standard.parts.resolver, rotation)
        case .rotating(let resolver, let rotation): (resolver, rotation)
        case .fixed, .https: (self, nil)
        }
    }

    package var isSystem: Bool { if case .system = source { true } else { false } }

    func validate() throws(AsyncNetError) {
        switch source {
        case .system: return
        case .rotating(let resolver, _): try (resolver as? StandardResolver)?.validate()
        case .https(let names): _ = try names.get()
        case .fixed(let table):
            for address in table.values.joined() where SocketAddress(numeric: address.text, port: 0) == nil {
                throw AsyncNetError(
                    .invalidConfiguration,
                    "The resolver's table has \"\(address.text.prefix(80))\", which is no IP address")
            }
        }
    }

    /// A text of what decides where a name leads, for comparisons; `nil` for the system's resolver.
    var route: String? {
        switch source {
        case .system: nil
        case .rotating(let resolver, _): resolver.route
        case .https(let names): try? names.get().route
        case .fixed(let table):
            table.map { "\($0.key) \($0.value.map(\.text).joined(separator: ","))" }.sorted().joined(separator: " ")
        }
    }

    /// The system's resolver. It keeps nothing: the transport that asks keeps the answer.
    private static let system = NameLookup(.system, systemLifetime: .zero)

    private static func systemAddresses(of name: String) async throws(AsyncNetError) -> [ResolvedAddress] {
        let promise = Promise<[SocketAddress]>()
        let ticket = system.addresses(of: name) { promise.fulfil($0) }
        do throws(AsyncNetError) {
            return try await promise.value().compactMap { $0.text.map { ResolvedAddress($0) } }
        } catch {
            if let ticket { system.withdraw(ticket) }
            throw error
        }
    }
}

extension StandardResolver: CustomReflectable {
    /// What `dump` shows; the path of a server for DNS over HTTPS is left out, since it may be a secret.
    public var customMirror: Mirror { Mirror(self, children: ["route": route as Any]) }
}

extension Resolver {
    var route: String? {
        if let standard = self as? StandardResolver { standard.route } else { "\(Self.self)" }
    }
}

extension Resolver where Self == StandardResolver {
    /// The system's resolver: files such as `/etc/hosts`, name servers, and whatever else the machine is set up for. The default.
    ///
    /// The system does not say how long an address is valid; a transport keeps it for 30 s.
    public static var system: StandardResolver { StandardResolver(source: .system) }

    /// Addresses of a table, for all ports: `["db.internal": ["10.0.0.1", "10.0.0.2"]]`. Other names end with `.hostNotFound`.
    ///
    /// Case and a dot at the end of a name do not count. Text that is no IP address ends each request with
    /// `.invalidConfiguration`. ``SocketTransport/Configuration/addresses`` replaces the lookup for single origins instead.
    public static func fixed(_ addresses: [String: [String]]) -> StandardResolver {
        let entries = addresses.map { (StandardResolver.key($0.key), $0.value.map { ResolvedAddress($0) }) }
        return StandardResolver(source: .fixed(Dictionary(entries) { $0 + $1 }))
    }

    /// The system's resolver, as ``rotating(over:)``.
    public static var rotating: StandardResolver { .rotating(over: .system) }

    /// Spreads new connections over all addresses of a name, as headless services of Kubernetes need.
    ///
    /// Each new connection begins with the next address of the name, and falls back to the others. A request is not
    /// bound to an address: it takes a kept connection to any of them. A new server is known when the former answer's
    /// time to live is over, and gets its share as connections are closed and opened, see
    /// ``SocketTransport/Configuration/idleTimeout``. Over HTTP/2 one connection carries all requests: many servers are
    /// used only with `httpVersion: .http1`, or over time.
    public static func rotating(over resolver: some Resolver) -> StandardResolver {
        StandardResolver(source: .rotating(resolver, AddressRotation()))
    }

    /// DNS over HTTPS (RFC 8484): a server resolves names, and nobody on the way can read or change its answers.
    ///
    ///     .https("https://dns.example/dns-query", addresses: ["192.0.2.53"])
    ///
    /// A and AAAA records are asked for by GET at the same time, over connections of their own without a proxy, and
    /// aliases (CNAME) are followed within the answer. A name that does not exist, or has neither record, ends a
    /// request with `.hostNotFound`. A server that fails or cannot be reached also ends it with `.hostNotFound`, whose
    /// underlying error is the server's or the connection's. Neither `/etc/hosts` nor the system's resolver is asked
    /// then.
    ///
    /// - Parameters:
    ///   - url: The URL of the server, with the scheme https.
    ///   - addresses: The server's own addresses, so that they need no lookup. Not needed if the URL has an IP address.
    ///   - tls: Trust in the server. By default what the system trusts.
    public static func https(
        _ url: some URLConvertible, addresses: [String] = [], tls: TLSConfiguration = TLSConfiguration()
    ) -> StandardResolver {
        StandardResolver(
            source: .https(
                Result { () throws(AsyncNetError) in try HTTPSNames(url, addresses: addresses, tls: tls) }))
    }
}
