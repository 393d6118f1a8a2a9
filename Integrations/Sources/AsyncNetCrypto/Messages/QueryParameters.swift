import Foundation

/// Parameters of a query as forms have them, in the encoding of RFC 9421 §2.2.8.
enum QueryParameters {
    /// The value of the only parameter of this name.
    ///
    /// - Parameter name: Encoded as ``encode(_:)`` does.
    static func value(of name: String, in query: String) throws(SignatureFailure) -> String {
        let values = query.split(separator: "&").compactMap { parameter -> String? in
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.first.map(reencode) == name else { return nil }
            return parts.count > 1 ? reencode(parts[1]) : ""
        }
        guard let value = values.first, values.count == 1 else {
            throw SignatureFailure("The query must have one parameter \(name), it has \(values.count)")
        }
        return value
    }

    /// The text with all but letters, digits and `*-._` percent-encoded.
    static func encode(_ text: String) -> String { encode(Array(text.utf8)) }

    private static func reencode(_ text: Substring) -> String {
        encode(PercentCoding.decode(text.replacing("+", with: "%20")))
    }

    /// The URL standard's set for forms differs from RFC 3986's unreserved characters by these two.
    private static func encode(_ bytes: [UInt8]) -> String {
        PercentCoding.encode(bytes, keeping: UInt8(ascii: "*")).replacing("~", with: "%7E")
    }
}
