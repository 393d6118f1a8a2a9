import ArgumentParser
import AsyncNet
import Foundation

/// What is sent.
struct RequestOptions: ParsableArguments {
    @Option(name: [.customShort("X", allowingJoined: true), .customLong("request")], parsing: .unconditional,
        help: ArgumentHelp("GET by default, POST with a body.", valueName: "METHOD"))
    var method: String?

    @Option(name: [.customShort("H", allowingJoined: true), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Repeatable. 'Name;' sends it empty, 'Name:' removes a default.", valueName: "Name: value"))
    var headers: [String] = []

    @Option(name: [.customShort("d", allowingJoined: true), .customLong("data")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Body, byte for byte; a form unless -H says otherwise. Several are joined by &.", valueName: "TEXT|@FILE|@-"))
    var data: [String] = []

    @Option(parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Body, with Content-Type and Accept: application/json.", valueName: "TEXT|@FILE|@-"))
    var json: [String] = []

    @Option(parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Repeatable; percent-encoded and added to the URL.", valueName: "NAME=VALUE"))
    var query: [String] = []

    @Option(parsing: .unconditional, help: ArgumentHelp("Sends Authorization: Bearer.", valueName: "TOKEN"))
    var bearer: String?

    @Flag(name: [.customShort("I"), .customLong("head")], help: "HEAD; prints the response's head.")
    var head = false

    func validate() throws {
        if headers.contains(where: { HeaderArgument($0) == nil }) {
            throw ValidationError("-H needs 'Name: value', 'Name;' or 'Name:'")
        }
        if query.contains(where: { !$0.contains("=") }) { throw ValidationError("--query needs NAME=VALUE") }
        if !data.isEmpty, !json.isEmpty { throw ValidationError("--data and --json exclude each other") }
        if head, hasBody { throw ValidationError("--head cannot send a body") }
    }

    private var hasBody: Bool { !data.isEmpty || !json.isEmpty }

    /// The requests to make: one a URL, all else alike. Files and standard input are read here, once.
    func calls(to urls: [String]) throws(ExitError) -> [Call] {
        let body = try body()
        let headers = requestHeaders
        return urls.map { Call(text: URLText.complete($0, query: query), method: usedMethod, headers: headers, body: body) }
    }

    private func body() throws(ExitError) -> Data? {
        guard hasBody else { return nil }
        return try json.isEmpty ? Input.read(data, joinedBy: "&") : Input.read(json, joinedBy: "")
    }

    private var usedMethod: HTTPMethod {
        HTTPMethod(rawValue: method ?? (head ? "HEAD" : hasBody ? "POST" : "GET"))
    }

    /// What the options imply comes first, so that `-H` can replace or remove it.
    private var requestHeaders: HTTPHeaders {
        var headers = HTTPHeaders()
        if let bearer { headers.set(.authorization(bearerToken: bearer)) }
        if !data.isEmpty { headers.set(.contentType("application/x-www-form-urlencoded")) }
        if !json.isEmpty { headers = HTTPHeaders(headers + [.contentType("application/json"), .accept("application/json")]) }
        let given = self.headers.compactMap(HeaderArgument.init)
        for argument in given { headers.remove(argument.name) }
        for argument in given { argument.value.map { headers.add(name: argument.name, value: $0) } }
        return HTTPHeaders(headers + removedHeaders.map(HTTPHeader.omitting))
    }

    /// Names given as `Name:` and not set by another `-H`.
    var removedHeaders: [String] {
        let given = headers.compactMap(HeaderArgument.init)
        let set = HTTPHeaders(given.compactMap { argument in argument.value.map { HTTPHeader(name: argument.name, value: $0) } })
        return given.filter { $0.value == nil && !set.contains(name: $0.name) }.map(\.name)
    }
}
