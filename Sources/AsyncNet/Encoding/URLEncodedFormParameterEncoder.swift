#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// Encodes parameters as `application/x-www-form-urlencoded` text in the query or the body.
///
/// A query is appended to the existing one, which is not changed, before the fragment; without parameters the URL is
/// not changed. A body gets `Content-Type: application/x-www-form-urlencoded; charset=utf-8` unless the request has a
/// type.
public struct URLEncodedFormParameterEncoder: ImmediateParameterEncoder, NonBlocking {
    /// The place of the parameters.
    public enum Destination: Hashable, Sendable {
        /// The query for GET, HEAD and DELETE, the body for all other methods, QUERY among them.
        case methodDependent
        /// The query, for all methods.
        case queryString
        /// The body, for all methods.
        case httpBody
    }

    /// `nil` stands for the session's ``SessionConfiguration/formEncoder``.
    private let encoder: URLEncodedFormEncoder?
    private let destination: Destination

    /// Creates an encoder. Without an `encoder`, the session's ``SessionConfiguration/formEncoder`` is used; outside of
    /// a session, one with default settings.
    public init(encoder: URLEncodedFormEncoder? = nil, destination: Destination = .methodDependent) {
        self.encoder = encoder
        self.destination = destination
    }

    /// This encoder, with the session's settings if it has none of its own.
    func settled(_ sessionEncoder: URLEncodedFormEncoder) -> URLEncodedFormParameterEncoder {
        URLEncodedFormParameterEncoder(encoder: encoder ?? sessionEncoder, destination: destination)
    }

    /// - Throws: The errors of ``URLEncodedFormEncoder/encode(_:)``; ``AsyncNetError`` with code `.malformedURL` if the
    ///   request has no URL.
    public func encode(immediately parameters: some Encodable, into request: URLRequest) throws -> URLRequest {
        guard !parameters.isNil else { return request }
        let text = try (encoder ?? URLEncodedFormEncoder()).encode(parameters)
        guard isQuery(for: request) else {
            return try request.settingBody(Data(text.utf8), type: "application/x-www-form-urlencoded; charset=utf-8")
        }
        guard !text.isEmpty else { return request }
        var request = request
        request.url = try Self.appending(text, to: request.checkedURL())
        return request
    }

    private func isQuery(for request: URLRequest) -> Bool {
        switch destination {
        case .queryString: true
        case .httpBody: false
        case .methodDependent: request.method.hasParametersInQuery
        }
    }

    private static func appending(_ text: String, to url: URL) throws(AsyncNetError) -> URL {
        var reference = URLReference(url.absoluteString)
        let query = reference.query ?? ""
        reference.query = query.isEmpty || query.hasSuffix("&") ? query + text : "\(query)&\(text)"
        // The text is a valid URL, unless a custom escaping keeps characters that are invalid in a query.
        guard let result = URL(string: reference.text, encodingInvalidCharacters: false) ?? reference.url else {
            throw AsyncNetError(.malformedURL, "A query cannot be added to the request's URL")
        }
        return result
    }
}

extension ParameterEncoder where Self == URLEncodedFormParameterEncoder {
    /// A form: in the query for GET, HEAD and DELETE, in the body for all other methods.
    public static var urlEncodedForm: URLEncodedFormParameterEncoder { URLEncodedFormParameterEncoder() }

    /// A form encoded by the given encoder, in the given destination.
    public static func urlEncodedForm(
        encoder: URLEncodedFormEncoder? = nil,
        destination: URLEncodedFormParameterEncoder.Destination = .methodDependent
    ) -> URLEncodedFormParameterEncoder {
        URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
    }

    /// The query, for all methods.
    public static var query: URLEncodedFormParameterEncoder {
        URLEncodedFormParameterEncoder(destination: .queryString)
    }
}
