import AsyncNet

/// The easy handles that a loop copies for its transfers: one ``LibcurlTemplate`` for each of the transport's different
/// TLS settings, made at its first use.
///
/// Used only on the loop's thread.
struct LibcurlTemplates {
    private let configuration: LibcurlTransport.Configuration
    private let sockets: OpenedSockets
    private let hosts: TLSHosts
    private var made: [Int: LibcurlTemplate] = [:]

    init(_ loop: LibcurlLoop, _ sockets: OpenedSockets) {
        configuration = loop.configuration
        self.sockets = sockets
        hosts = loop.hosts
    }

    /// The template for a request to this URL; `nil` if there is no memory.
    mutating func template(forURL url: @autoclosure () -> String) -> LibcurlTemplate? {
        let index = hosts.settings.count == 1 ? 0 : hosts.index(forURL: url())
        if let template = made[index] { return template }
        made[index] = LibcurlTemplate(configuration, hosts.settings[index], sockets)
        return made[index]
    }

    /// Frees the templates; each is made again when a transfer needs it.
    mutating func removeAll() { made = [:] }
}
