import AsyncNet
import AsyncNetMonitors
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
        address = SemanticConventions.address(of: head.url)
        port = head.url.port ?? (scheme == "https" ? 443 : 80)
        self.template = template.map { SemanticConventions.template($0) }
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
        dimensions["network.protocol.version"] = version.map(SemanticConventions.version)
        dimensions["error.type"] = errorType
        return dimensions
    }
}
