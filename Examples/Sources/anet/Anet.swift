import ArgumentParser
import AsyncNet
import Foundation

/// The command: options in, an exit status out. What happens between is ``Transfers``.
@main
struct Anet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anet",
        abstract: "A curl-like HTTP client over AsyncNet.",
        usage: "anet [options] URL...",
        discussion: """
            Bodies go to standard output, everything else to standard error. The exit status is curl's: \
            0 done, 1 unsupported, 2 usage, 3 malformed URL, 5 proxy not found, 6 host not found, 7 cannot connect, \
            8 not HTTP or a malformed head, 18 body ended early, 22 status 400 or above with --fail, 23 cannot write, 26 cannot read, \
            28 timeout, 35 TLS handshake, 47 too many redirects, 52 empty reply, 56 connection lost or refused by the \
            proxy, 58 client certificate, 60 certificate not trusted, 61 bad content encoding, 63 body too large, 90 pin mismatch, \
            130 interrupted. With several URLs the first failure counts.
            """)

    @Argument(help: ArgumentHelp("What to request; http:// is assumed where no scheme is given.", valueName: "URL"))
    var urls: [String]

    @OptionGroup(title: "Request") var request: RequestOptions
    @OptionGroup(title: "Transfer") var transfer: TransferOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    mutating func run() async throws {
        try await execute()
    }

    /// - Throws: ``ExitError``, after everything has been printed that could be.
    func execute() async throws {
        let calls = try request.calls(to: urls)
        let configuration = try await transfer.configuration(without: request.removedHeaders)
        let session = Session(transport: try connection.makeTransport(), configuration: configuration)
        do throws(ExitError) { try await make(calls, on: session) } catch {
            // What servers have set is kept, whatever became of the requests.
            do { try await configuration.cookieJar?.save() } catch { Console.note(ExitError(error, "").line) }
            throw error
        }
        do { try await configuration.cookieJar?.save() } catch { throw ExitError(error, "") }
    }

    private func make(_ calls: [Call], on session: Session) async throws(ExitError) {
        if output.verbose { Console.note("* \(session.transportDescription)") }
        if let output = transfer.output {
            return try await Download(session: session, printing: printing(calls), options: transfer).run(
                calls, to: output)
        }
        if let mode = transfer.stream {
            return try await Streaming(session: session, printing: printing(calls), options: transfer).run(calls, mode)
        }
        let transfers = Transfers(
            session: session,
            printing: printing(calls),
            failsOnStatus: transfer.fail, showsProgress: output.showsProgress(of: calls.count))
        try await transfers.run(calls, atATime: transfer.parallel)
    }

    private func printing(_ calls: [Call]) -> Printing {
        Printing(options: output, isHead: request.head, isLabelled: calls.count > 1)
    }

    static func main() async {
        Console.prepare()
        Foundation.exit(await status())
    }

    private static func status() async -> Int32 {
        do {
            let command = try Anet.parse()
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
