/// Hosts that are connected to without a proxy, in the forms that tools accept in `NO_PROXY`. Names are never looked
/// up.
///
/// libcurl's own list has other forms in each version. So libcurl gets no list, and no proxy for these hosts.
struct ProxyBypass {
    private struct Entry {
        var hosts: Hosts
        var port: Int?
    }

    private enum Hosts {
        case all
        /// This name, and the names below it.
        case name(String)
        /// Only the names below this name.
        case below(String)
        case addresses(IPNetwork)
    }

    private let entries: [Entry]

    /// - Parameter texts: Each text has one entry, or several separated by commas or spaces. A part that is no valid
    ///   entry is ignored.
    init(_ texts: some Sequence<String>) {
        entries = texts.flatMap { $0.split { ", \t\r\n".contains($0) } }.compactMap(Self.entry)
    }

    func contains(_ host: String, port: Int) -> Bool {
        guard !entries.isEmpty else { return false }
        let name = HostName(host)
        let bytes = name.flatMap { $0.isAddress ? IPNetwork.bytes(ofAddress: $0.text) : nil }
        return entries.contains { entry in
            guard entry.port == nil || entry.port == port else { return false }
            switch entry.hosts {
            case .all: return true
            case .name(let own): return name?.text == own || name?.text.hasSuffix(".\(own)") == true
            case .below(let parent): return name?.text.hasSuffix(".\(parent)") == true
            case .addresses(let network): return bytes.map(network.contains) ?? false
            }
        }
    }

    private static func entry(_ text: Substring) -> Entry? {
        if let hosts = hosts(text) { return Entry(hosts: hosts) }
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            1...65_535 ~= port, let hosts = hosts(text[..<colon])
        else { return nil }
        return Entry(hosts: hosts, port: port)
    }

    private static func hosts(_ text: Substring) -> Hosts? {
        if text == "*" { return .all }
        if text.hasPrefix("*.") { return name(text.dropFirst(2)).map { .below($0) } }
        let host = unbracketed(text)
        let slash = host.firstIndex(of: "/")
        if let address = HostName(host[..<(slash ?? host.endIndex)]), address.isAddress {
            guard let bytes = IPNetwork.bytes(ofAddress: address.text) else { return nil }
            guard let slash else { return IPNetwork(bytes, bits: bytes.count * 8).map { .addresses($0) } }
            return Int(host[host.index(after: slash)...]).flatMap { IPNetwork(bytes, bits: $0) }.map { .addresses($0) }
        }
        return name(text.hasPrefix(".") ? text.dropFirst() : text).map { .name($0) }
    }

    private static func name(_ text: Substring) -> String? {
        HostName(text).flatMap { $0.isAddress ? nil : $0.text }
    }

    /// `[::1]`, `[fd00::/8]` and `[fd00::]/8` without the brackets.
    private static func unbracketed(_ text: Substring) -> String {
        guard text.hasPrefix("["), let end = text.lastIndex(of: "]") else { return String(text) }
        let rest = text[text.index(after: end)...]
        return String(rest.isEmpty || rest.hasPrefix("/") ? text.dropFirst().prefix(upTo: end) + rest : text)
    }
}
