import ArgumentParser
import Foundation

/// What is shown.
struct OutputOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Prints the response's head before the body.")
    var include = false

    @Flag(help: "A timeline of each transfer on standard error.")
    var timing = false

    @Flag(help: "Each request's events on standard error, as they happen.")
    var trace = false

    @Flag(name: .shortAndLong, help: "No progress line.")
    var silent = false

    @Flag(name: .shortAndLong, help: "Request and response heads on standard error, secrets redacted.")
    var verbose = false

    /// On a terminal that a person looks at, and where no other lines would run into it.
    func showsProgress(of count: Int) -> Bool {
        count == 1 && !silent && !verbose && !trace && isatty(STDERR_FILENO) == 1
    }
}
