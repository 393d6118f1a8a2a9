import AsyncNet
package import Foundation

// Splits redacted texts into names and values, for both writers of HAR files.

extension HARPair {
    /// The decoded names and values of a query or a form.
    package static func items(inQuery query: String) -> [HARPair] {
        query.utf8.split(separator: 0x26).map { item in
            let equals = item.firstIndex(of: 0x3D)
            let value = equals.map { item[item.index(after: $0)...] } ?? item[item.endIndex...]
            let name = item[..<(equals ?? item.endIndex)]
            return HARPair(
                name: PercentBytes.text(ArraySlice(name)), value: PercentBytes.text(ArraySlice(value)))
        }
    }
}

extension HARCookie {
    /// The cookies of a `Cookie` header.
    package static func cookies(inHeader value: String) -> [HARCookie] {
        value.split(separator: ";").map { pair in
            let text = String(pair).trimmedHTTPSpace
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return parts.count == 2 ? HARCookie(name: parts[0], value: parts[1]) : HARCookie(name: "", value: text)
        }
    }

    /// The cookie of a `Set-Cookie` header; `nil` if the header is invalid.
    package init?(setCookie value: String) {
        guard let parsed = SetCookie(value) else { return nil }
        self.init(name: parsed.name, value: parsed.value)
        path = parsed.path
        domain = parsed.domain.isEmpty ? nil : parsed.domain
        expires = parsed.expires.map(HARText.time)
        (httpOnly, secure) = (parsed.isHTTPOnly, parsed.isSecure)
    }
}

extension HARParameter {
    /// The fields of a form; `nil` for other bodies.
    package static func fields(of body: Data, contentType: String?) -> [HARParameter]? {
        guard let type = contentType.flatMap(MediaType.last) else { return nil }
        if type.subtype == "x-www-form-urlencoded" {
            return HARPair.items(inQuery: String(decoding: body, as: UTF8.self)).map {
                HARParameter(name: $0.name, value: $0.value)
            }
        }
        guard type.type == "multipart", let boundary = type.parameters["boundary"] else { return nil }
        return MultipartParts(ArraySlice(body), boundary: boundary).parts.map(HARParameter.init)
    }

    private init(_ part: MultipartParts.Part) {
        self.init(name: part.name ?? "", value: String(validating: part.content, as: UTF8.self))
        fileName = part.disposition?.fileName
        contentType = part.headers["Content-Type"]
    }
}
