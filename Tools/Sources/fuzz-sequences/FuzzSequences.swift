import ArgumentParser
import AsyncNet
import AsyncNetLibcurl
import Foundation
import Synchronization

@main
struct FuzzSequences: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fuzz-sequences",
        abstract: "Sequences of requests to a server in the same process whose replies are mutations of valid ones.",
        discussion: """
            Every request must end, in a value or an AsyncNetError, by its deadline; connections are shared. \
            The sequences of a run have seeds of their own, which count up; each is printed before the sequence is run, so \
            that of a crash is the last one printed: --seed N --sequences 1 repeats it.

            Exits 0 if all is well; 1 if descriptors or memory grew, or an error was none of AsyncNet's; 3 if a request did \
            not end.
            """)

    @Option(help: "The first sequence's seed; drawn at random if none is given.") var seed: UInt64?
    @Option(help: "How many sequences, unless the time is over before.") var sequences = Int.max
    @Option(help: "How many requests a sequence has.") var length = 300
    @Option(help: "How long to go on.") var seconds: Double = 60
    @Option(help: "libcurl, sockets, or urlsession, which is no match for these servers.") var transport = Carrier
        .libcurl
    @Option(help: "Only these kinds, with commas; all by default: \(Kind.names).") var kinds: String?
    @Option(help: "By how many MiB the memory may grow from the first third of the run to its last; 0 for no limit.")
    var growth = 64

    func validate() throws {
        guard length > 0, sequences > 0, seconds > 0 else {
            throw ValidationError("--length, --sequences and --seconds must be greater than 0")
        }
        _ = try chosenKinds()
    }

    private func chosenKinds() throws -> [Kind] {
        let names = kinds?.split(separator: ",").map(String.init) ?? Kind.allCases.map(\.rawValue)
        return try names.map { name in
            guard let kind = Kind(rawValue: name) else { throw ValidationError("There is no kind \(name)") }
            return kind
        }
    }

    func run() async throws {
        let chosen = try chosenKinds().filter(transport.can)
        guard !chosen.isEmpty else { throw ValidationError("\(transport) can do none of these kinds") }
        let world = try World(needsTLS: chosen.contains { $0.needsTLS || $0 == .tunnels })
        let first = seed ?? UInt64.random(in: 1...1_000_000_000)
        let run = Run(world: world, kinds: chosen, length: length, carrier: transport)
        say(
            "\(transport.make(.init()).transportDescription), seed \(first), \(chosen.count) kinds, sequences of \(length)"
        )
        try await run.sequences(from: first, atMost: sequences, seconds: seconds)
        let isGood = run.report(growthLimit: growth << 20)
        if !isGood { throw ExitCode(1) }
    }
}

/// The transport that is tested.
enum Carrier: String, ExpressibleByArgument {
    case libcurl, sockets, urlsession

    func can(_ kind: Kind) -> Bool {
        switch self {
        case .libcurl, .sockets: true
        case .urlsession: Kind.plain.contains(kind)
        }
    }

    func make(_ configuration: LibcurlTransport.Configuration) -> any Transport {
        switch self {
        case .urlsession: URLSessionTransport()
        case .libcurl: LibcurlTransport(configuration: configuration)
        case .sockets: SocketTransport(configuration)
        }
    }
}
