import AsyncNet

/// A request's head, made from its header fields (RFC 9113 §8.3.1).
struct HTTP2RequestHead {
    let method: String
    let target: String
    /// `Host` first, which is `:authority`; the parts of a `Cookie` are joined (RFC 9113 §8.2.3).
    private(set) var headers = HTTPHeaders()

    init(_ fields: [HTTPHeader]) throws(HTTP2Violation) {
        let pseudo = fields.prefix { $0.name.hasPrefix(":") }
        var values: [String: String] = [:]
        for field in pseudo {
            guard Self.names.contains(field.name), values.updateValue(field.value, forKey: field.name) == nil else {
                throw HTTP2Violation(.protocolError, "HEADERS with a repeated or wrong \(field.name)", "8.3")
            }
        }
        guard let method = values[":method"], let target = values[":path"], !target.isEmpty, values[":scheme"] != nil
        else {
            throw HTTP2Violation(.protocolError, "HEADERS without :method, :scheme or :path", "8.3.1")
        }
        (self.method, self.target) = (method, target)
        try add(values[":authority"], HTTP2Fields.headers(fields[pseudo.count...]))
    }

    private static let names = [":method", ":scheme", ":authority", ":path"]

    private mutating func add(_ authority: String?, _ fields: HTTPHeaders) {
        if let authority { headers.add(name: "Host", value: authority) }
        let cookie = fields.values(for: "Cookie").joined(separator: "; ")
        for field in fields {
            guard field.hasName("Cookie") else {
                headers.add(field)
                continue
            }
            if !headers.contains(name: "Cookie") { headers.add(name: "Cookie", value: cookie) }
        }
    }
}
