import Foundation

/// Where a request goes, and how: the labels that are known when it is sent.
struct Endpoint: Hashable, Sendable {
    var method: String
    var scheme: String
    var address: String
    var port: Int
    var template: String?

    /// - Parameter methods: The methods that are labels; each other method is `_OTHER`, so that methods which programs or
    ///   servers make up do not become labels.
    init(_ head: HTTPRequestHead, _ template: String?, methods: Set<HTTPMethod>) {
        method = methods.contains(head.method) ? head.method.rawValue : MetricLabels.other
        scheme = (head.url.scheme ?? "").lowercased()
        let host = (head.url.host ?? "").lowercased()
        // Longer names are in no name server (RFC 1035 §2.3.4), but a redirect may have them.
        address = host.utf8.count > 255 ? MetricLabels.other : host
        port = head.url.port ?? (scheme == "https" ? 443 : 80)
        self.template = template.map(MetricLabels.template)
    }

    var labels: [String: String] {
        var labels = [
            "http.request.method": method, "server.address": address, "server.port": "\(port)", "url.scheme": scheme,
        ]
        labels["url.template"] = template
        return labels
    }
}

enum MetricLabels {
    /// The value for methods and addresses that are not labels.
    static let other = "_OTHER"
    /// The only label of the values whose own labels were too many.
    static let overflow = ["otel.metric.overflow": "true"]

    /// The text of a template without secrets, which its author may have written into a query or userinfo.
    static func template(_ text: String) -> String {
        let mayHaveSecrets = text.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "@") }
        return mayHaveSecrets ? RedactionRule.standard.text(ofURL: text) : text
    }

    /// The class of the error that a hop ended with: an error's status, or its code. A cancelled hop has no error.
    static func errorType(ofHopWith status: Int?, _ error: AsyncNetError?) -> String? {
        if let status, status >= 400 { return "\(status)" }
        return error.flatMap { $0.code == .cancelled ? nil : $0.code.rawValue }
    }

    /// The class of the error that an attempt or a request ended with: the code of an error that is not a status comes
    /// first, as that of a deadline which ended the retries of a 503.
    static func errorType(ofOutcomeWith status: Int?, _ error: AsyncNetError?) -> String? {
        guard let error, error.code != .unacceptableStatus else { return errorType(ofHopWith: status, nil) }
        return error.code == .cancelled ? nil : error.code.rawValue
    }

    /// The class of an error without a response.
    static func errorType(_ error: AsyncNetError?) -> String? { errorType(ofHopWith: nil, error) }

    /// `1.1` of `HTTP/1.1`, as the conventions write it.
    static func version(_ version: String?) -> String? {
        switch version {
        case "HTTP/1.1": "1.1"
        case "HTTP/2": "2"
        case let version?: version.hasPrefix("HTTP/") ? String(version.dropFirst(5)) : version
        case nil: nil
        }
    }
}
