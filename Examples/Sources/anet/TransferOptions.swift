import ArgumentParser
import AsyncNet
import Foundation

enum StreamMode: String, ExpressibleByArgument {
    case chunks, lines, json, events
}

/// How the request is sent, and where the response goes.
struct TransferOptions: ParsableArguments {
    @Flag(name: .customLong("no-follow"), help: "Prints a redirect's response and does not follow it.")
    var noFollow = false

    @Option(help: ArgumentHelp("How many redirects are followed; 0 is --no-follow.", valueName: "N"))
    var maxRedirects = 20

    @Option(help: ArgumentHelp("How long the server may be silent; fractions allowed.", valueName: "SECONDS"))
    var timeout: Double = 60

    @Option(help: ArgumentHelp("How often a request is retried after a transient failure.", valueName: "N"))
    var retry = 0

    @Option(
        help: ArgumentHelp(
            "How long all of it may take, retries and waits included; fractions allowed.", valueName: "SECONDS"))
    var deadline: Double?

    @Option(
        name: [.customShort("b"), .long],
        help: ArgumentHelp("Reads cookies from FILE and writes them back, in Netscape's format.", valueName: "FILE"))
    var cookieJar: String?

    @Flag(name: .shortAndLong, help: "Status 400 and above: no body, exit 22.")
    var fail = false

    @Option(name: .shortAndLong, help: ArgumentHelp("Downloads to a file, made when complete.", valueName: "FILE"))
    var output: String?

    @Flag(name: [.customShort("C"), .customLong("continue")], help: "Continues the partial file of an interrupted -o.")
    var continues = false

    @Option(
        help: ArgumentHelp(
            "With -o: how many parts are fetched at a time, if the server can send parts.", valueName: "N"))
    var segments = 1

    @Option(
        help: ArgumentHelp(
            "Prints as it arrives; events as id, event and data lines.", valueName: "chunks|lines|json|events"))
    var stream: StreamMode?

    @Option(help: ArgumentHelp("Refuses a larger decoded body, with status 63.", valueName: "BYTES"))
    var maxBody: Int64?

    @Option(help: ArgumentHelp("How many of several URLs at a time; printed in the order given.", valueName: "N"))
    var parallel = 1

    func validate() throws {
        if maxRedirects < 0 { throw ValidationError("--max-redirects needs a number from 0") }
        // An upper bound too: a Duration holds no more than 64 bits of seconds.
        guard timeout > 0, timeout <= 1e9 else { throw ValidationError("--timeout needs seconds above 0") }
        if let deadline, !(deadline > 0 && deadline <= 1e9) {
            throw ValidationError("--deadline needs seconds above 0")
        }
        if retry < 0 { throw ValidationError("--retry needs a number from 0") }
        if let maxBody, maxBody < 0 { throw ValidationError("--max-body needs a number from 0") }
        if continues, output == nil { throw ValidationError("--continue needs --output") }
        guard 1...64 ~= segments else { throw ValidationError("--segments needs a number from 1 to 64") }
        if segments > 1, output == nil { throw ValidationError("--segments needs --output") }
        if output != nil, stream != nil { throw ValidationError("--output and --stream exclude each other") }
        if parallel < 1 { throw ValidationError("--parallel needs a number from 1") }
    }

    /// A session's configuration, its default headers without those that `-H 'Name:'` removes.
    func configuration(without removed: [String]) async throws(ExitError) -> SessionConfiguration {
        var configuration = SessionConfiguration(
            interceptors: retry > 0 ? [RetryPolicy(limit: retry)] : [], timeout: .seconds(timeout),
            deadline: deadline.map { .seconds($0) },
            redirects: noFollow ? .doNotFollow : .follow, maximumRedirects: maxRedirects, maximumBodySize: maxBody)
        if let cookieJar {
            do { configuration.cookieJar = try await CookieJar(file: URL(fileURLWithPath: cookieJar)) } catch {
                throw ExitError(error, "")
            }
        }
        for name in removed { configuration.headers.remove(name) }
        return configuration
    }
}
