import Foundation

extension TLSConfiguration {
    /// Whether all settings are the defaults, the only ones that URLSession on Linux supports.
    var isDefault: Bool { self == .system }

    /// Refuses the settings that only sockets support.
    package func checkWithoutSockets() throws(AsyncNetError) {
        let used: [(Bool, String)] = [
            (maximumVersion != nil, "a maximum version of TLS"), (keyLog != .none, "a log of keys"),
            (revocationLists != nil, "revocation lists"), (!cipherSuites.isEmpty, "cipher suites"),
            (!groups.isEmpty, "groups"), (serverName != nil, "another server name"),
            (clientIdentity?.isPKCS12 == true, "a client identity in PKCS#12"),
        ]
        guard let (_, name) = used.first(where: \.0) else { return }
        throw AsyncNetError(.unsupportedByTransport, "This transport has no setting for \(name): use .sockets()")
    }

    package var isRefused: Bool { trust.kind == .refused }

    var isDisabled: Bool {
        if case .disabled = trust.kind { true } else { !verifiesHostName }
    }

    /// Whether a third party could pass for the server: certificate or name are not verified, and no key is pinned.
    var acceptsAnyServer: Bool { isDisabled && pins.isEmpty }

    /// - Throws: ``AsyncNetError`` with code `.invalidConfiguration` for values that no transport can have.
    package func validate() throws(AsyncNetError) {
        try checkPins()
        try checkVersions()
        try checkNames(cipherSuites, "cipherSuites")
        try checkNames(groups, "groups")
        if let serverName, HostName(serverName) == nil {
            throw AsyncNetError(.invalidConfiguration, "serverName must be a host: \(serverName.prefix(80))")
        }
        if revocationLists != nil, case .disabled = trust.kind {
            throw AsyncNetError(
                .invalidConfiguration, "Revocation lists have no effect without trust: use .system or .anchors")
        }
        if case .anchors(let data) = trust.kind, data.isEmpty {
            throw AsyncNetError(.invalidConfiguration, "There is no certificate among the trust anchors")
        }
        if case .memory(_, let key) = clientIdentity?.kind, key.range(of: Data("-----BEGIN".utf8)) == nil {
            throw AsyncNetError(.invalidConfiguration, "The client identity's key is not PEM")
        }
    }

    private func checkPins() throws(AsyncNetError) {
        for pin in pins {
            if let reason = Self.reason(ofPin: pin) { throw AsyncNetError(.invalidConfiguration, reason) }
            let key = pin.hasPrefix("sha256//") ? Data(base64Encoded: String(pin.dropFirst(8))) : nil
            guard key?.count == 32 else {
                throw AsyncNetError(
                    .invalidConfiguration,
                    "A pin must be \"sha256//\" and the base64 form of 32 bytes: \(pin.prefix(80))")
            }
        }
    }

    private func checkVersions() throws(AsyncNetError) {
        guard let range = versions else {
            throw AsyncNetError(.invalidConfiguration, "The maximum version of TLS is older than the minimum version")
        }
        guard let newest = range.maximum, newest < range.minimum else { return }
        throw AsyncNetError(
            .invalidConfiguration, "cipherSuites has no suite for the versions of TLS between minimum and maximum")
    }

    /// The versions to offer: only those that ``cipherSuites`` has suites for; `nil` if minimum and maximum exclude each other.
    var versions: (minimum: Version, maximum: Version?)? {
        if let maximumVersion, maximumVersion < minimumVersion { return nil }
        var range = (minimum: minimumVersion, maximum: maximumVersion)
        if cipherSuites.isEmpty { return range }
        if cipherSuites.allSatisfy(\.isSuiteOfTLS13) { range.minimum = .tls13 }
        if !cipherSuites.contains(where: \.isSuiteOfTLS13) { range.maximum = min(range.maximum ?? .tls12, .tls12) }
        return range
    }

    /// Refuses names with characters that have a special meaning to OpenSSL.
    private func checkNames(_ names: [String], _ setting: String) throws(AsyncNetError) {
        for (index, name) in names.enumerated() {
            let isName =
                !name.isEmpty && name.utf8.allSatisfy { HTTPSyntax.isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F }
            guard !isName || names[..<index].contains(name) else { continue }
            let problem = isName ? "has a name twice" : "must have names of letters, digits, - and _, not"
            throw AsyncNetError(.invalidConfiguration, "\(setting) \(problem): \(name.prefix(80))")
        }
    }
}

extension String {
    /// Whether this is OpenSSL's name of a cipher suite for TLS 1.3: only these names begin with `TLS_`.
    var isSuiteOfTLS13: Bool { hasPrefix("TLS_") }
}
