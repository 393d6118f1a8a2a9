import AsyncNet
import Foundation

/// The path of a route: segments, of which `:name` matches any segment, and `*` at the end, which matches any rest.
package struct RoutePattern: Sendable, CustomStringConvertible {
    package let description: String
    private let segments: [Substring]
    /// The start of the last segment if that ends with `*`.
    private let lastPrefix: Substring?

    package init(_ path: String) {
        description = path.hasPrefix("/") || path == "*" ? path : "/" + path
        var segments = description.split(separator: "/", omittingEmptySubsequences: false)
        lastPrefix = description.hasSuffix("*") ? segments.popLast()?.dropLast() : nil
        self.segments = segments
    }

    /// Whether both patterns match the same paths; the names of segments may differ.
    func isEqual(to other: RoutePattern) -> Bool {
        lastPrefix == other.lastPrefix && segments.map(Self.unnamed) == other.segments.map(Self.unnamed)
    }

    private static func unnamed(_ segment: Substring) -> Substring { isName(segment) ? ":" : segment }

    private static func isName(_ segment: Substring) -> Bool { segment.hasPrefix(":") && segment.count > 1 }

    /// - Parameter path: Percent-encoded, without a query.
    /// - Returns: The decoded values of the named segments; `nil` if the path does not match.
    package func match(_ path: String) -> [String: String]? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard lastPrefix == nil ? parts.count == segments.count : parts.count > segments.count else { return nil }
        if let lastPrefix, !parts[segments.count].hasPrefix(lastPrefix) { return nil }
        var values: [String: String] = [:]
        for (segment, part) in zip(segments, parts) {
            if Self.isName(segment) {
                guard !part.isEmpty else { return nil }
                values[String(segment.dropFirst())] = part.removingPercentEncoding ?? String(part)
            } else if segment != part {
                return nil
            }
        }
        return values
    }
}
