public import Foundation

/// A value of a variable of a ``URLTemplate``.
public protocol URLTemplateValue {
    /// The value as the template's expressions expand it.
    var templateValue: URLTemplate.Value { get }
}

extension URLTemplateValue where Self: CustomStringConvertible {
    /// The description as text.
    public var templateValue: URLTemplate.Value { .text(description) }
}

extension String: URLTemplateValue {}
extension Substring: URLTemplateValue {}
extension Bool: URLTemplateValue {}
extension Int: URLTemplateValue {}
extension Int32: URLTemplateValue {}
extension Int64: URLTemplateValue {}
extension UInt: URLTemplateValue {}
extension UInt32: URLTemplateValue {}
extension UInt64: URLTemplateValue {}
extension Double: URLTemplateValue {}
extension UUID: URLTemplateValue {}

extension URLTemplate.Value: URLTemplateValue {
    /// The value itself.
    public var templateValue: URLTemplate.Value { self }
}

/// `nil` is no value.
extension Optional: URLTemplateValue where Wrapped: URLTemplateValue {
    /// The wrapped value, or none.
    public var templateValue: URLTemplate.Value { self?.templateValue ?? .undefined }
}

extension Array: URLTemplateValue where Element: CustomStringConvertible {
    /// The elements' descriptions.
    public var templateValue: URLTemplate.Value { .list(map(\.description)) }
}

/// Names with texts, sorted by name, so that the URL does not vary.
extension Dictionary: URLTemplateValue where Key == String, Value: CustomStringConvertible {
    /// The members, sorted by their names.
    public var templateValue: URLTemplate.Value {
        .pairs(sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value.description) })
    }
}
