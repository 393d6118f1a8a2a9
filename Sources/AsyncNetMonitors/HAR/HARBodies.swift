import AsyncNet
import Foundation

/// Writes the bodies of an entry: as text if they are UTF-8, otherwise in Base64, so that their bytes can be restored.
struct HARBodies {
    let redaction: RedactionRule?
    /// Secrets of the exchange's heads, which a body may repeat; `nil` if nothing is redacted.
    private let secrets: KnownSecrets?

    init(_ record: HARExchange, _ redaction: RedactionRule?) {
        self.redaction = redaction
        let sent = Array(record.sentHead?.headers ?? record.head.headers)
        let headers = sent + Array(record.response?.separateHeaders ?? [:])
        secrets = redaction.map { KnownSecrets(record.head.url, headers, $0) }
    }

    // MARK: Responses

    func content(_ record: HARExchange, _ headers: HTTPHeaders) -> HARContent {
        let type = headers["Content-Type"]
        let body = record.responseBody
        let size = max(Int(record.receivedBytes ?? 0), body.count)
        var content = HARContent(size: size, mimeType: type ?? "x-unknown")
        if headers.contains(name: "Content-Encoding"), let wire = record.metrics.wireBytes, size > 0 {
            content.compression = size - Int(wire.receivedBody)
        }
        guard body.count > 0 else {
            if size > 0 { content.comment = "The body was not recorded" }
            return content
        }
        let isTruncated = size > body.count
        (content.text, content.encoding) = HARText.body(redacted(body.data, type), isTruncated: isTruncated)
        if isTruncated {
            (content.isTruncated, content.comment) = (true, "The first \(body.count) of \(size) bytes")
        }
        return content
    }

    // MARK: Requests

    /// - Returns: `nil` if the request has no body.
    func postData(_ record: HARExchange, _ headers: HTTPHeaders) -> HARPostData? {
        let length = max(Int(record.metrics.wireBytes?.sentBody ?? 0), Int(record.sentBytes ?? 0))
        let size = max(length, headers["Content-Length"].flatMap(Int.init) ?? 0)
        let (body, type) = (record.requestBody, headers["Content-Type"])
        guard body.count > 0 || size > 0 else { return nil }
        var data = HARPostData(mimeType: type ?? "x-unknown")
        guard body.count > 0 else {
            data.comment = "The body was not recorded"
            return data
        }
        // Secrets in a compressed body cannot be found.
        if redaction != nil, headers.contains(name: "Content-Encoding") {
            data.comment = "The body is compressed, and was not recorded"
            return data
        }
        write(body, isTruncated: size > body.count, of: size, type, in: &data)
        return data
    }

    private func write(
        _ body: BodyRecord, isTruncated: Bool, of size: Int, _ type: String?, in data: inout HARPostData
    ) {
        let bytes = redacted(body.data, type)
        (data.text, data.encoding) = HARText.body(bytes, isTruncated: isTruncated)
        data.params = HARParameter.fields(of: bytes, contentType: type)
        if isTruncated { (data.isTruncated, data.comment) = (true, "The first \(body.count) of \(size) bytes") }
    }

    // MARK: Bytes

    private func redacted(_ data: Data, _ type: String?) -> Data {
        guard let redaction, let secrets else { return data }
        return Data(secrets.redacted(Array(redaction.body(data, contentType: type))))
    }
}
