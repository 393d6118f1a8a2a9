#if canImport(Security)
    import Foundation
    import Security

    extension ServerTrustDecision {
        func error(for trust: SecTrust) -> AsyncNetError? {
            do throws(AsyncNetError) {
                try trust.fetchNothing()
                var failure: AsyncNetError?
                if let evaluation = try evaluation() { failure = try trust.failure(of: evaluation) }
                return error(trust.chain, failure)
            } catch {
                return error
            }
        }
    }

    extension SecTrust {
        /// The chain of certificates in DER, the server's own first. Evaluates the trust if it was not evaluated
        /// before.
        var chain: [Data] {
            let certificates = SecTrustCopyCertificateChain(self) as? [SecCertificate] ?? []
            return certificates.map { SecCertificateCopyData($0) as Data }
        }

        /// Forbids the evaluation to fetch anything from the URLs that a server's certificate names: the chain and
        /// the status must be complete, as over libcurl. Called before the first evaluation.
        fileprivate func fetchNothing() throws(AsyncNetError) {
            try set("network access", SecTrustSetNetworkFetchAllowed(self, false))
        }

        fileprivate func failure(of evaluation: ServerTrustDecision.Evaluation) throws(AsyncNetError) -> AsyncNetError?
        {
            try set("policies", SecTrustSetPolicies(self, evaluation.policies() as CFArray))
            if let anchors = evaluation.anchors {
                let certificates = anchors.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
                guard certificates.count == anchors.count else {
                    throw AsyncNetError(.invalidConfiguration, "A trust anchor is no X.509 certificate")
                }
                try set("anchors", SecTrustSetAnchorCertificates(self, certificates as CFArray))
                try set("only anchors", SecTrustSetAnchorCertificatesOnly(self, true))
            }
            var error: CFError?
            guard !SecTrustEvaluateWithError(self, &error) else { return nil }
            return AsyncNetError(Self.code(for: error))
        }

        private func set(_ what: String, _ status: OSStatus) throws(AsyncNetError) {
            guard status != errSecSuccess else { return }
            throw AsyncNetError(
                .invalidConfiguration, "The trust evaluation refused its settings (\(what), status \(status))")
        }

        private static func code(for error: CFError?) -> AsyncNetError.Code {
            switch OSStatus(truncatingIfNeeded: error.map(CFErrorGetCode) ?? 0) {
            case errSecCertificateExpired, errSecCertificateNotValidYet: .certificateExpired
            case errSecHostNameMismatch: .certificateHostMismatch
            case errSecCertificateRevoked, errSecIncompleteCertRevocationCheck: .certificateRevoked
            default: .certificateNotTrusted
            }
        }
    }

    extension ServerTrustDecision.Evaluation {
        fileprivate func policies() throws(AsyncNetError) -> [SecPolicy] {
            let server = SecPolicyCreateSSL(true, hostName as CFString?)
            guard requiresStapledStatus else { return [server] }
            guard
                let status = SecPolicyCreateRevocation(
                    kSecRevocationOCSPMethod | kSecRevocationRequirePositiveResponse
                        | kSecRevocationNetworkAccessDisabled)
            else {
                throw AsyncNetError(.unsupportedByTransport, "This system cannot require a stapled OCSP response")
            }
            return [server, status]
        }
    }
#endif
