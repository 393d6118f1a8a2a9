import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking

    extension URLSessionConfiguration {
        /// Does nothing: ``URLSessionTrust`` refuses settings other than the default.
        func require(_ version: TLSConfiguration.Version) {}
    }
#else
    import Security

    extension URLSessionExchange {
        typealias Answer = (disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?)

        /// Answers URLSession's challenges about the TLS handshake. Challenges of HTTP are left to AsyncNet's session,
        /// which gets their responses.
        func answer(to space: URLProtectionSpace) -> Answer {
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodServerTrust: answer(toTrustIn: space)
            case NSURLAuthenticationMethodClientCertificate: (.performDefaultHandling, nil)
            default: (.rejectProtectionSpace, nil)
            }
        }

        /// Called in each new connection's handshake, before a byte of the request. The system verifies a proxy's
        /// certificate.
        private func answer(toTrustIn space: URLProtectionSpace) -> Answer {
            guard !space.isProxy() else { return (.performDefaultHandling, nil) }
            guard tls.needsDecision else {
                report(space.serverTrust)
                return (.performDefaultHandling, nil)
            }
            guard let trust = space.serverTrust else {
                return refusal(
                    AsyncNetError(.certificateNotTrusted, "URLSession gave no certificate of the server to verify"))
            }
            if let error = ServerTrustDecision(tls: tls, host: space.host).error(for: trust) { return refusal(error) }
            report(trust)
            return (.useCredential, URLCredential(trust: trust))
        }

        private func refusal(_ error: AsyncNetError) -> Answer {
            state.withLock { $0.trustFailure = error }
            return (.cancelAuthenticationChallenge, nil)
        }

        private func report(_ trust: SecTrust?) {
            guard let interests = request.interests else { return }
            let chain = interests.certificates ? trust?.chain ?? [] : []
            request.onEvent?(.connected(ConnectionInfo(isReused: false, certificates: chain.map(PEM.text))))
        }
    }

    extension TLSConfiguration {
        fileprivate var needsDecision: Bool {
            var other = self
            other.minimumVersion = .tls12
            return !other.isDefault
        }
    }

    extension URLSessionConfiguration {
        /// Refuses versions of TLS older than this one. The default, `.tls12`, does not lower a higher minimum of the
        /// program's settings.
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
