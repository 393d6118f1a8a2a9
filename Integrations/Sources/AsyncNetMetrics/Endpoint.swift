import AsyncNet
import Foundation

/// The dimensions of a metric, by their names.
typealias Dimensions = [String: String]

/// Where a request goes, and how: the dimensions that are known when it is sent.
struct Endpoint: Hashable {
    /// The dimensions of everything that has no endpoint of its own any more, since there are too many.
    static let overflow: Dimensions = ["otel.metric.overflow": "true"]

    private let method: String
    private let scheme: String
    private let address: String
    private let port: Int
    private let template: String?

    /// - Parameter methods: The methods that are dimensions; each other method is `_OTHER`.
    init(_ head: HTTPRequestHead, _ template: String?, methods: Set<HTTPMethod>) {
        method = methods.contains(head.method) ? head.method.rawValue : "_OTHER"
        scheme = (head.url.scheme ?? "").lowercased()
        let host = (head.url.host ?? "").lowercased()
        // Longer names are in no name server (RFC 1035 §2.3.4), but a redirect may have them.
        address = host.utf8.count > 255 ? "_OTHER" : host
        port = head.url.port ?? (scheme == "https" ? 443 : 80)
        self.template = template.map(Self.withoutSecrets)
    }

    /// The text of a template without secrets, which its author may have written into a query or userinfo.
    private static func withoutSecrets(_ template: String) -> String {
        guard template.contains(where: { $0 == "?" || $0 == "@" }) else { return template }
        guard let url = URL(string: template) else { return "_OTHER" }
        return RedactionRule.standard.text(of: url)
            .replacingOccurrences(of: "%7B", with: "{").replacingOccurrences(of: "%7D", with: "}")
    }

    var dimensions: Dimensions {
        var dimensions = [
            "http.request.method": method, "server.address": address, "server.port": "\(port)", "url.scheme": scheme,
        ]
        dimensions["url.template"] = template
        return dimensions
    }
}

/// The endpoints that have dimensions of their own: the first so many that requests go to.
struct Endpoints {
    let limit: Int
    let methods: Set<HTTPMethod>
    private var known: [Endpoint: Dimensions] = [:]

    init(limit: Int, methods: Set<HTTPMethod>) { (self.limit, self.methods) = (max(1, limit), methods) }

    mutating func dimensions(_ head: HTTPRequestHead, _ template: String?) -> Dimensions {
        let endpoint = Endpoint(head, template, methods: methods)
        if let dimensions = known[endpoint] { return dimensions }
        guard known.count < limit else { return Endpoint.overflow }
        known[endpoint] = endpoint.dimensions
        return endpoint.dimensions
    }
}

extension Dimensions {
    /// Adds what is known of a response or an error, unless there are too many endpoints.
    func adding(status: Int? = nil, version: String? = nil, errorType: String? = nil) -> Dimensions {
        guard self != Endpoint.overflow else { return self }
        var dimensions = self
        dimensions["http.response.status_code"] = status.map { "\($0)" }
        dimensions["network.protocol.version"] = version.map { $0.hasPrefix("HTTP/") ? String($0.dropFirst(5)) : $0 }
        dimensions["error.type"] = errorType
        return dimensions
    }
}

enum ErrorType {
    /// The class of the error that a hop ended with: an error's status, or its code. A cancelled hop has no error.
    static func ofHop(_ status: Int?, _ error: AsyncNetError?) -> String? {
        if let status, status >= 400 { return "\(status)" }
        return error.flatMap { $0.code == .cancelled ? nil : $0.code.rawValue }
    }

    /// The class of the error that an attempt or a request ended with: the code of an error that is not a status comes
    /// first, as that of a deadline which ended the retries of a 503.
    static func ofOutcome(_ status: Int?, _ error: AsyncNetError?) -> String? {
        guard let error, error.code != .unacceptableStatus else { return ofHop(status, nil) }
        return error.code == .cancelled ? nil : error.code.rawValue
    }
}
