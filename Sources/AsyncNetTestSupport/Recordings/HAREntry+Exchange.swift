import AsyncNet
import AsyncNetMonitors
import Foundation

extension HAREntry {
    /// - Parameter exchange: Redacted by `RecordingFormat.written`.
    init(_ exchange: RecordedExchange, _ bodies: inout BodyFiles) {
        var timings = HARTimings(wait: exchange.latency.wholeMilliseconds)
        timings.receive = exchange.response?.chunks.reduce(0) { $0 + $1.delay.wholeMilliseconds } ?? 0
        let version = exchange.response?.httpVersion ?? "unknown"
        let response: HARResponse
        switch exchange.outcome {
        case .response(let recorded): response = HARResponse(recorded, version, &bodies)
        case .failure:
            response = HARResponse(
                status: 0, statusText: "", httpVersion: version, content: HARContent(size: 0, mimeType: "x-unknown"))
        }
        self.init(
            startedDateTime: Self.begin, request: HARRequest(exchange.request, version, &bodies), response: response,
            timings: timings)
        error = exchange.failure.map { "\($0.code.rawValue): \($0.message)" }
    }

    /// All entries have this same time, so that files do not differ by the time of the recording.
    private static let begin = "1970-01-01T00:00:00.000Z"
}

extension RecordedExchange {
    /// The failure before the head or of the body.
    fileprivate var failure: Failure? {
        switch outcome {
        case .failure(let failure): failure
        case .response(let response): response.failure
        }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Double { (self / .milliseconds(1)).rounded() }
}

extension HARRequest {
    fileprivate init(_ request: RecordedExchange.Request, _ version: String, _ bodies: inout BodyFiles) {
        self.init(method: request.method.rawValue, url: request.url.absoluteString, httpVersion: version)
        headers = request.headers.map { HARPair(name: $0.name, value: $0.value) }
        cookies = request.headers.values(for: "Cookie").flatMap(HARCookie.cookies)
        queryString = request.url.query(percentEncoded: true).map(HARPair.items) ?? []
        bodySize = request.body.count
        guard !request.body.isEmpty || request.isBodyTruncated else { return }
        postData = HARPostData(request, &bodies)
    }
}

extension HARPostData {
    fileprivate init(_ request: RecordedExchange.Request, _ bodies: inout BodyFiles) {
        let type = request.headers["Content-Type"]
        self.init(mimeType: type ?? "x-unknown")
        let body = HARBodyText(request.body, type, request.isBodyTruncated, &bodies)
        (text, encoding, file, readable) = (body.text ?? "", body.encoding, body.file, body.readable)
        params = HARParameter.fields(of: request.body, contentType: type)
        isTruncated = request.isBodyTruncated ? true : nil
        comment = body.comment
    }
}

extension HARResponse {
    fileprivate init(_ response: RecordedExchange.Response, _ version: String, _ bodies: inout BodyFiles) {
        self.init(
            status: response.statusCode, statusText: response.reason ?? "", httpVersion: version,
            content: HARContent(response, &bodies))
        headers = response.headers.map { HARPair(name: $0.name, value: $0.value) }
        cookies = response.headers.values(for: "Set-Cookie").compactMap(HARCookie.init(setCookie:))
        redirectURL = response.headers["Location"] ?? ""
        let interim = response.informational.map { interim in
            HARInterimResponse(
                status: interim.statusCode, headers: interim.headers.map { HARPair(name: $0.name, value: $0.value) })
        }
        let trailers = response.trailers.map { HARPair(name: $0.name, value: $0.value) }
        informational = interim.isEmpty ? nil : interim
        self.trailers = trailers.isEmpty ? nil : trailers
        let pieces = response.chunks.map { chunk in
            HARChunk(size: chunk.data.count, delay: chunk.delay == .zero ? nil : chunk.delay.wholeMilliseconds)
        }
        chunks = pieces.count > 1 || pieces.first?.delay != nil ? pieces : nil
    }
}

extension HARContent {
    fileprivate init(_ response: RecordedExchange.Response, _ bodies: inout BodyFiles) {
        let (data, type) = (response.body, response.headers["Content-Type"])
        self.init(size: data.count, mimeType: type ?? "x-unknown")
        isTruncated = response.isBodyTruncated ? true : nil
        guard !data.isEmpty else { return }
        let body = HARBodyText(data, type, response.isBodyTruncated, &bodies)
        (text, encoding, file, readable, comment) = (body.text, body.encoding, body.file, body.readable, body.comment)
    }
}

/// How a body is written: as text, in Base64, or in a file beside.
private struct HARBodyText {
    var text: String?
    var encoding: String?
    var file: String?
    var readable: HARReadable?
    var comment: String?

    init(_ body: Data, _ type: String?, _ isTruncated: Bool, _ bodies: inout BodyFiles) {
        // A body that was cut within a character is not text: its bytes are kept as they are.
        let (text, encoding) = HARText.body(body, isTruncated: false)
        if isTruncated { comment = "The recording has only the first \(body.count) bytes" }
        if encoding != nil, body.count > bodies.largestInline {
            file = bodies.add(body, contentType: type)
            comment = comment ?? "The body is a file in the folder beside this file"
        } else {
            (self.text, self.encoding) = (text, encoding)
            readable = encoding == nil ? HARReadable(text) : nil
        }
    }
}
