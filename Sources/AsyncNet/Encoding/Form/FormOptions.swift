public import Foundation

extension URLEncodedFormEncoder {
    /// How the elements of an array are named.
    public enum ArrayEncoding: Sendable {
        /// With empty brackets: `k[]=a&k[]=b`.
        case brackets
        /// With the array's name: `k=a&k=b`.
        case noBrackets
        /// With the index in brackets: `k[0]=a&k[1]=b`. Omitted elements count.
        case indexInBrackets
        /// The closure's text for the array's path and the element's index.
        case custom(@Sendable (_ key: String, _ index: Int) -> String)

        func name(_ key: String, _ index: Int) -> String {
            switch self {
            case .brackets: "\(key)[]"
            case .noBrackets: key
            case .indexInBrackets: "\(key)[\(index)]"
            case .custom(let name): name(key, index)
            }
        }
    }

    /// How `Bool` is encoded.
    public enum BoolEncoding: Sendable {
        /// As `1` and `0`.
        case numeric
        /// As `true` and `false`.
        case literal

        func text(_ value: Bool) -> String {
            switch self {
            case .numeric: value ? "1" : "0"
            case .literal: value ? "true" : "false"
            }
        }
    }

    /// How `Data` is encoded.
    public enum DataEncoding: Sendable {
        /// Base64 with padding (RFC 4648 §4), escaped like other text.
        case base64
        /// As `Data` encodes itself: an array of numbers.
        case deferredToData
        /// The closure's text; an error of the closure ends the encoding.
        case custom(@Sendable (Data) throws -> String)

        func text(_ value: Data) throws -> String? {
            switch self {
            case .base64: value.base64EncodedString()
            case .deferredToData: nil
            case .custom(let text): try text(value)
            }
        }
    }

    /// How the keys of nested values are joined.
    public enum KeyPathEncoding: Sendable {
        /// With brackets: `a[b][c]`.
        case brackets
        /// With dots: `a.b.c`.
        case dots
        /// The closure's text for the path of the parent and the key of the child.
        case custom(@Sendable (_ parent: String, _ key: String) -> String)

        func path(_ parent: String, _ key: String) -> String {
            switch self {
            case .brackets: "\(parent)[\(key)]"
            case .dots: "\(parent).\(key)"
            case .custom(let path): path(parent, key)
            }
        }
    }

    /// How `nil` is encoded, as a member, an element or a ``JSON`` `null`, at every level.
    public enum NilEncoding: Sendable {
        /// Omitted.
        case dropKey
        /// As an empty value: `k=`.
        case dropValue
        /// As the text `null`: `k=null`.
        case null
        /// The closure's text; omitted if the closure returns `nil`.
        case custom(@Sendable () -> String?)

        var text: String? {
            switch self {
            case .dropKey: nil
            case .dropValue: ""
            case .null: "null"
            case .custom(let text): text()
            }
        }
    }

    /// How spaces are encoded.
    public enum SpaceEncoding: Sendable {
        /// As `%20`.
        case percentEscaped
        /// As `+`, as in browsers' forms; a plus sign is `%2B` in either case.
        case plusReplaced
    }
}
