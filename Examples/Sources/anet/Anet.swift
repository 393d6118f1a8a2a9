import ArgumentParser
import AsyncNet
import AsyncNetLibcurl
import Foundation

/// The command: options in, an exit status out. What happens between is ``Client``.
@main
struct Anet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anet",
        abstract: "A curl-like HTTP client over AsyncNet.",
        usage: "anet [options] URL... [name=value] [name:=json] [name==value] [Header:value]",
        discussion: """
            Options are curl's where curl has them. After the first URL, name=value and name:=json make a JSON object \
            of the body, name==value adds to the query, Header:value sends a header; :8080/path is a URL of this \
            machine. Bodies go to standard output, everything else to standard error. The exit status is curl's: \
            0 done, 1 unsupported, 2 usage, 3 malformed URL, 5 proxy not found, 6 host not found, 7 cannot connect, \
            8 not HTTP or a malformed head, 18 body ended early, 22 status 400 or above with --fail or a refused WebSocket, 23 cannot write, 26 cannot read, \
            28 timeout, 35 TLS handshake, 47 too many redirects, 52 empty reply, 56 connection lost or refused by the \
            proxy, 58 client certificate, 60 certificate not trusted, 61 bad content encoding, 63 body too large, 90 pin mismatch, \
            91 certificate revoked, 130 interrupted. With several URLs the first failure counts. Completions for a shell: \
            --generate-completion-script bash|zsh|fish.
            """)

    @Argument(help: ArgumentHelp("What to request; http:// is assumed where no scheme is given.", valueName: "URL"))
    var arguments: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A URL, as if it were no option's value.", valueName: "URL"))
    var url: [String] = []

    @OptionGroup(title: "Request") var request: RequestOptions
    @OptionGroup(title: "Transfer") var transfer: TransferOptions
    @OptionGroup(title: "Retries") var retries: RetryOptions
    @OptionGroup(title: "Cookies") var cookies: CookieOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "TLS") var tls: TLSOptions
    @OptionGroup(title: "Proxies") var proxies: ProxyOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Recordings") var recording: RecordingOptions
    @OptionGroup(title: "Both directions") var duplex: DuplexOptions

    func validate() throws {
        let hasURL = !arguments.isEmpty || !url.isEmpty
        let other = recording.serve != nil ? "--serve" : duplex.connect != nil ? "--connect" : nil
        if let other, hasURL { throw ValidationError("\(other) takes no URL") }
        if other == nil, !hasURL { throw ValidationError("Missing expected argument 'URL'") }
        try connection.check(tls, proxies)
        try duplex.check(exchangeOptions, connection.transport)
    }

    mutating func run() async throws {
        try await execute()
    }

    /// - Throws: ``ExitError``, after everything has been printed that could be.
    func execute() async throws {
        if let name = output.stderr { try Console.redirectErrors(to: name) }
        if try await recording.servedUntilCancelled() { return }
        let positionals = try Positionals(arguments)
        var calls = try calls(positionals)
        let jar = try await cookies.jar()
        let transport = try connection.makeTransport(timeout: transfer.timeout, tls, proxies)
        let isWire = transport is LibcurlTransport || transport is SocketTransport
        if isWire, connection.asksToContinue { calls = calls.map(\.expectingContinue) }
        var configuration = transfer.configuration(
            retries, without: try request.removedHeaders(positionals), jar,
            asksToContinue: calls.contains { $0.headers.contains(name: "Expect") })
        configuration.cache = try transfer.makeCache()
        if connection.publicOnly { configuration.addresses = .publicOnly }
        let archive = try output.archive()
        if let archive { configuration.monitors.append(archive.recorder) }
        let recorder = Recorder(output)
        if let recorder { configuration.monitors.append(recorder) }
        let carrier = try recording.transport(over: transport)
        let session = Session(transport: carrier, configuration: configuration)
        do throws(ExitError) {
            try await make(calls, on: session, knowsSentHeads: isWire, recorder)
        } catch {
            // What servers have set, and what was recorded, is kept, whatever became of the requests.
            do { try await keep(jar, archive, carrier) } catch { Console.note(error.line) }
            throw error
        }
        try await keep(jar, archive, carrier)
    }

    private func keep(
        _ jar: CookieJar?, _ archive: Archive?, _ transport: any Transport
    ) async throws(ExitError) {
        try await archive?.finish()
        try await cookies.save(jar)
        try recording.write(transport)
    }

    /// - Throws: ``ExitError`` for options that do not fit the URLs.
    private func calls(_ positionals: Positionals) throws(ExitError) -> [Call] {
        let calls = try request.calls(
            positionals, cookies: cookies.words, outputs: try output.outputs(for: positionals.urls.count))
        try transfer.check(calls)
        guard transfer.stream != nil else { return calls }
        if calls.count > 1 { throw ExitError(ExitStatus.usage, "--stream takes one URL.") }
        if calls.contains(where: { $0.output != nil && $0.output != .standardOutput }) {
            throw ExitError(ExitStatus.usage, "--output and --stream exclude each other.")
        }
        if !calls.allSatisfy(\.hasSimpleBody) {
            throw ExitError(ExitStatus.usage, "--stream goes with -d and --json, not with -F and -T.")
        }
        return calls
    }

    private func make(
        _ calls: [Call], on session: Session, knowsSentHeads: Bool, _ recorder: Recorder?
    ) async throws(ExitError) {
        let start = ContinuousClock.now
        if output.verbose { Console.note("* \(session.transportDescription)") }
        let options = Client.Options(
            output: output, transfer: transfer, retries: retries, isHead: request.head,
            showsCertificates: tls.showCerts,
            count: calls.count,
            labelWidth: ProgressLine.width(for: calls))
        let client = Client(
            session: session, options: options, knowsSentHeads: knowsSentHeads && recording.replay == nil,
            recorder: recorder)
        let printer = try Printer(options)
        let result = await Result(of: { () throws(ExitError) in
            if duplex.isGiven { try await converse(calls, on: session) } else { try await client.run(calls, printer) }
        })
        // What a stale response begins after its use (RFC 5861 §3) is part of the time too; of several URLs each has
        // its own.
        let begin = calls.count > 1 ? .now : start
        let watch = transfer.deadline.map { limit in
            Task {
                try await Task.sleep(until: begin + .seconds(limit), clock: .continuous)
                await session.cancelAll()
            }
        }
        // A process that ends while a transport's threads still close connections may trip over them.
        await session.finish()
        watch?.cancel()
        try result.get()
    }

    static func main() async {
        Console.prepare()
        Foundation.exit(await status())
    }

    private static func status() async -> Int32 {
        do {
            let arguments = try Arguments(Array(CommandLine.arguments.dropFirst())).expanded
            if arguments.contains("--version") { return try Version.print() }
            let command = try Anet.parse(arguments)
            try await Interrupt.cancelling { try await command.execute() }
            return 0
        } catch let error as ExitError {
            Console.note(error.line)
            return error.status
        } catch {
            return answer(error)
        }
    }

    /// ArgumentParser's own errors: `--help` is one of them, and succeeds; bad usage is 2, as curl has it, not 64.
    private static func answer(_ error: any Error) -> Int32 {
        guard exitCode(for: error) != .success else {
            return (try? Console.write(Data("\(fullMessage(for: error))\n".utf8))) == nil ? ExitStatus.cannotWrite : 0
        }
        Console.note("Usage: anet [options] URL... (see anet --help)\nanet: \(message(for: error))")
        return ExitStatus.usage
    }
}

/// `--version`.
enum Version {
    static func print() throws(ExitError) -> Int32 {
        let agent = HTTPHeader.defaultUserAgent.value
        let library = agent.split(separator: " ").last.map(String.init) ?? agent
        let features = "HTTP/1.1, HTTP/2; http, https; Basic, Digest, Bearer"
        try Console.write(
            Data(
                "anet \(library.drop { $0 != "/" }.dropFirst()) (\(library))\nTransport: \(AutomaticTransport().transportDescription)\nFeatures: \(features)\n"
                    .utf8))
        return 0
    }
}

extension Result where Success == Void {
    fileprivate init(of work: () async throws(Failure) -> Void) async {
        do throws(Failure) { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
