import Foundation

/// Chooses the TLS settings for a host: the host's own entry, then the wildcard for its last labels, then the default.
package struct TLSHosts: Sendable {
    /// All different settings, each once; the first is the default.
    package let settings: [TLSConfiguration]
    private var hosts: [HostName: Int] = [:]
    /// Indices of `settings`, by the part of a wildcard pattern after `*.`.
    private var wildcards: [HostName: Int] = [:]

    package init(_ standard: TLSConfiguration, _ patterns: [String: TLSConfiguration]) throws(AsyncNetError) {
        var (settings, indices) = ([standard], [standard: 0])
        for tls in patterns.values where indices[tls] == nil {
            indices[tls] = settings.count
            settings.append(tls)
        }
        self.settings = settings
        for (pattern, tls) in patterns.sorted(by: { $0.key < $1.key }) { try add(pattern, indices[tls] ?? 0) }
    }

    private mutating func add(_ pattern: String, _ index: Int) throws(AsyncNetError) {
        let isWildcard = pattern.hasPrefix("*.")
        // Hosts are compared without their zone: an entry with a zone would apply to the address in every zone.
        guard !pattern.utf8.contains(UInt8(ascii: "%")),
            let host = HostName(isWildcard ? pattern.dropFirst(2) : pattern[...]), !(isWildcard && host.isAddress)
        else {
            throw Self.malformed(pattern)
        }
        let former = isWildcard ? wildcards.updateValue(index, forKey: host) : hosts.updateValue(index, forKey: host)
        guard former != nil else { return }
        throw AsyncNetError(
            .invalidConfiguration, "tlsForHosts has two entries for \(isWildcard ? "*." : "")\(host.text)")
    }

    private static func malformed(_ pattern: String) -> AsyncNetError {
        AsyncNetError(
            .invalidConfiguration,
            "tlsForHosts needs hosts such as example.com, *.example.com or 192.0.2.1, without scheme, port, path and zone, "
                + "not \"\(pattern.prefix(80))\"")
    }

    func index(for host: HostName?) -> Int {
        guard let host else { return 0 }
        if let index = hosts[host] { return index }
        return host.parent.flatMap { wildcards[$0] } ?? 0
    }

    package func settings(forHost host: String) throws(AsyncNetError) -> TLSConfiguration {
        let name = HostName(host)
        guard name != nil || settings.count == 1 else { throw Self.unnamed }
        return try settings[index(for: name)].unlessRefused(host)
    }

    /// Refuses a URL with TLS whose host has a form that no entry can have: libcurl could take the host for another
    /// host, which has an entry.
    package func check(_ url: @autoclosure () -> String) throws(AsyncNetError) {
        guard settings.count > 1 else { return }
        let text = url()
        if text.isTLS, HostName(ofURL: text) == nil { throw Self.unnamed }
    }

    private static var unnamed: AsyncNetError {
        AsyncNetError(
            .malformedURL,
            "The URL's host is no valid name or address, so no TLS settings of the transport's tlsForHosts apply to it")
    }

    package func index(forURL url: String) -> Int { index(for: HostName(ofURL: url)) }
}

extension TLSConfiguration {
    func unlessRefused(_ host: String) throws(AsyncNetError) -> TLSConfiguration {
        guard isRefused else { return self }
        throw .unlisted(HostName(host)?.text ?? "the host")
    }

    /// Names the servers that are verified neither by certificate nor by pins, for descriptions; `nil` without any.
    package static func unverifiedHosts(_ tls: TLSConfiguration, _ tlsForHosts: [String: TLSConfiguration]) -> String? {
        if tls.acceptsAnyServer { return "NOT VERIFYING CERTIFICATES" }
        let hosts = tlsForHosts.filter { $0.value.acceptsAnyServer }.keys.sorted()
        return hosts.isEmpty ? nil : "NOT VERIFYING CERTIFICATES OF \(hosts.prefix(5).joined(separator: ", "))"
    }

    package static func warnOfUnverifiedHosts() {
        let text =
            "AsyncNet: a transport does not verify certificates; a third party can read and change its traffic.\n"
        FileHandle.standardError.write(Data(text.utf8))
    }
}

extension String {
    package var isTLS: Bool { utf8.prefix(6).elementsEqual("https:".utf8) { $0 | 0x20 == $1 | 0x20 } }
}

extension AsyncNetError {
    /// The error for a host without an entry, if the settings for other hosts are ``TLSConfiguration/refused``.
    package static func unlisted(_ host: String) -> AsyncNetError {
        AsyncNetError(
            .certificateNotTrusted, "The transport's tlsForHosts has no entry for \(host), and other hosts are refused")
    }
}
