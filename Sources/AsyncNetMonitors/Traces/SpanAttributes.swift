import AsyncNet
import Foundation

/// The names and attributes of spans (OpenTelemetry semantic conventions, HTTP client spans).
enum SpanAttributes {
    typealias Attributes = [String: TraceSpan.Attribute]

    static func name(_ method: HTTPMethod, template: String?) -> String {
        let method = SemanticConventions.methods.contains(method) ? method.rawValue : "HTTP"
        return template.map { "\(method) \(SemanticConventions.path(ofTemplate: $0))" } ?? method
    }

    /// The attributes that are known before the request is sent.
    ///
    /// - Parameter resends: How often the request was sent before.
    static func ofRequest(
        _ head: HTTPRequestHead, template: String?, resends: Int, headers: [String], _ rule: RedactionRule
    ) -> Attributes {
        var attributes = ofMethod(head.method)
        attributes.merge(ofURL(head.url, rule)) { $1 }
        if let template { attributes["url.template"] = .string(SemanticConventions.path(ofTemplate: template)) }
        if resends > 0 { attributes["http.request.resend_count"] = .int(resends) }
        attributes.merge(of(headers, in: head.headers, "http.request.header.", rule)) { $1 }
        return attributes
    }

    private static func ofMethod(_ method: HTTPMethod) -> Attributes {
        guard !SemanticConventions.methods.contains(method) else {
            return ["http.request.method": .string(method.rawValue)]
        }
        return [
            "http.request.method": .string(SemanticConventions.other),
            "http.request.method_original": .string(method.rawValue),
        ]
    }

    private static func ofURL(_ url: URL, _ rule: RedactionRule) -> Attributes {
        [
            "url.full": .string(rule.text(of: url)), "url.scheme": .string(url.scheme?.lowercased() ?? ""),
            "server.address": .string(SemanticConventions.address(of: url)),
            "server.port": .int(SemanticConventions.port(of: url)),
        ]
    }

    /// The attributes of a response's head.
    static func ofResponse(_ head: HTTPResponseHead, headers: [String], _ rule: RedactionRule) -> Attributes {
        var attributes = ofConnection(version: head.httpVersion, address: nil, port: nil)
        attributes["http.response.status_code"] = .int(head.statusCode)
        return attributes.merging(of(headers, in: head.headers, "http.response.header.", rule)) { $1 }
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

    /// The attributes of a connection.
    static func ofConnection(version: String?, address: String?, port: Int?) -> Attributes {
        var attributes: Attributes = [:]
        if let version { attributes["network.protocol.version"] = .string(SemanticConventions.version(version)) }
        if let address { attributes["network.peer.address"] = .string(address) }
        if let port { attributes["network.peer.port"] = .int(port) }
        return attributes
    }
}

extension TraceSpan.Attribute: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .int(value) }
}
