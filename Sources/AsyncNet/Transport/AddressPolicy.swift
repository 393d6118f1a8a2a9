import Foundation

/// Which addresses a session may connect to. With ``publicOnly``, a URL from an untrusted source cannot lead to a
/// server of your own network (server-side request forgery).
///
///     let session = Session(configuration: .init(addresses: .publicOnly))
///     let rules = AddressPolicy.publicOnly.allowing(["10.1.2.0/24"], ports: [443])
///
/// The policy judges the address that is connected to, after the name lookup and before a packet is sent: also of a
/// name that changes its address, of a redirect and of a WebSocket, and in any form of the address. If a name has
/// several addresses, only the allowed ones are tried; if none is allowed, the request ends with `.addressNotAllowed`,
/// which is not retried. A kept connection serves only requests with the same policy.
///
/// The address of a proxy is judged by ``SocketTransport/Configuration/addressPolicy`` alone. Behind a proxy that looks
/// names up, or a unix socket, an address in the request's URL is judged, and a request to a name is refused unless
/// ``letsProxiesResolve`` is set.
///
/// `.sockets()` asks the policy. Over another transport that connects, a request with a policy ends with
/// `.unsupportedByTransport`; see ``Transport/judgesAddresses``. The cache does not ask the policy.
public struct AddressPolicy: Sendable, Hashable {
    /// What a policy decides about.
    public struct Candidate: Sendable {
        /// The address, such as `192.0.2.1` or `2001:db8::1`, without a zone.
        public let address: String
        /// The port.
        public let port: Int
        /// The host of the URL, in lower case.
        public let host: String
        /// `http` or `https`, also for a WebSocket; `tcp` or `tls` for ``Session/connect(to:port:tls:)``.
        public let scheme: String
    }

    /// Every address, which is the default.
    public static let any = AddressPolicy()
    /// The addresses of servers on the Internet: no address that IANA lists as private, loopback, link-local, or
    /// otherwise special (RFC 6890), no address that embeds such an address, and no address of a cloud's own services.
    public static let publicOnly = AddressPolicy(Rules(base: .publicOnly))

    /// Only what meets all of the given conditions.
    ///
    /// - Parameters:
    ///   - networks: Addresses, and networks such as `10.0.0.0/8` and `fd00::/8`. Any other text ends each request with
    ///     `.invalidConfiguration`. An IPv4 network includes the mapped and NAT64 forms of its addresses (RFC 4291
    ///     §2.5.5.2, RFC 6052). An empty list means all addresses.
    ///   - ports: An empty set means all ports.
    ///   - schemes: See ``Candidate/scheme``; an empty set means all schemes.
    public static func allowing(_ networks: [String] = [], ports: Set<Int> = [], schemes: Set<String> = []) -> Self {
        AddressPolicy(Rules(base: .none)).allowing(networks, ports: ports, schemes: schemes)
    }

    /// Everything but what meets one of the given conditions, see ``allowing(_:ports:schemes:)-swift.type.method``. A
    /// denied IPv4 address is also denied in IPv6 addresses that embed it, such as mapped, NAT64 and 6to4 ones.
    public static func denying(_ networks: [String] = [], ports: Set<Int> = [], schemes: Set<String> = []) -> Self {
        any.denying(networks, ports: ports, schemes: schemes)
    }

    /// Only what a closure of yours allows. The closure must return at once, as the transport waits for it. A policy
    /// with a closure equals only itself and its copies: make it once, since each policy has connections of its own.
    public static func allowing(where isAllowed: @escaping @Sendable (Candidate) -> Bool) -> Self {
        any.denying { !isAllowed($0) }
    }

    /// The policy, and in addition what meets all of the given conditions, such as a service of your own. To allow less, deny
    /// the rest: `.publicOnly.denying { $0.port != 443 }`.
    public func allowing(_ networks: [String], ports: Set<Int> = [], schemes: Set<String> = []) -> Self {
        adding(Rule(.allow, networks, ports, schemes), networks)
    }

    /// The policy without what meets one of the given conditions.
    public func denying(_ networks: [String] = [], ports: Set<Int> = [], schemes: Set<String> = []) -> Self {
        adding(Rule(.deny, networks, ports, schemes), networks)
    }

