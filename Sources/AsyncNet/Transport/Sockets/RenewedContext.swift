/// The TLS context of one configuration, replaced once the files that the configuration names have changed. Open
/// connections and tickets stay with the former context. Used only under a loop's lock.
final class RenewedContext {
    private let configuration: TLSConfiguration
    private let files: [String]
    private let interval: Duration
    private var made: (context: TLSContext, stamps: [FileStamp?])?
    private var lookTime = ContinuousClock.now

    init(_ configuration: TLSConfiguration, lookingEvery interval: Duration) {
        self.configuration = configuration
        self.interval = interval
        files = configuration.files
    }

    func current() throws(AsyncNetError) -> TLSContext {
        guard let made else { return try make() }
        guard !files.isEmpty, lookTime.duration(to: .now) >= interval else { return made.context }
        lookTime = .now
        guard stamps != made.stamps else { return made.context }
        // Files that are being written and cannot be used yet are tried again at the next look.
        return (try? make()) ?? made.context
    }

    private var stamps: [FileStamp?] { files.map { FileStamp(at: $0) } }

    private func make() throws(AsyncNetError) -> TLSContext {
        // The stamps are taken before the files are read: a file that is written meanwhile has another stamp at the
        // next look.
        let stamps = stamps
        let context = try TLSContext(configuration)
        made = (context, stamps)
        lookTime = .now
        return context
    }
}
