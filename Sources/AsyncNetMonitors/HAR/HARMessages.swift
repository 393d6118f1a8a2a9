package struct HARRequest: Codable, Sendable {
    package var method: String
    /// The absolute URL, without a fragment.
    package var url: String
    package var httpVersion: String
    package var cookies: [HARCookie] = []
    package var headers: [HARPair] = []
    package var queryString: [HARPair] = []
    package var postData: HARPostData?
    /// In bytes on the wire, like `bodySize`; -1 if unknown.
    package var headersSize = -1
    package var bodySize = -1

    package init(method: String, url: String, httpVersion: String) {
        (self.method, self.url, self.httpVersion) = (method, url, httpVersion)
    }
}

package struct HARResponse: Codable, Sendable {
    /// The status; 0 without a response.
    package var status: Int
    package var statusText: String
    package var httpVersion: String
    package var cookies: [HARCookie] = []
    package var headers: [HARPair] = []
    package var content: HARContent
    /// The value of `Location`; empty without that header.
    package var redirectURL = ""
    /// In bytes on the wire, like `bodySize`; -1 if unknown.
    package var headersSize = -1
    package var bodySize = -1
    /// The interim responses before this response.
    package var informational: [HARInterimResponse]?
    /// The pieces of the body; `nil` for a body that arrived in one piece without a delay.
    package var chunks: [HARChunk]?
    package var trailers: [HARPair]?

    package enum CodingKeys: String, CodingKey {
        case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
        case informational = "_informational"
        case chunks = "_chunks"
        case trailers = "_trailers"
    }

    package init(status: Int, statusText: String, httpVersion: String, content: HARContent) {
        (self.status, self.statusText, self.httpVersion) = (status, statusText, httpVersion)
        self.content = content
    }
}

/// An interim response (RFC 9110 §15.2).
package struct HARInterimResponse: Codable, Sendable, Hashable {
    package var status: Int
    package var headers: [HARPair]

    package init(status: Int, headers: [HARPair]) { (self.status, self.headers) = (status, headers) }
}

/// A piece of a body.
package struct HARChunk: Codable, Sendable, Hashable {
    /// The number of bytes, after decoding.
    package var size: Int
    /// The milliseconds since the chunk before; of the first chunk, since the head.
    package var delay: Double?

    package init(size: Int, delay: Double? = nil) { (self.size, self.delay) = (size, delay) }
}

/// A header, or an item of a query.
package struct HARPair: Codable, Sendable, Hashable {
    package var name: String
    package var value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
}

package struct HARCookie: Codable, Sendable, Hashable {
    package var name: String
    package var value: String
    package var path: String?
    package var domain: String?
    /// The cookie's expiry in ISO 8601.
    package var expires: String?
    package var httpOnly: Bool?
    package var secure: Bool?

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
}

package struct HARPostData: Codable, Sendable, Hashable {
    package var mimeType: String
    package var params: [HARParameter]?
    package var text: String?
    package var comment: String?
    /// `base64` if `text` is encoded; HAR itself has no encoding for bodies of requests.
    package var encoding: String?
    /// Whether the body was longer than what is recorded.
    package var isTruncated: Bool?
    /// The name of a file with the body, in a folder beside the HAR file.
    package var file: String?
    package var readable: HARReadable?

    package enum CodingKeys: String, CodingKey {
        case mimeType, params, text, comment
        case encoding = "_encoding"
        case isTruncated = "_truncated"
        case file = "_file"
        case readable = "_readable"
    }

    package init(mimeType: String) { self.mimeType = mimeType }
}

/// A field or a file of a form.
package struct HARParameter: Codable, Sendable, Hashable {
    package var name: String
    package var value: String?
    package var fileName: String?
    package var contentType: String?

    package init(name: String, value: String? = nil) { (self.name, self.value) = (name, value) }
}

package struct HARContent: Codable, Sendable, Hashable {
    /// The length of the decoded body in bytes.
    package var size: Int
    /// How many bytes the content coding saved.
    package var compression: Int?
    package var mimeType: String
    package var text: String?
    /// `base64` if `text` is encoded.
    package var encoding: String?
    package var comment: String?
    /// Whether the body was longer than what is recorded.
    package var isTruncated: Bool?
    /// The name of a file with the body, in a folder beside the HAR file.
    package var file: String?
    package var readable: HARReadable?

    package enum CodingKeys: String, CodingKey {
        case size, compression, mimeType, text, encoding, comment
        case isTruncated = "_truncated"
        case file = "_file"
        case readable = "_readable"
    }

    package init(size: Int, mimeType: String) { (self.size, self.mimeType) = (size, mimeType) }
}
