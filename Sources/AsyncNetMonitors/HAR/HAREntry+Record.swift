import AsyncNet
import Foundation

extension HAREntry {
    /// The entry of a hop, without what the rule redacts; `nil` redacts nothing.
    init(_ record: HARExchange, _ redaction: RedactionRule?) {
        let writer = HARWriter(record: record, redaction: redaction, bodies: HARBodies(record, redaction))
        let blocked = (record.blockedBefore ?? .zero) / .seconds(1)
        self.init(
            startedDateTime: HARText.time(record.date.addingTimeInterval(-blocked)),
            request: writer.request, response: writer.response, timings: HARTimings(record))
        serverIPAddress = record.connection?.remoteAddress ?? record.metrics.remoteAddress
        connection = record.connection?.remotePort.map(String.init)
        requestID = String(record.requestID.description.drop { $0 == "#" })
        (attempt, hop) = (record.attempt, record.hop)
        error = record.error.map { "\($0.code.rawValue): \(redaction?.text(withURLs: $0.message) ?? $0.message)" }
        isConnectionReused = record.connection?.isReused ?? record.metrics.isConnectionReused
    }
}

/// Writes the parts of an entry.
struct HARWriter {
    let record: HARExchange
    let redaction: RedactionRule?
    let bodies: HARBodies

    private var method: String { record.head.method.rawValue }

    var request: HARRequest {
        let headers = record.sentHead?.headers ?? record.head.headers
        var reference = URLReference(redaction?.text(ofURL: record.head.urlText) ?? record.head.urlText)
        reference.fragment = nil
        var request = HARRequest(method: method, url: reference.text, httpVersion: sentVersion ?? version)
        request.headers = pairs(headers)
        request.cookies = headers.values(for: "Cookie").flatMap {
            HARCookie.cookies(inHeader: redaction?.cookies($0) ?? $0)
        }
        request.queryString = reference.query.map(HARPair.items) ?? []
        request.headersSize = record.metrics.wireBytes.map { Int($0.sentHead) } ?? -1
        request.bodySize = sentBodySize
        request.postData = bodies.postData(record, headers)
        return request
    }

    var response: HARResponse {
        guard let head = record.response else {
            return HARResponse(
                status: 0, statusText: "", httpVersion: version, content: HARContent(size: 0, mimeType: "x-unknown"))
        }
        let headers = head.headers
        var response = HARResponse(
            status: head.statusCode, statusText: head.reasonPhrase ?? "", httpVersion: head.httpVersion ?? version,
            content: bodies.content(record, headers))
        response.headers = pairs(headers)
        response.cookies = head.separateHeaders.values(for: "Set-Cookie").compactMap {
            HARCookie(setCookie: redaction?.setCookie($0) ?? $0)
        }
        response.redirectURL = headers["Location"].map { value(HTTPHeader(name: "Location", value: $0)) } ?? ""
        response.headersSize = record.metrics.wireBytes.map { Int($0.receivedHead) } ?? -1
        response.bodySize = record.metrics.wireBytes.map { Int($0.receivedBody) } ?? -1
        return response
    }

    private var version: String {
        record.connection?.httpVersion ?? record.metrics.httpVersion ?? record.response?.httpVersion ?? "unknown"
    }

    /// The version in the request line.
    private var sentVersion: String? {
        record.sentHead?.requestLine.split(separator: " ").last.map(String.init).flatMap {
            $0.hasPrefix("HTTP/") ? $0 : nil
        }
    }

    private var sentBodySize: Int {
        if let bytes = record.metrics.wireBytes?.sentBody ?? record.sentBytes { return Int(bytes) }
        return record.head.headers["Content-Length"].flatMap(Int.init) ?? -1
    }

    // MARK: Headers

    private func value(_ header: HTTPHeader) -> String { redaction?.value(of: header) ?? header.value }

    private func pairs(_ headers: HTTPHeaders) -> [HARPair] {
        headers.filter { !$0.isOmission }.map { HARPair(name: $0.name, value: value($0)) }
    }
}
