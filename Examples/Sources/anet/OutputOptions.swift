import ArgumentParser
import AsyncNet
import Foundation

/// What is shown, and where bodies go.
struct OutputOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Once for each URL: downloads to a file, made when complete; - is standard output, whatever the bytes.",
            valueName: "FILE|-"))
    var output: [OutputArgument] = []

    /// For the help: `Arguments` makes it an --output, since the order of both counts.
    @Flag(name: [.customShort("O"), .long], help: "Once for each URL: -o with the last component of the URL's path.")
    var remoteName = false

    @Flag(help: "-O for every URL that has no -o.")
    var remoteNameAll = false

    @Flag(name: [.customShort("J"), .long], help: "With -O: the name that the server gives.")
    var remoteHeaderName = false

    @Flag(name: [.customShort("R"), .long], help: "Gives files the time of Last-Modified.")
    var remoteTime = false

    @Option(parsing: .unconditional, help: ArgumentHelp("The folder of -o and -O.", valueName: "FOLDER"))
    var outputDir: String?

    @Flag(help: "Makes the missing folders of -o.")
    var createDirs = false

    @Flag(
        name: [.customShort("C"), .customLong("continue")],
        help: "Continues the partial file of an interrupted -o; -C - too.")
    var continues = false

    @Option(
        help: ArgumentHelp(
            "With -o: how many parts are fetched at a time, if the server can send parts.", valueName: "N"))
    var segments = 1

    @Option(
        name: [.customShort("D"), .long], parsing: .unconditional,
        help: ArgumentHelp("Writes the heads of all responses to FILE; - is standard output.", valueName: "FILE|-"))
    var dumpHeader: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Writes the response's ETag to FILE.", valueName: "FILE"))
    var etagSave: String?

    @Option(
        name: [.customShort("w"), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Printed after each transfer, with curl's variables: %{http_code}.", valueName: "FORMAT|@FILE"))
    var writeOut: String?

    @Flag(name: .shortAndLong, help: "Prints the response's head before the body.")
    var include = false

    @Flag(help: "The command for curl on standard error, secrets redacted.")
    var curl = false

    @Flag(help: "Each request's phases on standard error: a bar for each hop, and a table.")
    var timing = false

    @Flag(help: "Each request's events on standard error, as they happen, with the time since its start.")
    var trace = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Writes all exchanges to FILE, as HAR 1.2, secrets redacted.", valueName: "FILE"))
    var har: String?

    @Flag(name: .shortAndLong, help: "No progress line.")
    var silent = false

    @Flag(name: [.customShort("S"), .long], help: "Errors are shown, as they are always.")
    var showError = false

    @Flag(help: "No progress line.")
    var noProgressMeter = false

    @Flag(name: [.customShort("#"), .long], help: "The progress bar at once, not after a second.")
    var progressBar = false

    @Flag(name: .shortAndLong, help: "Heads on standard error as they go over the wire, secrets redacted.")
    var verbose = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Where standard error goes; - is standard output.", valueName: "FILE|-"))
    var stderr: String?

    @Flag(name: [.customShort("V"), .long], help: "The version of anet and of what carries its requests.")
    var version = false

    @Flag(
        name: [
            .customLong("remove-on-error"), .customLong("disable"), .customShort("q"), .customShort("g"),
            .customLong("globoff"),
        ],
        help: "These, and --path-as-is, --tcp-nodelay, --suppress-connect-headers, --proxy-basic, are so always.")
    var asAlways = false

    @Flag(
        name: [
            .customLong("path-as-is"), .customLong("tcp-nodelay"), .customLong("suppress-connect-headers"),
            .customLong("proxy-basic"),
        ], help: ArgumentHelp(visibility: .hidden))
    var asAlwaysToo = false

    func validate() throws {
        if continues, output.isEmpty, !remoteNameAll { throw ValidationError("--continue needs --output") }
        guard 1...64 ~= segments else { throw ValidationError("--segments needs a number from 1 to 64") }
        if segments > 1, output.isEmpty, !remoteNameAll { throw ValidationError("--segments needs --output") }
        if continues, remoteHeaderName {
            throw ValidationError("--continue and --remote-header-name exclude each other")
        }
        if let writeOut, !writeOut.hasPrefix("@"), let wrong = WriteOut(writeOut).unknown {
            throw ValidationError("--write-out: %{\(wrong)} is nothing that anet knows")
        }
    }

    /// Where the body of each URL goes, as curl pairs them.
    func outputs(for count: Int) throws(ExitError) -> [OutputArgument?] {
        guard output.count <= count else {
            throw ExitError(ExitStatus.usage, "--output is given \(output.count) times, for \(count) URL(s).")
        }
        let rest = Array(repeating: remoteNameAll ? OutputArgument.remoteName : nil, count: count - output.count)
        return output.map { $0 } + rest
    }

    /// Writes each exchange when it has ended, so that the file is there however the program ends. `nil` without --har.
    func archive() throws(ExitError) -> Archive? {
        guard let har else { return nil }
        return try Archive(har)
    }

    /// On a terminal that a person looks at, and where no other lines would run into it.
    var showsProgress: Bool {
        !silent && !noProgressMeter && !verbose && !trace && isatty(STDERR_FILENO) == 1
    }
}
