import Foundation

struct AddressJudge {
    let endpoint: ServerEndpoint
    let policy: AddressPolicy
    let isHTTP: Bool

    /// The addresses that the policy allows; a unix socket's address is always allowed. Throws `.addressNotAllowed` if
    /// the policy refuses all addresses.
    func allowed(_ addresses: [SocketAddress]) throws(AsyncNetError) -> [SocketAddress] {
        guard !policy.isAny else { return addresses }
        var refusal: (address: String, objection: String)?
        let allowed = addresses.filter { address in
            guard address.family != AF_UNIX else { return true }
            let text = address.text ?? ""
            guard let objection = objection(to: text) else { return true }
            refusal = refusal ?? (text, objection)
            return false
        }
        guard allowed.isEmpty, let refusal else { return allowed }
        throw AsyncNetError(
            .addressNotAllowed, "The host's address \(refusal.address) is not allowed: it is \(refusal.objection)")
    }

    /// Judges a server behind a proxy or a unix socket: its address is known only if the URL contains it.
    func checkUnresolved() throws(AsyncNetError) {
        guard !policy.isAny else { return }
        let host = String(endpoint.host.prefix { $0 != "%" })
        if let text = IPText.v6(host) ?? IPText.v4(host),
            let address = SocketAddress(numeric: text, port: endpoint.port)
        {
            _ = try allowed([address])
        } else if !policy.letsProxiesResolve {
            throw AsyncNetError(
                .addressNotAllowed,
                "The host's address is not known here, since a proxy or a unix socket is used; "
                    + "AddressPolicy.letsProxiesResolve allows that")
        }
    }

    private func objection(to address: String) -> String? {
        let scheme = isHTTP ? (endpoint.isTLS ? "https" : "http") : (endpoint.isTLS ? "tls" : "tcp")
        return policy.objection(
            to: .init(address: address, port: Int(endpoint.port), host: endpoint.host, scheme: scheme))
    }
}
