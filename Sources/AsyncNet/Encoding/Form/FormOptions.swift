public import Foundation

extension URLEncodedFormEncoder {
    /// How the elements of an array are named.
    public enum ArrayEncoding: Sendable {
        /// `k[]=a&k[]=b`
        case brackets
        /// `k=a&k=b`
        case noBrackets
        /// `k[0]=a&k[1]=b`; an element that is left out keeps its index to itself.
        case indexInBrackets
        /// Makes the element's name from the array's path and the element's index.
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

    /// How `Bool` is written.
    public enum BoolEncoding: Sendable {
        /// `1` and `0`
        case numeric
        /// `true` and `false`
        case literal

        func text(_ value: Bool) -> String {
            switch self {
            case .numeric: value ? "1" : "0"
            case .literal: value ? "true" : "false"
            }
        }
    }

    /// How `Data` is written.
    public enum DataEncoding: Sendable {
        /// Base64 (RFC 4648 §4), with `+` and `/` and padding; escaped afterwards like any text.
        case base64
        /// As `Data` encodes itself: an array of numbers.
        case deferredToData
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
        /// `a[b][c]`
        case brackets
        /// `a.b.c`
        case dots
        /// Makes a path from that of the parent, as this encoding made it, and the child's key.
        case custom(@Sendable (_ parent: String, _ key: String) -> String)

        func path(_ parent: String, _ key: String) -> String {
            switch self {
            case .brackets: "\(parent)[\(key)]"
            case .dots: "\(parent).\(key)"
            case .custom(let path): path(parent, key)
            }
        }
    }

    /// What becomes of `nil`, be it a member, an element or a ``JSON`` `null`, at every level.
    public enum NilEncoding: Sendable {
        /// Nothing is written.
        case dropKey
        /// `k=`
        case dropValue
        /// `k=null`
        case null
        /// This text; nothing is written if it is `nil`.
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

    /// How spaces are written.
    public enum SpaceEncoding: Sendable {
        /// `%20`
        case percentEscaped
        /// `+`, as browsers send forms; a `+` is `%2B` in either case.
        case plusReplaced
    }
}
