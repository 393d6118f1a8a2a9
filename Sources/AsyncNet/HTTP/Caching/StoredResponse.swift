import Foundation

/// The head of a response in a cache, with what is needed to decide about its use; without its URL, whose fragment
/// other requests must not get.
struct StoredResponse: Sendable, Hashable {
    var statusCode: Int
    var httpVersion: String?
    var reasonPhrase: String?
    var headers: HTTPHeaders
    /// When the request was sent and the response arrived, by the wall clock.
    var requested: Date
    var received: Date
    var variant: CacheVariant
    /// Whether the stored body has no content coding any more; see ``TransportResponse/isContentDecoded``.
    var isContentDecoded: Bool
}

extension StoredResponse {
    init(
        _ head: HTTPResponseHead, headers: HTTPHeaders, variant: CacheVariant, isContentDecoded: Bool, requested: Date,
        received: Date
    ) {
        self.init(
            statusCode: head.statusCode, httpVersion: head.httpVersion, reasonPhrase: head.reasonPhrase,
            headers: Self.storable(headers), requested: requested, received: received, variant: variant,
            isContentDecoded: isContentDecoded)
        if !self.headers.contains(name: "Date") { setDate() }
    }

    /// A response without a `Date` gets the time at which it was received (RFC 9110 §6.6.1), rounded up, so that its
    /// age begins at zero.
    private mutating func setDate() {
        let date = Date(timeIntervalSince1970: received.timeIntervalSince1970.rounded(.up))
        headers.update(HTTPHeader(name: "Date", value: HTTPDate(date).description))
    }

    /// The head for a request of this URL at this time, with the age of the response (RFC 9111 §5.1).
    func head(for url: URL, at now: Date) -> HTTPResponseHead {
        var headers = headers
        headers.update(HTTPHeader(name: "Age", value: "\(Freshness(self, at: now).wholeAge)"))
        return HTTPResponseHead(
            statusCode: statusCode, url: url, headers: headers, httpVersion: httpVersion, reasonPhrase: reasonPhrase)
    }

    /// The headers of a response without those of the connection that it came over (RFC 9111 §3.1).
    private static func storable(_ headers: HTTPHeaders) -> HTTPHeaders {
        let named = headers.values(for: "Connection").flatMap { $0.split(separator: ",") }
            .map { String($0).trimmedHTTPSpace }
        let dropped = Set((named + ofConnection).map { $0.lowercased() })
        return HTTPHeaders(headers.filter { !dropped.contains($0.name.lowercased()) })
    }

    private static let ofConnection = [
        "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authentication-Info",
        "Proxy-Authorization", "TE", "Transfer-Encoding", "Upgrade", "Trailer",
    ]

    /// The conditions by which the server confirms this response (RFC 9111 §4.3.1); empty without a validator.
    var conditions: [HTTPHeader] {
        [("If-None-Match", headers["ETag"]), ("If-Modified-Since", headers["Last-Modified"])].compactMap {
            name, value in
            value.map { HTTPHeader(name: name, value: $0) }
        }
    }

    /// Whether a 304 response confirms this response, and not another version (RFC 9111 §4.3.4).
    func isConfirmed(by head: HTTPResponseHead) -> Bool {
        guard let tag = head.values(of: .entityTag).only.flatMap(EntityTag.init) else { return true }
        return headers["ETag"].flatMap(EntityTag.init)?.isSameVersion(as: tag) ?? false
    }

    /// This response with the headers of the 304 response that confirms it (RFC 9111 §3.2).
    func confirmed(by head: HTTPResponseHead, requested: Date, received: Date) -> StoredResponse {
        var copy = self
        let new = Self.storable(head.headers).filter { !Self.ofBody.contains($0.name.lowercased()) }
        for name in Set(new.map { $0.name.lowercased() }) { copy.headers.remove(name) }
        // A 304 response without an Age has just been made.
        copy.headers.remove("Age")
        for header in new { copy.headers.add(header) }
        (copy.requested, copy.received) = (requested, received)
        if !head.headers.contains(name: "Date") { copy.setDate() }
        return copy
    }

    /// What describes the stored body, which a 304 response does not replace.
    private static let ofBody: Set<String> = [
        "content-encoding", "content-length", "content-range", "content-type", "content-md5", "content-digest",
        "repr-digest",
    ]
}
