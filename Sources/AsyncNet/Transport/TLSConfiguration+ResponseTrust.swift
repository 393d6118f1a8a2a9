extension TLSConfiguration {
    /// The trust of a response over TLS with these settings.
    ///
    /// - Parameter route: The way to the server; used only if the server is not verified.
    func trust(by route: String) -> ResponseTrust {
        guard !isRefused else { return .nothing }
        return isDisabled
            ? ResponseTrust(demands: demands, client: client, route: route)
            : ResponseTrust(verification: verification, demands: demands, client: client)
    }

    private var verification: String {
        let anchors =
            switch trust.kind {
            case .system: "system"
            case .anchors(let data): "anchors \(data.sha256)"
            case .file(let path): "file \(path)"
            case .refused, .disabled: ""
            }
        let name = serverName.map { "\(anchors) for \(HostName($0)?.text ?? "")" } ?? anchors
        return minimumVersion == .tls10 || minimumVersion == .tls11 ? "\(name) \(minimumVersion)" : name
    }

    private var demands: String {
        var demands = pins.sorted()
        if minimumVersion == .tls13 { demands.append("tls13") }
        if requiresStapledStatus { demands.append("status") }
        switch revocationLists?.kind {
        case nil: break
        case .memory(let data): demands.append("lists \(data.sha256)")
        case .file(let path): demands.append("lists \(path)")
        }
        return demands.joined(separator: " ")
    }

    private var client: String {
        switch clientIdentity?.kind {
        case nil: ""
        case .memory(let certificate, _): "certificate \(certificate.sha256)"
        case .files(let certificate, _): "file \(certificate)"
        case .pkcs12(let data): "pkcs12 \(data.sha256)"
        case .pkcs12File(let path): "pkcs12 file \(path)"
        }
    }
}

extension TLSHosts {
    package func trust(for request: HTTPRequestHead, _ route: () -> String) -> ResponseTrust {
        guard request.urlText.isTLS else { return ResponseTrust(route: route()) }
        let tls = settings[index(forURL: request.urlText)]
        return tls.trust(by: tls.isDisabled ? route() : "")
    }
}
