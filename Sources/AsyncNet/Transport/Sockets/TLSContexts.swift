/// The TLS contexts of one loop: one for each setting, so that no session is resumed across settings. Used under the
/// loop's lock.
///
/// A context is replaced once the files that its settings name have changed. Open connections and tickets stay with the
/// former one.
final class TLSContexts {
    private struct Key: Hashable {
        let configuration: TLSConfiguration
        /// Whether the context is for the proxy itself: its tickets are used for no server.
        var isOfProxy = false
    }

    private struct Made {
        let context: TLSContext
        let stamps: [FileStamp?]
        /// When the files were looked at last.
        var lookTime = ContinuousClock.now
    }

    private let hosts: TLSHosts
    private let proxy: TLSConfiguration
    private let fileInterval: Duration
    private var made: [Key: Made] = [:]
    /// How many contexts of raw streams with settings of their own are kept.
    private static let mostOwnContexts = 16

    init(_ hosts: TLSHosts, proxy: TLSConfiguration, fileInterval: Duration) {
        (self.hosts, self.proxy, self.fileInterval) = (hosts, proxy, fileInterval)
    }

    /// - Parameter own: The settings of a raw stream; `nil` for the transport's settings for the host.
    /// - Returns: `nil` for an endpoint without TLS.
    func session(
        for endpoint: ServerEndpoint, _ own: TLSConfiguration?, offering protocols: [String]
    ) throws(AsyncNetError) -> TLSSession? {
        guard endpoint.isTLS else { return nil }
        let configuration = if let own { own } else { try hosts.settings(forHost: endpoint.host) }
        return try context(Key(configuration: configuration)).session(for: endpoint, offering: protocols)
    }

    func session(to proxy: ProxyServer) throws(AsyncNetError) -> TLSSession {
        let key = Key(configuration: self.proxy, isOfProxy: true)
        return try context(key).session(for: proxy.endpoint, offering: ["http/1.1"])
    }

    private func context(_ key: Key) throws(AsyncNetError) -> TLSContext {
        let (known, files) = (made[key], key.configuration.files)
        if let known, files.isEmpty || known.lookTime.duration(to: .now) < fileInterval { return known.context }
        // The stamps are taken before the files are read: a file that is written meanwhile has another stamp at the
        // next look.
        let stamps = files.map { FileStamp(at: $0) }
        made[key]?.lookTime = .now
        if let known, known.stamps == stamps { return known.context }
        do throws(AsyncNetError) {
            let context = try TLSContext(key.configuration)
            if known == nil, made.count > hosts.settings.count + Self.mostOwnContexts { made = [:] }
            made[key] = Made(context: context, stamps: stamps)
            return context
        } catch {
            // Files that are being written and cannot be used yet are tried again at the next look.
            guard let known else { throw error }
            return known.context
        }
    }
}
