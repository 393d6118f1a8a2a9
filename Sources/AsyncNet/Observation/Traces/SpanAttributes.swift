import Foundation

/// The names and attributes of spans (OpenTelemetry semantic conventions, HTTP client spans).
enum SpanAttributes {
    typealias Attributes = [String: TraceSpan.Attribute]

    /// The methods of RFC 9110 and RFC 5789. Others are user input, and would make any number of names.
    private static let knownMethods: Set<HTTPMethod> = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ]

    static func name(_ method: HTTPMethod, template: String?) -> String {
        let method = knownMethods.contains(method) ? method.rawValue : "HTTP"
        return template.map { "\(method) \($0)" } ?? method
    }

    /// What is known before the request is sent.
    ///
    /// - Parameter resends: How often the request was sent before.
    static func ofRequest(
        _ head: HTTPRequestHead, template: String?, resends: Int, headers: [String], _ rule: RedactionRule
    ) -> Attributes {
        var attributes = ofMethod(head.method)
        attributes.merge(ofURL(head.url, rule)) { $1 }
        if let template { attributes["url.template"] = .string(template) }
        if resends > 0 { attributes["http.request.resend_count"] = .int(resends) }
        attributes.merge(of(headers, in: head.headers, "http.request.header.", rule)) { $1 }
        return attributes
    }

    private static func ofMethod(_ method: HTTPMethod) -> Attributes {
        guard !knownMethods.contains(method) else { return ["http.request.method": .string(method.rawValue)] }
        return ["http.request.method": "_OTHER", "http.request.method_original": .string(method.rawValue)]
    }

    private static func ofURL(_ url: URL, _ rule: RedactionRule) -> Attributes {
        let scheme = url.scheme?.lowercased() ?? ""
        let host = (url.host ?? "").trimmingCharacters(in: ["[", "]"])
        return [
            "url.full": .string(rule.text(of: url)), "url.scheme": .string(scheme), "server.address": .string(host),
            "server.port": .int(url.port ?? (scheme == "https" ? 443 : 80)),
        ]
    }

    /// What a response's head adds.
    static func ofResponse(_ head: HTTPResponseHead, headers: [String], _ rule: RedactionRule) -> Attributes {
        let status: Attributes = ["http.response.status_code": .int(head.statusCode)]
        return status.merging(of(headers, in: head.headers, "http.response.header.", rule)) { $1 }
    }

    private static func of(
        _ names: [String], in headers: HTTPHeaders, _ prefix: String, _ rule: RedactionRule
    ) -> Attributes {
        var attributes: Attributes = [:]
        for name in names where headers.contains(name: name) {
            let values = headers.filter { $0.hasName(name) && !$0.isOmission }.map { rule.value(of: $0) }
            if !values.isEmpty { attributes[prefix + name.lowercased()] = .strings(values) }
        }
        return attributes
    }

    /// What a connection adds.
    static func ofConnection(version: String?, address: String?, port: Int?) -> Attributes {
        var attributes: Attributes = [:]
        if let version = version.map(protocolVersion) { attributes["network.protocol.version"] = .string(version) }
        if let address { attributes["network.peer.address"] = .string(address) }
        if let port { attributes["network.peer.port"] = .int(port) }
        return attributes
    }

    /// `1.1` of `HTTP/1.1`, and `2` of `HTTP/2` and `HTTP/2.0`.
    private static func protocolVersion(_ text: String) -> String {
        let number = text.split(separator: "/").last.map(String.init) ?? text
        return number.hasSuffix(".0") && number != "1.0" ? String(number.dropLast(2)) : number
    }
}

extension TraceSpan.Attribute: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .int(value) }
}
