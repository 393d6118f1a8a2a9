/// The key of a tag that a program gives its requests: its type of value, and whether logs show it.
///
///     enum TenantKey: RequestValueKey {
///         static let defaultValue: String? = nil
///         static var logName: String? { "tenant" }
///     }
///
///     extension RequestValues {
///         var tenant: String? {
///             get { self[TenantKey.self] }
///             set { self[TenantKey.self] = newValue }
///         }
///     }
///
///     session.get(url, options: RequestOptions().setting(\.tenant, "a"))
///
/// Adapters and retriers read this tag as `context.values.tenant`, monitors as `event.values.tenant`. It is not sent.
public protocol RequestValueKey {
    /// The type of the tag's value.
    associatedtype Value: Sendable
    /// The value for requests without the tag.
    static var defaultValue: Value { get }
    /// The name under which logs and descriptions show the value; with `nil`, the default, they do not show it, as for
    /// a secret. A value that is `nil` is not shown.
    static var logName: String? { get }
}

extension RequestValueKey {
    public static var logName: String? { nil }
}

/// The tags of a request, see ``RequestValueKey``.
public struct RequestValues: Sendable {
    private var tags: [ObjectIdentifier: any RequestTag] = [:]

    /// No tags.
    public init() {}

    /// The value of a tag.
    public subscript<Key: RequestValueKey>(key: Key.Type) -> Key.Value {
        get { (tags[ObjectIdentifier(key)] as? Tag<Key>)?.value ?? Key.defaultValue }
        set { tags[ObjectIdentifier(key)] = Tag<Key>(value: newValue) }
    }

    /// Names and values of the tags that logs may show, by name.
    package var logged: [(name: String, value: String)] {
        tags.isEmpty ? [] : tags.values.compactMap(\.logged).sorted { $0.name < $1.name }
    }
}

extension RequestValues: ShownByDescription {
    /// The tags that logs may show: `tenant=a`.
    public var description: String { logged.map { "\($0.name)=\($0.value)" }.joined(separator: " ") }
}

private protocol RequestTag: Sendable {
    var logged: (name: String, value: String)? { get }
}

private struct Tag<Key: RequestValueKey>: RequestTag {
    let value: Key.Value

    var logged: (name: String, value: String)? {
        guard let name = Key.logName else { return nil }
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return (name, "\(value)") }
        return mirror.children.first.map { (name, "\($0.value)") }
    }
}
