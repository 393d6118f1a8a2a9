public import Foundation

/// A problem, as HTTP services describe it in a body of type `application/problem+json` (RFC 9457).
///
///     do {
///         return try await request.validate(decoding: ProblemDetails.self).serializing(User.self).value
///     } catch let error {
///         if let problem = error.underlyingError as? ProblemDetails { show(problem.title, problem.detail) }
///     }
///
/// All members are optional. A member of the wrong type is ignored, as RFC 9457 §3.1 requires.
public struct ProblemDetails: Error, Hashable, Sendable {
    /// The problem's type as a URI reference; `about:blank` if the problem has only the meaning of its status.
    public var type: String
    /// A short summary of the problem's type.
    public var title: String?
    /// The status of the response, as repeated in the body.
    public var status: Int?
    /// An explanation of this occurrence of the problem.
    public var detail: String?
    /// A URI reference that identifies this occurrence of the problem.
    public var instance: String?
    /// The other members of the object, such as `balance` or `errors`.
    public var extensions: [String: JSON]

    /// Creates a problem.
    public init(
        type: String = "about:blank", title: String? = nil, status: Int? = nil, detail: String? = nil,
        instance: String? = nil, extensions: [String: JSON] = [:]
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.extensions = extensions
    }
}

extension ProblemDetails: Codable {
    /// - Throws: `DecodingError` if the value is no JSON object.
    public init(from decoder: any Decoder) throws {
        var members = try [String: JSON](from: decoder)
        func take(_ name: String) -> JSON? { members.removeValue(forKey: name) }
        self.init(
            type: take("type")?.string ?? "about:blank", title: take("title")?.string, status: take("status")?.int,
            detail: take("detail")?.string, instance: take("instance")?.string)
        extensions = members
    }

    public func encode(to encoder: any Encoder) throws {
        var members = extensions
        members["type"] = JSON(encoding: type)
        members["title"] = title.map(JSON.init(encoding:))
        members["status"] = status.map(JSON.init(encoding:))
        members["detail"] = detail.map(JSON.init(encoding:))
        members["instance"] = instance.map(JSON.init(encoding:))
        try members.encode(to: encoder)
    }
}

extension ProblemDetails: LocalizedError {
    public var errorDescription: String? { detail ?? title }
}
