import AsyncNet
import Foundation

/// The values of a request that are compared, in a form in which equal requests are equal. A value that is not compared
/// is `nil`.
struct ComparedRequest: Hashable, Sendable {
    var method: String?
    var origin: String?
    var host: String?
    var path: String?
    var query: ComparedItems?
    /// By name in lower case; a missing header has no value.
    var headers: [String: String] = [:]
    var body: ComparedBody?

    /// - Parameter request: A request whose secrets are redacted.
    init(_ request: RecordedExchange.Request, _ comparison: RequestComparison) {
        let url = request.url
        if comparison.comparesMethod { method = request.method.rawValue }
        if comparison.comparesOrigin { origin = url.origin }
        if comparison.comparesHost { host = url.host?.lowercased() ?? "" }
        if comparison.comparesPath { path = NormalizedPercents.path(url.path(percentEncoded: true)) }
        if comparison.comparesQuery { query = ComparedItems(pairs: url.query(percentEncoded: true) ?? "") }
        for name in comparison.headers { headers[name.lowercased()] = request.headers[name] }
        guard comparison.comparesBody else { return }
        body =
            request.isBodyTruncated ? .incomplete : ComparedBody(request.body, request.headers["Content-Type"])
    }

    /// A recorded request that is equal, but whose body is not known.
    var withoutBody: ComparedRequest {
        var copy = self
        copy.body = .incomplete
        return copy
    }
}

/// The values of each name, in their order.
struct ComparedItems: Hashable, Sendable {
    private(set) var values: [String: [String]] = [:]

    /// - Parameter pairs: Percent-encoded names and values, separated by `&`, as in a query or a form.
    init(pairs: String) {
        for pair in pairs.split(separator: "&") {
            let equals = pair.firstIndex(of: "=") ?? pair.endIndex
            let value = NormalizedPercents.decoded(pair[equals...].dropFirst())
            values[NormalizedPercents.decoded(pair[..<equals]), default: []].append(value)
        }
    }
}

/// Percent-encoded text in a form in which equivalent texts are equal.
enum NormalizedPercents {
    /// A path with unreserved characters decoded and escapes in upper case (RFC 3986 §6.2.2); `/` for an empty path.
    static func path(_ path: String) -> String {
        guard !path.isEmpty else { return "/" }
        guard path.utf8.contains(0x25) else { return path }
        return String(decoding: map(path) { isUnreserved($0) ? nil : "%\(hex($0))" }, as: UTF8.self)
    }

    /// A name or a value decoded, with `+` as a space. A text that is not UTF-8 stays encoded.
    static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(where: { $0 == 0x25 || $0 == 0x2B }) else { return String(text) }
        let spaced = String(text.replacing("+", with: " "))
        return String(validating: map(spaced) { _ in nil }, as: UTF8.self) ?? path(spaced)
    }

    /// - Parameter encoded: The text in place of an escaped byte; `nil` puts the byte itself.
    private static func map(_ text: String, _ encoded: (UInt8) -> String?) -> [UInt8] {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            guard byte == 0x25, let value = value(of: digits) else {
                result.append(byte)
                continue
            }
            result += encoded(value).map { Array($0.utf8) } ?? [value]
            rest = rest.dropFirst(2)
        }
        return result
    }

    private static func value(of digits: ArraySlice<UInt8>) -> UInt8? {
        guard digits.count == 2, digits.first != 0x2B, digits.first != 0x2D else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }
}
