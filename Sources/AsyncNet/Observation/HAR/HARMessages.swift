package struct HARRequest: Codable, Sendable {
    package var method: String
    /// Absolute, without a fragment.
    package var url: String
    package var httpVersion: String
    package var cookies: [HARCookie] = []
    package var headers: [HARPair] = []
    package var queryString: [HARPair] = []
    package var postData: HARPostData?
    /// In bytes on the wire; -1 if unknown, as `bodySize`.
    package var headersSize = -1
    package var bodySize = -1

    package init(method: String, url: String, httpVersion: String) {
        (self.method, self.url, self.httpVersion) = (method, url, httpVersion)
    }
}

package struct HARResponse: Codable, Sendable {
    /// 0 without a response.
    package var status: Int
    package var statusText: String
    package var httpVersion: String
    package var cookies: [HARCookie] = []
    package var headers: [HARPair] = []
    package var content: HARContent
    /// The value of `Location`; empty without it.
    package var redirectURL = ""
    /// In bytes on the wire; -1 if unknown, as `bodySize`.
    package var headersSize = -1
    package var bodySize = -1

    package init(status: Int, statusText: String, httpVersion: String, content: HARContent) {
        (self.status, self.statusText, self.httpVersion) = (status, statusText, httpVersion)
        self.content = content
    }
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
    /// ISO 8601.
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
    /// Whether the body went on.
    package var isTruncated: Bool?

    package enum CodingKeys: String, CodingKey {
        case mimeType, params, text, comment
        case encoding = "_encoding"
        case isTruncated = "_truncated"
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
    /// Whether the body went on.
    package var isTruncated: Bool?

    package enum CodingKeys: String, CodingKey {
        case size, compression, mimeType, text, encoding, comment
        case isTruncated = "_truncated"
    }

    package init(size: Int, mimeType: String) { (self.size, self.mimeType) = (size, mimeType) }
}
