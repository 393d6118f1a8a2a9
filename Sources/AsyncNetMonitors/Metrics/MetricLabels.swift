import AsyncNet
import Foundation

/// Where a request goes, and how: the labels that are known when it is sent.
struct Endpoint: Hashable, Sendable {
    var method: String
    var scheme: String
    var address: String
    var port: Int
    var template: String?

    /// - Parameter methods: The methods that are values of `http.request.method`; others are `_OTHER`, so that methods
    ///   which programs or servers make up do not become labels.
    init(_ head: HTTPRequestHead, _ template: String?, methods: Set<HTTPMethod>) {
        method = methods.contains(head.method) ? head.method.rawValue : SemanticConventions.other
        scheme = (head.url.scheme ?? "").lowercased()
        address = SemanticConventions.address(of: head.url)
        port = SemanticConventions.port(of: head.url)
        self.template = template.map { SemanticConventions.template($0) }
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
    /// The single label under which all sets of labels above the limit are counted together.
    static let overflow = ["otel.metric.overflow": "true"]
}
