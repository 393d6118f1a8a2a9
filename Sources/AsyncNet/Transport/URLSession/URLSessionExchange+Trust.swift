import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking

    extension URLSessionConfiguration {
        /// Nothing: other settings than the default are refused, see ``URLSessionTrust``.
        func require(_ version: TLSConfiguration.Version) {}
    }
#else
    import Security

    /// The challenges of URLSession on Apple platforms.
    extension URLSessionExchange {
        typealias Answer = (disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?)

        /// Challenges of the TLS handshake are answered here. Those of HTTP are left to the session, which gets their
        /// responses.
        func answer(to space: URLProtectionSpace) -> Answer {
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodServerTrust: answer(toTrustIn: space)
            case NSURLAuthenticationMethodClientCertificate: (.performDefaultHandling, nil)
            default: (.rejectProtectionSpace, nil)
            }
        }

        /// Called in the handshake of each new connection, before a byte of the request is sent. A proxy's own certificate
        /// is verified by the system.
        private func answer(toTrustIn space: URLProtectionSpace) -> Answer {
            guard !space.isProxy(), let trust = space.serverTrust else { return (.performDefaultHandling, nil) }
            if request.interests != nil { report(trust.chain) }
            guard tls.needsDecision else { return (.performDefaultHandling, nil) }
            guard let error = ServerTrustDecision(tls: tls, host: space.host).error(for: trust) else {
                return (.useCredential, URLCredential(trust: trust))
            }
            state.withLock { $0.trustFailure = error }
            return (.cancelAuthenticationChallenge, nil)
        }

        private func report(_ chain: [Data]) {
            request.onEvent?(.connected(ConnectionInfo(isReused: false, certificates: chain.map(PEM.text))))
        }
    }

    extension TLSConfiguration {
        /// Whether URLSession's own decision is not enough.
        fileprivate var needsDecision: Bool {
            var other = self
            other.minimumVersion = .tls12
            return !other.isDefault
        }
    }

    extension URLSessionConfiguration {
        /// Refuses older versions of TLS. The default raises what the program's settings accept, and lowers nothing.
        func require(_ version: TLSConfiguration.Version) {
            let least = version.forURLSession
            guard version != .tls12 || tlsMinimumSupportedProtocolVersion.rawValue < least.rawValue else { return }
            tlsMinimumSupportedProtocolVersion = least
        }
    }

    extension TLSConfiguration.Version {
        fileprivate var forURLSession: tls_protocol_version_t {
            switch self {
            case .tls10: .TLSv10
            case .tls11: .TLSv11
            case .tls12: .TLSv12
            case .tls13: .TLSv13
            }
        }
    }
#endif
