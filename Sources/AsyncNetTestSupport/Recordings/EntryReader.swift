import AsyncNet
import Foundation

/// Makes an exchange from an entry of a HAR file.
struct EntryReader {
    private let entry: HARField
    private let bodies: HARBodyReader

    /// - Parameters:
    ///   - isOwn: Whether this library has written the file.
    ///   - folder: The folder of the bodies that are not in the file.
    init(_ entry: HARField, isOwn: Bool, folder: URL) {
        (self.entry, bodies) = (entry, HARBodyReader(isOwn: isOwn, folder: folder, entry: entry.path))
    }

    /// - Returns: `nil` for what is not HTTP, such as a WebSocket or a `data` URL.
    func exchange() throws(AsyncNetError) -> RecordedExchange? {
        let request = entry.object("request")
        let url = try url(request)
        guard ["http", "https"].contains(url.scheme?.lowercased()) else { return nil }
        let response = entry.object("response")
        let status = try response.integer("status")
        let outcome: RecordedExchange.Outcome =
            status < 100
            ? .failure(failure ?? .init(.transportFailed)) : .response(try self.response(response, status, request))
        return RecordedExchange(try self.request(request, url), outcome, latency: latency)
    }

    // MARK: The request

    private func url(_ request: HARField) throws(AsyncNetError) -> URL {
        let text = try request.string("url").prefix { $0 != "#" }
        guard let url = try? String(text).asURL() else { throw request.fault("url", "a URL") }
        return url
    }

    private func request(_ field: HARField, _ url: URL) throws(AsyncNetError) -> RecordedExchange.Request {
        var request = RecordedExchange.Request(
            method: HTTPMethod(rawValue: try field.string("method")), url: url, headers: try field.headers("headers"))
        let data = field.object("postData")
        guard data.json.object != nil else { return request }
        let body = try bodies.sent(data)
        (request.body, request.isBodyTruncated) = (body ?? Data(), body == nil || data.json["_truncated"].bool == true)
        return request
    }

    // MARK: The response

    private func response(
        _ field: HARField, _ status: Int, _ request: HARField
    ) throws(AsyncNetError) -> RecordedExchange.Response {
        let method = HTTPMethod(rawValue: try request.string("method"))
        let content = field.object("content")
        let isBodyless = method == .head || 100..<200 ~= status || status == 204 || status == 304
        let body = isBodyless ? .whole(Data()) : try bodies.received(content)
        var response = RecordedExchange.Response(status, headers: try headers(field, isBodyless))
        response.chunks = try pieces(of: body.data, field)
        response.reason = field.json["statusText"].string.flatMap { $0.isEmpty ? nil : $0 }
        guard response.reason.map(HARField.hasControl) != true else {
            throw field.fault("statusText", "a text without control characters")
        }
        response.httpVersion = field.json["httpVersion"].string.flatMap(Self.version)
        response.trailers = try field.headers("_trailers")
        response.informational = try informational(field)
        (response.isBodyTruncated, response.failure) = (body.isTruncated, body.failure ?? bodyFailure)
        return response
    }

    /// The headers that are true of the decoded body.
    private func headers(_ response: HARField, _ isBodyless: Bool) throws(AsyncNetError) -> HTTPHeaders {
        var headers = try response.headers("headers")
        guard headers.contains(name: "Content-Encoding"), !isBodyless else { return headers }
        headers.remove("Content-Encoding")
        headers.remove("Content-Length")
        return headers
    }

    private func informational(_ response: HARField) throws(AsyncNetError) -> [RecordedExchange.Informational] {
        guard let interim = response.json["_informational"].array else { return [] }
        var all: [RecordedExchange.Informational] = []
        for one in interim {
            let field = HARField(json: one, path: "\(response.path), _informational")
            all.append(.init(try field.integer("status"), headers: try field.headers("headers")))
        }
        return all
    }

    /// The version as in a status line; browsers write `http/2.0` and `h2`.
    private static func version(_ text: String) -> String? {
        switch text.lowercased() {
        case "", "unknown": nil
        case "h2", "http/2", "http/2.0": "HTTP/2"
        case "h3", "http/3", "http/3.0": "HTTP/3"
        default: text.uppercased()
        }
    }

    // MARK: Pieces and times

    /// The body's pieces. If the body was edited by hand, the sizes of the pieces need not add up to its size.
    private func pieces(of body: Data, _ response: HARField) throws(AsyncNetError) -> [RecordedExchange.Chunk] {
        guard !body.isEmpty else { return [] }
        guard let recorded = response.json["_chunks"].array else {
            return [.init(body, delay: milliseconds(["receive"]))]
        }
        var (chunks, rest): ([RecordedExchange.Chunk], Data) = ([], body)
        for one in recorded where !rest.isEmpty {
            let size = try HARField(json: one, path: "\(response.path), _chunks").integer("size")
            guard size > 0 else { continue }
            let delay = Duration.milliseconds(one["delay"].double.map { min(max(0, $0), 1e9) } ?? 0)
            chunks.append(.init(Data(rest.prefix(size)), delay: delay))
            rest = rest.dropFirst(size)
        }
        if !rest.isEmpty { chunks.append(.init(Data(rest))) }
        return chunks
    }

    private var latency: Duration { milliseconds(["blocked", "dns", "connect", "send", "wait"]) }

    /// The sum of timings, without those of -1, which do not apply.
    private func milliseconds(_ names: [String]) -> Duration {
        let timings = entry.json["timings"]
        let sum = names.compactMap { timings[$0].double }.filter { $0 > 0 && $0 < 1e9 }.reduce(0, +)
        return .milliseconds(sum)
    }

    // MARK: Failures

    /// The text of `_error`: this library writes `code: message`, a browser `net::ERR_CONNECTION_REFUSED`.
    private var failure: RecordedExchange.Failure? {
        let texts = [entry.json["_error"].string, entry.json["response"]["_error"].string].compactMap(\.self)
        return texts.first { !$0.isEmpty }.map(FailureText.failure)
    }

    /// The failure, if it can end a body. Another failure is that of the whole request, whose response is complete.
    private var bodyFailure: RecordedExchange.Failure? {
        failure.flatMap { FailureText.codesOfBodies.contains($0.code) ? $0 : nil }
    }
}
