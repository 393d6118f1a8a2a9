import AsyncNet
import Foundation

/// The requests that the options and arguments describe.
extension RequestOptions {
    /// One request for each URL, all else alike. What -d and --json name is read here, once; what -F and -T name, while
    /// it is sent.
    func calls(_ positionals: Positionals, cookies: [String], outputs: [OutputArgument?]) throws(ExitError) -> [Call] {
        let body = try body(positionals)
        if body.replay == .once, positionals.urls.count > 1 {
            throw ExitError(ExitStatus.usage, "Standard input, or a pipe, can be sent to one URL only.")
        }
        let given = try given(positionals)
        let headers = try requestHeaders(given, positionals, cookies)
        let query = try queries(positionals)
        return zip(positionals.urls, outputs).enumerated().map { index, pair in
            Call(
                number: index, text: URLText.complete(named(pair.0), query: query), method: usedMethod(positionals),
                headers: headers, body: body, credential: basic ? nil : credential, output: pair.1,
                isRanged: range != nil, isFile: uploadFile != nil)
        }
    }

    private var credential: PasswordCredential? {
        guard let user, let colon = user.firstIndex(of: ":") else { return nil }
        return PasswordCredential(username: String(user[..<colon]), password: String(user[user.index(after: colon)...]))
    }

    // MARK: Body

    private func body(_ positionals: Positionals) throws(ExitError) -> RequestBody {
        if let fields = positionals.json {
            guard bodies.isEmpty else {
                throw ExitError(ExitStatus.usage, "\(bodies[0]) and name=value exclude each other.")
            }
            return .data(fields)
        }
        if let uploadFile { return try Input.upload(uploadFile) }
        if !data.isEmpty, !get { return .data(try DataArgument.joined(data)) }
        if !json.isEmpty { return .data(try Input.read(json, joinedBy: "")) }
        return try form.isEmpty ? .none : multipart()
    }

    private func multipart() throws(ExitError) -> RequestBody {
        try .multipart { form throws(ExitError) in
            for argument in self.form.compactMap(FormArgument.init) { try argument.append(to: &form) }
        }
    }

    private func usedMethod(_ positionals: Positionals) -> HTTPMethod {
        if let method { return HTTPMethod(rawValue: method) }
        if head { return .head }
        if uploadFile != nil { return .put }
        return !get && !bodies.isEmpty || positionals.json != nil ? .post : .get
    }

    // MARK: URL

    /// A folder's URL is completed by the name of the file that goes into it, as curl does.
    private func named(_ url: String) -> String {
        guard let uploadFile, uploadFile != "-" else { return url }
        return URLText.appending(fileName: URL(file: uploadFile).lastPathComponent, to: url)
    }

    private func queries(_ positionals: Positionals) throws(ExitError) -> [String] {
        var texts = query.map(URLText.encodedPair) + positionals.queries.map { URLText.encodedPair("\($0.0)=\($0.1)") }
        if get { texts.append(String(decoding: try DataArgument.joined(data), as: UTF8.self)) }
        for text in urlQuery {
            let argument = DataArgument(argument: DataArgument.mark("data-urlencode") + text)
            texts.append(
                text.hasPrefix("+") ? String(text.dropFirst()) : String(decoding: try argument.data(), as: UTF8.self))
        }
        return texts.filter { !$0.isEmpty }
    }

    // MARK: Headers

    /// The arguments of -H with the lines of files among them, and httpie's.
    private func given(_ positionals: Positionals) throws(ExitError) -> [HeaderArgument] {
        var lines: [String] = []
        for header in headers {
            guard header.hasPrefix("@") else {
                lines.append(header)
                continue
            }
            lines += String(decoding: try Input.read(header), as: UTF8.self).split(whereSeparator: \.isNewline)
                .map(String.init)
        }
        return (lines + positionals.headers).compactMap(HeaderArgument.init)
    }

    /// What the options imply comes first, so that `-H` can replace or remove it.
    private func requestHeaders(
        _ given: [HeaderArgument], _ positionals: Positionals, _ cookies: [String]
    ) throws(ExitError) -> HTTPHeaders {
        var headers = implied(positionals)
        if !cookies.isEmpty { headers.update(HTTPHeader(name: "Cookie", value: cookies.joined(separator: ";"))) }
        if let etagCompare { headers.update(HTTPHeader(name: "If-None-Match", value: try Input.etag(etagCompare))) }
        for argument in given { headers.remove(argument.name) }
        for argument in given { argument.value.map { headers.add(name: argument.name, value: $0) } }
        return HTTPHeaders(headers + Self.removed(given).map(HTTPHeader.omitting))
    }

    private func implied(_ positionals: Positionals) -> HTTPHeaders {
        var headers = HTTPHeaders()
        if basic, let user {
            headers.update(name: "Authorization", value: "Basic \(Data(user.utf8).base64EncodedString())")
        }
        if let bearer { headers.update(.authorization(bearerToken: bearer)) }
        if let userAgent { headers.update(userAgent.isEmpty ? .omitting("User-Agent") : .userAgent(userAgent)) }
        if let referer, !referer.isEmpty { headers.update(name: "Referer", value: referer) }
        // Downloads ask for no content coding otherwise; a part of a coded body could not be decoded.
        if compressed, range == nil { headers.update(.acceptEncoding("gzip, deflate")) }
        if let range { headers.update(name: "Range", value: "bytes=\(range)\(range.contains("-") ? "" : "-")") }
        if !data.isEmpty, !get { headers.update(.contentType("application/x-www-form-urlencoded")) }
        if !json.isEmpty || positionals.json != nil {
            headers = HTTPHeaders(headers + [.contentType("application/json"), .accept("application/json")])
        }
        return headers
    }

    /// Names given as `Name:` and not set by another `-H`.
    private static func removed(_ given: [HeaderArgument]) -> [String] {
        let set = HTTPHeaders(
            given.compactMap { argument in argument.value.map { HTTPHeader(name: argument.name, value: $0) } })
        return given.filter { $0.value == nil && !set.contains(name: $0.name) }.map(\.name)
    }

    /// The session's headers that must not be sent.
    func removedHeaders(_ positionals: Positionals) throws(ExitError) -> [String] {
        Self.removed(try given(positionals))
    }
}
