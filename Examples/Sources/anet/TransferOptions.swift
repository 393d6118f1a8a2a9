import ArgumentParser
import AsyncNet

/// How it is sent.
struct TransferOptions: ParsableArguments {
    @Flag(name: .customLong("no-follow"), help: "Makes a redirect the answer instead of following it.")
    var noFollow = false

    @Option(help: ArgumentHelp("How many redirects are followed; 0 is --no-follow.", valueName: "N"))
    var maxRedirects = 20

    @Option(help: ArgumentHelp("How long the server may be silent; fractions allowed.", valueName: "SECONDS"))
    var timeout: Double = 60

    @Flag(name: .shortAndLong, help: "Status 400 and above: no body, exit 22.")
    var fail = false

    @Option(help: ArgumentHelp("How many of several URLs at a time; printed in the order given.", valueName: "N"))
    var parallel = 1

    func validate() throws {
        if maxRedirects < 0 { throw ValidationError("--max-redirects needs a number from 0") }
        // An upper bound too: a Duration holds no more than 64 bits of seconds.
        guard timeout > 0, timeout <= 1e9 else { throw ValidationError("--timeout needs seconds above 0") }
        if parallel < 1 { throw ValidationError("--parallel needs a number from 1") }
    }

    /// A session's configuration, its default headers without those that `-H 'Name:'` removes.
    func configuration(without removed: [String]) -> SessionConfiguration {
        var configuration = SessionConfiguration(
            timeout: .seconds(timeout), maximumRedirects: noFollow ? 0 : maxRedirects)
        for name in removed { configuration.headers.remove(name) }
        return configuration
    }
}
