import ArgumentParser
import AsyncNet
import Foundation

/// What is sent.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("X", allowingJoined: true), .customLong("request")], parsing: .unconditional,
        help: ArgumentHelp("GET by default, POST with -d, --json or -F, PUT with -T.", valueName: "METHOD"))
    var method: String?

    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Repeatable. 'Name;' sends it empty, 'Name:' removes a default.", valueName: "Name: value"))
    var headers: [String] = []

    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("data"), .customLong("data-ascii")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Body; a form unless -H says otherwise. Several are joined by &. Line ends of a FILE are left out.",
            valueName: "TEXT|@FILE|@-"))
    var data: [DataArgument] = []

    /// This option and the next two are here for the help: `Arguments` makes them a --data, since their order counts.
    @Option(parsing: .unconditionalSingleValue, help: ArgumentHelp("-d, where @ has no meaning.", valueName: "TEXT"))
    var dataRaw: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("-d, with a FILE byte for byte.", valueName: "TEXT|@FILE|@-"))
    var dataBinary: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("-d, percent-encoded.", valueName: "[NAME=]TEXT|[NAME]@FILE"))
    var dataUrlencode: [String] = []

    @Flag(name: [.customShort("G"), .customLong("get")], help: "Puts what -d gives into the URL's query.")
    var get = false

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Body, with Content-Type and Accept: application/json.", valueName: "TEXT|@FILE|@-"))
    var json: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Repeatable; percent-encoded and added to the URL.", valueName: "NAME=VALUE"))
    var query: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Repeatable; as --data-urlencode, or +TEXT as it stands.", valueName: "[NAME=]TEXT"))
    var urlQuery: [String] = []

    @Option(
        name: [.customShort("F", allowingJoined: true), .customLong("form")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Repeatable; a part of a multipart form, streamed. FILE is - for standard input; \"quoted\" if it holds a semicolon. < makes a file's content a value.",
            valueName: "NAME=VALUE|NAME=@FILE|NAME=<FILE[;type=T][;filename=N]"))
    var form: [String] = []

    /// For the help, as `dataRaw`.
    @Option(parsing: .unconditionalSingleValue, help: ArgumentHelp("-F, byte for byte.", valueName: "NAME=VALUE"))
    var formString: [String] = []

    @Option(
        name: [.customShort("T", allowingJoined: true), .customLong("upload-file")], parsing: .unconditional,
        help: ArgumentHelp(
            "Uploads a file, streamed, or standard input of unknown length; a URL that ends in / gets the file's name.",
            valueName: "FILE|-"))
    var uploadFile: String?

    @Option(
        name: [.customShort("u", allowingJoined: true), .customLong("user")], parsing: .unconditional,
        help: ArgumentHelp("Basic or Digest, as the challenge requires.", valueName: "NAME:PASSWORD"))
    var user: String?

    @Flag(help: "Sends -u at once, by Basic; without it, as an answer to a challenge.")
    var basic = false

    @Flag(help: "The default: -u answers what the server asks for.")
    var anyauth = false

    @Option(
        name: [.customLong("bearer"), .customLong("oauth2-bearer")], parsing: .unconditional,
        help: ArgumentHelp("Sends Authorization: Bearer.", valueName: "TOKEN"))
    var bearer: String?

    @Option(
        name: [.customShort("A"), .customLong("user-agent")], parsing: .unconditional,
        help: ArgumentHelp("The User-Agent; '' for none.", valueName: "NAME"))
    var userAgent: String?

    @Option(
        name: [.customShort("e"), .customLong("referer")], parsing: .unconditional,
        help: ArgumentHelp("The Referer.", valueName: "URL"))
    var referer: String?

    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp("The bytes to ask for: 0-99, 100- or -100.", valueName: "RANGE"))
    var range: String?

    @Flag(help: "Asks for a compressed response, as anet does anyway but with -o.")
    var compressed = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Sends the ETag of FILE as If-None-Match.", valueName: "FILE"))
    var etagCompare: String?

    @Flag(name: [.customShort("I"), .customLong("head")], help: "HEAD; prints the response's head.")
    var head = false

    func validate() throws {
        if headers.contains(where: { !$0.hasPrefix("@") && HeaderArgument($0) == nil }) {
            throw ValidationError("-H needs 'Name: value', 'Name;' or 'Name:'")
        }
        if query.contains(where: { !$0.contains("=") }) { throw ValidationError("--query needs NAME=VALUE") }
        if let wrong = form.first(where: { FormArgument($0) == nil }) {
            throw ValidationError(
                "-F needs NAME=VALUE or NAME=@FILE[;type=T][;filename=N], not '\(wrong.prefix { $0 != "=" })'")
        }
        if bodies.count > 1 { throw ValidationError("\(bodies.joined(separator: " and ")) exclude each other") }
        if head, bodies.contains(where: { $0 != "--data" }) || !data.isEmpty && !get {
            throw ValidationError("--head cannot send a body")
        }
        if get, bodies.contains(where: { $0 != "--data" }) { throw ValidationError("--get goes with --data only") }
        if let user, !user.contains(":") { throw ValidationError("--user needs NAME:PASSWORD") }
        if user != nil, bearer != nil { throw ValidationError("--user and --bearer exclude each other") }
        if basic, user == nil { throw ValidationError("--basic needs --user") }
        if referer?.hasSuffix(";auto") == true {
            throw ValidationError("-e with ;auto is not taken: redirects keep the Referer that was given")
        }
    }

    /// The options that make a body.
    var bodies: [String] {
        let given = [
            ("--data", !data.isEmpty), ("--json", !json.isEmpty), ("--form", !form.isEmpty),
            ("--upload-file", uploadFile != nil),
        ]
        return given.filter(\.1).map(\.0)
    }
}
