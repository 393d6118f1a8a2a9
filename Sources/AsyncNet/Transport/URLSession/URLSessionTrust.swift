import Foundation

/// The TLS settings of a URLSession transport, by host, and which of them this platform's URLSession can enforce.
struct URLSessionTrust: Sendable {
    private let hosts: Result<TLSHosts, AsyncNetError>

    struct Choice: Sendable {
        /// The number of the settings. Hosts with different settings have different URLSessions: over HTTP/2,
        /// URLSession may send a request on the connection to another host, and then that host's settings would apply.
        let number: Int
        let tls: TLSConfiguration
    }

    init(_ tls: TLSConfiguration, _ tlsForHosts: [String: TLSConfiguration]) {
        hosts = Result { () throws(AsyncNetError) in
            let hosts = try TLSHosts(tls, tlsForHosts)
            for tls in hosts.settings {
                try tls.refuseForURLSession()
                try tls.validate()
                try tls.checkWithoutSockets()
            }
            return hosts
        }
    }

    /// Whether the settings can be enforced; otherwise no request is sent.
    var isEnforced: Bool { (try? hosts.get()) != nil }

    func trust(for request: HTTPRequestHead, _ route: () -> String) -> ResponseTrust {
        guard case .success(let hosts) = hosts else { return .nothing }
        return hosts.trust(for: request, route)
    }

    /// The settings for a URL's host. Throws if settings for any host are wrong or cannot be enforced, and if the URL's
    /// host is refused.
    func choice(for url: String) throws(AsyncNetError) -> Choice {
        let hosts = try hosts.get()
        try hosts.check(url)
        let number = hosts.index(forURL: url)
        let tls = hosts.settings[number]
        if url.isTLS { _ = try tls.unlessRefused(HostName(ofURL: url)?.text ?? "") }
        return Choice(number: number, tls: tls)
    }
}

extension TLSConfiguration {
    #if canImport(FoundationNetworking)
        /// Refuses settings other than the default on Linux: FoundationNetworking asks no delegate about a server's
        /// certificates.
        fileprivate func refuseForURLSession() throws(AsyncNetError) {
            guard !isDefault else { return }
            throw AsyncNetError(
                .unsupportedByTransport,
                "URLSession on Linux cannot enforce trust anchors, pins, a client identity, a minimum version, a stapled "
                    + "status or another host name check; .sockets(tls:) can"
            )
        }
    #else
        fileprivate func refuseForURLSession() throws(AsyncNetError) {
            guard clientIdentity != nil else { return }
            throw AsyncNetError(
                .unsupportedByTransport,
                "URLSession cannot send a client identity in PEM; make a URLSession whose delegate has the identity in its "
                    + "urlSession(_:didReceive:completionHandler:), and pass this URLSession to .urlSession(_:)")
        }
    #endif
}
