import ArgumentParser
import AsyncNet
import Foundation

enum StreamMode: String, ExpressibleByArgument {
    case chunks, lines, json, events
}

/// How the request is sent, and how often.
struct TransferOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Redirects are followed anyway; with -L, -i shows the heads of all hops.")
    var location = false

    @Flag(name: .customLong("no-follow"), help: "Prints a redirect's response and does not follow it.")
    var noFollow = false

    @Option(
        name: [.customLong("max-redirects"), .customLong("max-redirs")], parsing: .unconditional,
        help: ArgumentHelp("How many redirects are followed; 0 is --no-follow.", valueName: "N"))
    var maxRedirects = 20

    @Option(parsing: .unconditional, help: ArgumentHelp("The schemes allowed, of http and https.", valueName: "=LIST"))
    var proto: String?

    @Option(help: ArgumentHelp("How long the server may be silent; fractions allowed.", valueName: "SECONDS"))
    var timeout: Double = 60

    @Option(
        name: [.customShort("m"), .customLong("deadline"), .customLong("max-time")],
        help: ArgumentHelp(
            "How long all of it may take, retries and waits included; fractions allowed.", valueName: "SECONDS"))
    var deadline: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "An HTTP cache in the folder DIR; what it did for each URL is on standard error, unless -s is given.",
            valueName: "DIR"))
    var cache: String?

    @Flag(name: .shortAndLong, help: "Status 400 and above: no body, exit 22.")
    var fail = false

    @Flag(help: "Status 400 and above: the body, exit 22.")
    var failWithBody = false

    @Option(
        help: ArgumentHelp(
            "Prints as it arrives; events as id, event and data lines.", valueName: "chunks|lines|json|events"))
    var stream: StreamMode?

    @Flag(name: [.customShort("N"), .long], help: "Prints the body of one URL as it arrives: --stream chunks.")
    var noBuffer = false

    @Flag(help: "Ends --stream events with the connection.")
    var noReconnect = false

    @Option(
        name: [.customLong("max-body"), .customLong("max-filesize")],
        help: ArgumentHelp("Refuses a larger decoded body, with status 63.", valueName: "BYTES"))
    var maxBody: Int64?

    @Option(help: ArgumentHelp("How many of several URLs at a time; printed in the order given.", valueName: "N"))
    var parallel: Int?

    @Flag(
        name: [.customShort("Z"), .customLong("parallel-transfers")],
        help: "--parallel 50, or as many as --parallel-max.")
    var isParallel = false

    @Option(help: ArgumentHelp("How many at a time with -Z.", valueName: "N"))
    var parallelMax = 50

    @Flag(help: ArgumentHelp(visibility: .hidden))
    var parallelImmediate = false

    func validate() throws {
        if maxRedirects < 0 { throw ValidationError("--max-redirects needs a number from 0") }
        // An upper bound too: a Duration holds no more than 64 bits of seconds.
        guard timeout > 0, timeout <= 1e9 else { throw ValidationError("--timeout needs seconds above 0") }
        if let deadline, !(deadline > 0 && deadline <= 1e9) {
            throw ValidationError("--deadline needs seconds above 0")
        }
        if let maxBody, maxBody < 0 { throw ValidationError("--max-body needs a number from 0") }
        if let parallel, parallel < 1 { throw ValidationError("--parallel needs a number from 1") }
        if parallelMax < 1 { throw ValidationError("--parallel-max needs a number from 1") }
        if cache == "" { throw ValidationError("--cache needs a folder") }
        if fail, failWithBody { throw ValidationError("--fail and --fail-with-body exclude each other") }
        if proto != nil, allowedSchemes.isEmpty { throw ValidationError("--proto leaves neither http nor https") }
    }

    var atATime: Int { parallel ?? (isParallel ? parallelMax : 1) }

    /// As curl reads the list: `=` begins anew, `-` removes, and anything else adds.
    var allowedSchemes: Set<String> {
        var allowed: Set<String> = ["http", "https"]
        for word in (proto ?? "").split(separator: ",") {
            let names = word.drop { "=+-".contains($0) }
            let schemes: Set<String> = names == "all" ? ["http", "https"] : [String(names)]
            if word.hasPrefix("=") { allowed = [] }
            if word.contains("-") { allowed.subtract(schemes) } else { allowed.formUnion(schemes) }
        }
        return allowed.intersection(["http", "https"])
    }

    /// - Throws: ``ExitError`` for a URL whose scheme `--proto` excludes.
    func check(_ calls: [Call]) throws(ExitError) {
        guard proto != nil else { return }
        let allowed = allowedSchemes
        for call in calls where !allowed.contains(where: { call.text.lowercased().hasPrefix("\($0)://") }) {
            throw ExitError(ExitStatus.other, "--proto does not allow the scheme of URL \(call.number + 1).")
        }
    }

    private var redirects: RedirectHandler {
        if noFollow { return .doNotFollow }
        guard proto != nil else { return .follow }
        let allowed = allowedSchemes
        return .modify { next, _ in
            if allowed.contains(next.url?.scheme?.lowercased() ?? "") { return next }
            throw AsyncNetError(.unsupportedScheme, "--proto does not allow the scheme that the redirect leads to")
        }
    }

    /// - Throws: ``ExitError`` for a folder that cannot be used; `nil` without --cache.
    func makeCache() throws(ExitError) -> HTTPCache? {
        guard let cache else { return nil }
        do throws(AsyncNetError) {
            return try HTTPCache(directory: URL(file: cache))
        } catch {
            throw ExitError(error, "")
        }
    }

    /// A session's configuration, its default headers without those that `-H 'Name:'` removes.
    func configuration(
        _ retries: RetryOptions, without removed: [String], _ jar: CookieJar?, asksToContinue: Bool
    ) -> SessionConfiguration {
        var configuration = SessionConfiguration(
            interceptors: retries.policies(failing: fail || failWithBody)
                + (asksToContinue ? [ExpectationFallback()] : []),
            timeout: .seconds(timeout), deadline: deadline.map { .seconds($0) },
            redirects: redirects, cookieJar: jar, maximumRedirects: maxRedirects, maximumBodySize: maxBody)
        // Whoever sets the delays is asked for no other care.
        if retries.retryDelay != nil || retries.retryAllErrors { configuration.retryBudget = nil }
        for name in removed { configuration.defaultHeaders.remove(name) }
        return configuration
    }
}
