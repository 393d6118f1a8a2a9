/// When a response may come without a body although a value is expected of it.
///
/// HEAD responses never have one, 204 and 205 must not (RFC 9110 §9.3.2, §15.3.5, §15.3.6).
public struct EmptyBodies: Sendable {
    public var methods: Set<HTTPMethod>
    public var statusCodes: Set<Int>

    public init(methods: Set<HTTPMethod> = Self.usualMethods, statusCodes: Set<Int> = Self.usualStatusCodes) {
        self.methods = methods
        self.statusCodes = statusCodes
    }

    /// HEAD.
    public static let usualMethods: Set<HTTPMethod> = [.head]
    /// 204 and 205.
    public static let usualStatusCodes: Set<Int> = [204, 205]

    func allow(_ response: RawResponse) -> Bool {
        methods.contains(response.requestHead.method) || statusCodes.contains(response.statusCode)
    }
}

/// A type with a value for a response without a body.
public protocol EmptyResponse {
    static var emptyValue: Self { get }
}

/// A response without a body is `nil` where that is asked for: `serializing(User?.self)`.
extension Optional: EmptyResponse {
    public static var emptyValue: Wrapped? { nil }
}

/// No value at all: what to serialize where only success matters. Any body is accepted and dropped.
public struct Empty: EmptyResponse, Codable, Hashable, Sendable {
    public static let emptyValue = Empty()
    public init() {}
}