    /// The policy without what a closure denies; see ``allowing(where:)``.
    public func denying(where isDenied: @escaping @Sendable (Candidate) -> Bool) -> Self {
        var rule = Rule(.deny, [], [], [])
        rule.test = Test(isDenied)
        return adding(rule, [])
    }

    /// Whether a request to a name may go to a proxy that looks the name up: the proxy then decides. `false` by default;
    /// of no effect while every address is allowed.
    public var letsProxiesResolve = false

    private var rules: Rules?

    private init(_ rules: Rules? = nil) { self.rules = rules }

    private func adding(_ rule: Rule, _ networks: [String]) -> Self {
        var policy = self
        var rules = rules ?? Rules(base: .any)
        rules.list.append(rule)
        rules.unreadable = rules.unreadable ?? networks.first { IPNetwork($0) == nil }
        policy.rules = rules
        return policy
    }

    var isAny: Bool { rules == nil }

    func check() throws(AsyncNetError) {
        guard let text = rules?.unreadable else { return }
        throw AsyncNetError(.invalidConfiguration, "An AddressPolicy has “\(text)”, which is no address and no network")
    }

    /// - Returns: Why the address is not allowed; `nil` if it is allowed. The last rule that applies decides.
    func objection(to candidate: Candidate) -> String? {
        guard let rules else { return nil }
        guard rules.unreadable == nil, let bytes = IPNetwork.bytes(ofAddress: candidate.address) else {
            return "nothing that the policy can judge"
        }
        for rule in rules.list.reversed() {
            if let objection = rule.objection(to: candidate, bytes) { return objection }
            if rule.allows(candidate, bytes) { return nil }
        }
        switch rules.base {
        case .any: return nil
        case .none: return "not among the allowed ones"
        case .publicOnly: return PublicAddresses.objection(to: bytes)
        }
    }

    private struct Rules: Hashable {
        enum Base { case any, none, publicOnly }

        let base: Base
        var list: [Rule] = []
        var unreadable: String?
    }

    /// Compared by identity, since closures cannot be compared.
    private final class Test: Hashable, Sendable {
        let isMet: @Sendable (Candidate) -> Bool
        init(_ isMet: @escaping @Sendable (Candidate) -> Bool) { self.isMet = isMet }
        static func == (one: Test, other: Test) -> Bool { one === other }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private struct Rule: Hashable {
        enum Effect { case allow, deny }

        let effect: Effect
        let networks: [IPNetwork]
        let ports: Set<Int>
        let schemes: Set<String>
        var test: Test?

        init(_ effect: Effect, _ networks: [String], _ ports: Set<Int>, _ schemes: Set<String>) {
            (self.effect, self.ports) = (effect, ports)
            self.networks = networks.compactMap { IPNetwork($0) }
            self.schemes = Set(schemes.map { $0.lowercased() })
        }

        func allows(_ candidate: Candidate, _ bytes: [UInt8]) -> Bool {
            guard effect == .allow else { return false }
            let forms = [bytes] + (EmbeddedAddresses(in: bytes).target.map { [$0] } ?? [])
            return (networks.isEmpty || forms.contains(where: networks.contains))
                && (ports.isEmpty || ports.contains(candidate.port))
                && (schemes.isEmpty || schemes.contains(candidate.scheme))
        }

        func objection(to candidate: Candidate, _ bytes: [UInt8]) -> String? {
            guard effect == .deny else { return nil }
            let embedded = EmbeddedAddresses(in: bytes)
            let forms = [bytes] + embedded.others + (embedded.target.map { [$0] } ?? [])
            if let network = networks.first(where: { forms.contains(where: $0.contains) }) {
                return "in the denied network \(network.text)"
            }
            if ports.contains(candidate.port) { return "of the denied port \(candidate.port)" }
            if schemes.contains(candidate.scheme) { return "of the denied scheme \(candidate.scheme)" }
            return test?.isMet(candidate) == true ? "denied by the policy's closure" : nil
        }
    }
}

extension IPNetwork {
    fileprivate var text: String {
        let address = IPText.text(of: bytes, family: bytes.count == 4 ? AF_INET : AF_INET6) ?? ""
        return bits == bytes.count * 8 ? address : "\(address)/\(bits)"
    }
}
