import AsyncNet

/// The templates of a loop: one for each of the transport's different TLS settings, made at its first use.
///
/// Used on the loop's thread only.
struct LibcurlTemplates {
    private let configuration: LibcurlTransport.Configuration
    private let sockets: OpenedSockets
    private let sessions: TLSSessions?
    private let hosts: TLSHosts
    private var made: [Int: LibcurlTemplate] = [:]
    private var inspecting: [TLSConfiguration.Version: LibcurlTemplate] = [:]

    init(_ loop: LibcurlLoop, _ sockets: OpenedSockets) {
        configuration = loop.configuration
        self.sockets = sockets
        sessions = loop.sessions
        hosts = loop.hosts
    }

    /// The template for a request to this URL; `nil` if there is no memory.
    mutating func template(forURL url: @autoclosure () -> String) -> LibcurlTemplate? {
        let index = hosts.settings.count == 1 ? 0 : hosts.index(forURL: url())
        if let template = made[index] { return template }
        made[index] = LibcurlTemplate(configuration, hosts.settings[index], sockets, sessions)
        return made[index]
    }

    /// Frees the templates; the next transfer makes its own again.
    mutating func removeAll() { (made, inspecting) = ([:], [:]) }

    /// The template for a connection that only shows the certificates of a server that was not trusted: it verifies
    /// nothing, sends no client certificate, and resumes no session. `nil` if there is no memory.
    mutating func inspectingTemplate(like template: LibcurlTemplate) -> LibcurlTemplate? {
        let version = template.tls.minimumVersion
        if let template = inspecting[version] { return template }
        let tls = TLSConfiguration(trust: .disabled, minimumVersion: version)
        inspecting[version] = LibcurlTemplate(configuration, tls, sockets, nil)
        return inspecting[version]
    }
}
