import ArgumentParser
import AsyncNet
import AsyncNetLibcurl

@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures AsyncNet against its peers, on loopback, in one interleaved run.",
        discussion: "Machines differ and drift: compare ratios, not figures of different runs.",
        subcommands: [
            Throughput.self, Transfer.self, Uploads.self, Burst.self, Storm.self, Soak.self, WarmUp.self, Hostile.self,
            Parsing.self,
            Cookies.self,
            Overhead.self, Monitors.self, Digest.self, Streams.self, Sockets.self, WebSockets.self,
            Allocations.self, Syscalls.self, Pending.self, Serve.self,
        ],
        defaultSubcommand: Throughput.self)
}

/// The transport of a session that is measured.
enum Carrier: String, ExpressibleByArgument {
    case sockets, libcurl, urlsession

    func make() -> any Transport {
        switch self {
        case .sockets: .sockets()
        case .libcurl: .libcurl()
        case .urlsession: .urlSession
        }
    }
}
