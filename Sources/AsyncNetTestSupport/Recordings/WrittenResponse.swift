import AsyncNet
import AsyncNetMonitors
import Foundation

/// Brings responses into the form that a file has: redacted, and without what differs each time.
struct WrittenResponse {
    let format: RecordingFormat
    let secrets: KnownSecrets
    let method: HTTPMethod

    private var text: WrittenText { WrittenText(format: format, secrets: secrets) }

    func written(_ response: RecordedExchange.Response) -> RecordedExchange.Response {
        var written = response
        let body = response.body
        let type = response.headers["Content-Type"]
        written.chunks = WrittenTimes(step: format.timeStep).written(response) { [text] in text.body($0, type) }
        written.headers = headers(response, from: body, to: written.body)
        written.trailers = kept(response.trailers)
        written.informational = response.informational.map { .init($0.statusCode, headers: kept($0.headers)) }
        written.failure = response.failure.map { format.written($0, secrets) }
        format.changeResponse?(&written)
        return written
    }

    private func kept(_ headers: HTTPHeaders) -> HTTPHeaders {
        let omitted = Set(format.omittedResponseHeaders.map { $0.lowercased() })
        return text.headers(headers.filter { !omitted.contains($0.name.lowercased()) })
    }

    private func headers(_ response: RecordedExchange.Response, from old: Data, to new: Data) -> HTTPHeaders {
        var headers = response.headers
        dropExpiry(&headers)
        if old != new {
            for name in ["Content-MD5", "Content-Digest", "Repr-Digest", "Digest"] { headers.remove(name) }
            if headers["Content-Length"] == String(old.count), method != .head {
                headers["Content-Length"] = String(new.count)
            }
        }
        return kept(headers)
    }

    // MARK: Times in headers

    /// Removes each `Expires`, of the response or a cookie, that is later than the response.
    private func dropExpiry(_ headers: inout HTTPHeaders) {
        let now = headers.first { $0.hasName("Date") }?.date ?? Date()
        headers = HTTPHeaders(
            headers.compactMap { header in
                if header.hasName("Expires") { return (header.date ?? now) > now ? nil : header }
                guard let expires = header.cookieExpiry, expires > now else { return header }
                return HTTPHeader(name: header.name, value: Self.withoutExpires(header.value))
            })
    }

    private static func withoutExpires(_ cookie: String) -> String {
        let parts = cookie.split(separator: ";", omittingEmptySubsequences: false)
        let kept = parts.enumerated().filter { index, part in
            index == 0 || !part.drop { $0 == " " }.lowercased().hasPrefix("expires=")
        }
        return kept.map(\.element).joined(separator: ";")
    }
}
