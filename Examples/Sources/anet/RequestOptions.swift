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
        name: [.customShort("d", allowingJoined: true), .customLong("data")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Body, byte for byte; a form unless -H says otherwise. Several are joined by &.", valueName: "TEXT|@FILE|@-"
        ))
    var data: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Body, with Content-Type and Accept: application/json.", valueName: "TEXT|@FILE|@-"))
    var json: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Repeatable; percent-encoded and added to the URL.", valueName: "NAME=VALUE"))
    var query: [String] = []

    @Option(
        name: [.customShort("F", allowingJoined: true), .customLong("form")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Repeatable; a part of a multipart form, streamed. FILE is - for standard input; \"quoted\" if it holds a semicolon.",
            valueName: "NAME=VALUE|NAME=@FILE[;type=T][;filename=N]"))
    var form: [String] = []

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

    @Option(parsing: .unconditional, help: ArgumentHelp("Sends Authorization: Bearer.", valueName: "TOKEN"))
    var bearer: String?

    @Flag(name: [.customShort("I"), .customLong("head")], help: "HEAD; prints the response's head.")
    var head = false

    func validate() throws {
        if headers.contains(where: { HeaderArgument($0) == nil }) {
            throw ValidationError("-H needs 'Name: value', 'Name;' or 'Name:'")
        }
        if query.contains(where: { !$0.contains("=") }) { throw ValidationError("--query needs NAME=VALUE") }
        if let wrong = form.first(where: { FormArgument($0) == nil }) {
            throw ValidationError(
                "-F needs NAME=VALUE or NAME=@FILE[;type=T][;filename=N], not '\(wrong.prefix { $0 != "=" })'")
        }
        if bodies.count > 1 { throw ValidationError("\(bodies.joined(separator: " and ")) exclude each other") }
        if head, hasBody { throw ValidationError("--head cannot send a body") }
        if let user, !user.contains(":") { throw ValidationError("--user needs NAME:PASSWORD") }
        if user != nil, bearer != nil { throw ValidationError("--user and --bearer exclude each other") }
    }

    /// The options that make a body.
    private var bodies: [String] {
        let given = [
            ("--data", !data.isEmpty), ("--json", !json.isEmpty), ("--form", !form.isEmpty),
            ("--upload-file", uploadFile != nil),
        ]
        return given.filter(\.1).map(\.0)
    }

    private var hasBody: Bool { !bodies.isEmpty }

    /// The requests to make: one a URL, all else alike. What -d and --json name is read here, once; what -F and -T
    /// name, while it is sent.
    func calls(to urls: [String]) throws(ExitError) -> [Call] {
        let body = try body()
        if body.replay == .once, urls.count > 1 {
            throw ExitError(ExitStatus.usage, "Standard input, or a pipe, can be sent to one URL only.")
        }
        let headers = requestHeaders
        return urls.map {
            Call(
                text: URLText.complete(named($0), query: query), method: usedMethod, headers: headers, body: body,
                credential: credential)
        }
    }

    private var credential: Credential? {
        guard let user, let colon = user.firstIndex(of: ":") else { return nil }
        return Credential(username: String(user[..<colon]), password: String(user[user.index(after: colon)...]))
    }

    private func body() throws(ExitError) -> RequestBody {
        if let uploadFile { return try Input.upload(uploadFile) }
        if !data.isEmpty { return .data(try Input.read(data, joinedBy: "&")) }
        if !json.isEmpty { return .data(try Input.read(json, joinedBy: "")) }
        return try form.isEmpty ? .none : multipart()
    }

    private func multipart() throws(ExitError) -> RequestBody {
        try .multipart { form throws(ExitError) in
            for argument in self.form.compactMap(FormArgument.init) { try argument.append(to: &form) }
        }
    }

    /// A folder's URL is completed by the name of the file that goes into it, as curl does.
    private func named(_ url: String) -> String {
        guard let uploadFile, uploadFile != "-" else { return url }
        return URLText.appending(fileName: URL(fileURLWithPath: uploadFile).lastPathComponent, to: url)
    }

    private var usedMethod: HTTPMethod {
        HTTPMethod(rawValue: method ?? (head ? "HEAD" : uploadFile != nil ? "PUT" : hasBody ? "POST" : "GET"))
    }

    /// What the options imply comes first, so that `-H` can replace or remove it.
    private var requestHeaders: HTTPHeaders {
        var headers = HTTPHeaders()
        if let bearer { headers.set(.authorization(bearerToken: bearer)) }
        if !data.isEmpty { headers.set(.contentType("application/x-www-form-urlencoded")) }
        if !json.isEmpty {
            headers = HTTPHeaders(headers + [.contentType("application/json"), .accept("application/json")])
        }
        let given = self.headers.compactMap(HeaderArgument.init)
        for argument in given { headers.remove(argument.name) }
        for argument in given { argument.value.map { headers.add(name: argument.name, value: $0) } }
        return HTTPHeaders(headers + removedHeaders.map(HTTPHeader.omitting))
    }

    /// Names given as `Name:` and not set by another `-H`.
    var removedHeaders: [String] {
        let given = headers.compactMap(HeaderArgument.init)
        let set = HTTPHeaders(
            given.compactMap { argument in argument.value.map { HTTPHeader(name: argument.name, value: $0) } })
        return given.filter { $0.value == nil && !set.contains(name: $0.name) }.map(\.name)
    }
}
