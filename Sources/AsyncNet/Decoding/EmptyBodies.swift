/// The responses that may have no body although a value is expected.
///
/// By default these are responses to HEAD, 204 and 205, which have no body (RFC 9110 §9.3.2, §15.3.5, §15.3.6).
public struct EmptyBodies: Sendable {
    private let methods: Set<HTTPMethod>
    private let statusCodes: Set<Int>

    /// Creates rules: requests with these methods, and responses with these statuses, may have no body.
    public init(methods: Set<HTTPMethod> = [.head], statusCodes: Set<Int> = [204, 205]) {
        self.methods = methods
        self.statusCodes = statusCodes
    }

    /// Every response may have no body.
    public static let all: EmptyBodies = {
        var bodies = EmptyBodies()
        bodies.allowsAll = true
        return bodies
    }()
    private var allowsAll = false

    /// - Throws: `.emptyBody` for a response that has no body and must have one.
    func check(_ response: RawResponse) throws(AsyncNetError) {
        if response.data.isEmpty, !allow(response) { throw AsyncNetError(.emptyBody) }
    }

    /// The value of a response without a body; throws `.emptyBody` if the response or the type does not allow that.
    func value<Value>(for response: RawResponse) throws(AsyncNetError) -> Value {
        guard allow(response) else { throw AsyncNetError(.emptyBody) }
        guard let type = Value.self as? any EmptyResponse.Type, let value = type.emptyValue as? Value else {
            throw AsyncNetError(.emptyBody, "The response has no body, and \(Value.self) has no value for that")
        }
        return value
    }

    func allow(_ response: RawResponse) -> Bool {
        allowsAll || methods.contains(response.requestHead.method) || statusCodes.contains(response.statusCode)
    }
}

/// A type that has a value for responses without a body.
public protocol EmptyResponse {
    /// The value of a response without a body.
    static var emptyValue: Self { get }
}

/// A response without a body is `nil` for an optional type: `serializing(User?.self)`.
extension Optional: EmptyResponse {
    public static var emptyValue: Wrapped? { nil }
}

/// The value of a request of which only the success matters. Any body is accepted and ignored.
public struct NoContent: EmptyResponse, Codable, Hashable, Sendable {
    public static let emptyValue = NoContent()
    /// Creates the value.
    public init() {}
}
