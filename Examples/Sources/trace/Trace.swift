import ArgumentParser
import AsyncNet
import Foundation
import Timelines

/// Loads a page and everything on it, or the URLs of the command line, over one session, and shows when each request
/// waited for what: as bars in the terminal, and as an HTML file.
@main
struct Trace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Requests as a waterfall: when each waited for what.",
        discussion: """
            Without URLs, a server on 127.0.0.1 provides a page with about twenty resources: some are slow, redirected, \
            missing, unchanged, over TLS, or fail at first. On a terminal bars are coloured, unless NO_COLOR is \
            set; elsewhere they are letters. Exits 1 if one of the given URLs fails.
            """)

    @Argument(help: ArgumentHelp("Requested all at once.", valueName: "URL"))
    var urls: [String] = []

    @Option(help: ArgumentHelp("Writes the waterfall as one HTML file, which needs no others.", valueName: "FILE"))
    var html: String?

    @Option(help: ArgumentHelp("How wide the lines are; the terminal's width by default.", valueName: "COLUMNS"))
    var width: Int?

    @Option(help: ArgumentHelp("How many requests an origin gets at a time.", valueName: "N"))
    var perOrigin = 6

    func run() async throws {
        let timeline = urls.isEmpty ? try await loadDemonstration() : await loadURLs()
        let output = Output(width: width)
        output.print(timeline)
        if let html { try output.write(WaterfallPage(timeline, title: title(timeline)).html, to: html) }
        if !urls.isEmpty, timeline.requests.contains(where: { $0.error != nil }) { throw ExitCode.failure }
    }

    /// Of the timeline's URLs, which are without secrets.
    private func title(_ timeline: SessionTimeline) -> String {
        guard !urls.isEmpty else { return "A page and its resources" }
        let names = timeline.requests.compactMap(\.url)
        return names.isEmpty ? "No requests" : names.joined(separator: ", ")
    }

    private func loadDemonstration() async throws -> SessionTimeline {
        let site = try await Site.start()
        let timeline = await recorded(over: site.transport) { await PageLoad(session: $0, page: site.page).run() }
        await site.stop()
        return timeline
    }

    private func loadURLs() async -> SessionTimeline {
        await recorded(over: AutomaticTransport()) { session in
            await withTaskGroup { group in
                for url in urls { group.addTask { _ = await session.request(url).serializing(Data.self).response } }
            }
        }
    }

    /// The timeline of all requests that the work makes with the session.
    private func recorded(over transport: any Transport, _ work: (Session) async -> Void) async -> SessionTimeline {
        let monitor = TimelineMonitor()
        let session = Session(
            transport: transport,
            configuration: SessionConfiguration(
                interceptors: [RetryPolicy(limit: 2, backoff: Backoff(scale: .milliseconds(80)))],
                monitors: [monitor], concurrencyLimit: ConcurrencyLimit(perOrigin: perOrigin)))
        await work(session)
        await session.monitorsReceivedEvents()
        await session.finish()
        return monitor.timeline
    }
}
