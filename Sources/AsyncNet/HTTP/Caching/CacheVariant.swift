import Foundation

/// Which requests a stored response is for, beside method and URL: the values of the headers that `Vary` names (RFC
/// 9111 §4.1), the user, and how the transport verifies the server.
///
/// Values are kept as hashes, since they may be secrets such as cookies.
struct CacheVariant: Sendable, Hashable, Codable {
    /// The hash of each value by the header's name in lower case; an empty text for a header that was not sent.
    private var values: [String: String]
    let trust: ResponseTrust
    /// Whether the response is a part (206), which is stored beside the whole.
    var isPart: Bool

    /// - Returns: `nil` if the response is for this request alone: its `Vary` contains `*`.
    init?(of response: HTTPHeaders, to request: CacheRequest, isPart: Bool = false) {
        let names = response.values(for: "Vary").flatMap { $0.split(separator: ",") }
            .map { String($0).trimmedHTTPSpace.lowercased() }.filter { !$0.isEmpty }
        guard !names.contains("*") else { return nil }
        (trust, self.isPart) = (request.trust, isPart)
        values = Dictionary(names.map { ($0, Self.hash(request, $0)) }) { first, _ in first }
        // RFC 9111 has one user for a private cache. A program may have several, whose responses must not mix.
        let control = CacheControl(response)
        if !control.contains("public") { values[Self.userName] = request.user }
        if control.contains("private") { values["cookie"] = Self.hash(request, "cookie") }
    }

    func matches(_ request: CacheRequest) -> Bool {
        trust.serves(request.trust)
            && values.allSatisfy { name, hash in
                hash == (name == Self.userName ? request.user : Self.hash(request, name))
            }
    }

    /// A text that only equal variants have, for the name of a file.
    var identity: String {
        let pairs = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let text = (pairs + [trust.verification, trust.demands, trust.client, trust.route, isPart ? "part" : ""])
            .joined(separator: "\n")
        return String(Data(text.utf8).sha256.prefix(16))
    }

    /// The key of the user's hash; no header has this name.
    private static let userName = " user"

    /// The hash of a header's values as one list, without regard to lines and to space around commas outside of quotes
    /// (RFC 9111 §4.1).
    private static func hash(_ request: CacheRequest, _ name: String) -> String {
        // Credentials for a challenge differ from request to request; those of one user have one response.
        if name == "authorization" { return request.user }
        guard let value = request.headers[name] else { return "" }
        // Case does not count in languages (RFC 4647 §2).
        let text = name == "accept-language" ? value.lowercased() : value
        var quote = QuotedString()
        let items = text.unicodeScalars.split(omittingEmptySubsequences: false) { !quote.contains($0) && $0 == "," }
            .map { String($0).trimmedHTTPSpace }
        return Data(items.joined(separator: ",").utf8).sha256
    }
}
