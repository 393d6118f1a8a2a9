import AsyncNet
import Crypto
import Foundation

/// What differs between services in the text that is signed.
struct SigningRules: Sendable {
    /// Whether the path as it is sent is percent-encoded once more.
    var encodesPathTwice = true
    /// Whether dot segments and empty segments are left out of the path.
    var normalizesPath = true
    /// Whether the request has `X-Amz-Content-SHA256`, and a presigned URL covers no body.
    var namesPayload = false

    init(encodesPathTwice: Bool = true, normalizesPath: Bool = true, namesPayload: Bool = false) {
        self.encodesPathTwice = encodesPathTwice
        self.normalizesPath = normalizesPath
        self.namesPayload = namesPayload
    }

    /// - Parameter service: The service's name in the credential scope.
    init(service: String) {
        let isS3 = ["s3", "s3express", "s3-outposts", "s3-object-lambda"].contains(service)
        self.init(encodesPathTwice: !isS3, normalizesPath: !isS3, namesPayload: isS3)
    }

    func canonicalPath(_ path: String) -> String {
        let path = normalizesPath ? Self.normalized(path) : path
        let bytes = encodesPathTwice ? Array(path.utf8) : PercentCoding.decode(path)
        return PercentCoding.encode(bytes, keeping: UInt8(ascii: "/"))
    }

    /// RFC 3986 §5.2.4, and empty segments are left out.
    private static func normalized(_ path: String) -> String {
        let segments = path.split(separator: "/")
        var kept: [Substring] = []
        for segment in segments where segment != "." {
            if segment != ".." { kept.append(segment) } else { _ = kept.popLast() }
        }
        let isFolder = path.hasSuffix("/") || segments.last == "." || segments.last == ".."
        return "/" + kept.map { "\($0)/" }.joined().dropLast(isFolder ? 0 : 1)
    }
}

/// The canonical request of Signature Version 4: the text whose hash is signed.
struct CanonicalRequest: Sendable {
    let text: String
    /// The names of the headers that are signed, sorted, with semicolons between them.
    let signedHeaders: String

    /// - Parameters:
    ///   - headers: Those to sign; `Host` is among them.
    ///   - payload: The hash of the body in hexadecimal, or what stands for it.
    init(
        method: HTTPMethod, target: RequestTarget, headers: HTTPHeaders, payload: String, rules: SigningRules
    ) {
        var values: [String: [String]] = [:]
        for header in headers { values[header.name.lowercased(), default: []].append(Self.trimmed(header.value)) }
        let names = values.keys.sorted()
        signedHeaders = names.joined(separator: ";")
        let lines = names.map { "\($0):\(values[$0, default: []].joined(separator: ","))\n" }.joined()
        text = [
            method.rawValue, rules.canonicalPath(target.path), Self.canonicalQuery(target.query ?? ""), lines,
            signedHeaders, payload,
        ].joined(separator: "\n")
    }

    /// The items sorted by their encoded names and values. A plus sign is a space, as in forms: services read it so.
    static func canonicalQuery(_ query: String) -> String {
        let items = query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
                PercentCoding.encode(PercentCoding.decode(part.replacing("+", with: "%20")))
            }
            return (name: parts[0], value: parts.count > 1 ? parts[1] : "")
        }
        return items.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// The value without spaces at its ends, and with one space for several.
    private static func trimmed(_ value: String) -> String {
        value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
    }
}

/// Date, region and service that a signature is valid for.
struct SigningScope: Sendable {
    /// Such as `20150830T123600Z`.
    let timestamp: String
    let region: String
    let service: String

    init(date: Date, region: String, service: String) {
        timestamp = date.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
        self.region = region
        self.service = service
    }

    private var day: String { String(timestamp.prefix(8)) }

    /// Such as `20150830/us-east-1/iam/aws4_request`.
    var text: String { "\(day)/\(region)/\(service)/aws4_request" }

    /// The signature of a canonical request, in hexadecimal.
    func signature(of request: CanonicalRequest, secret: String) -> String {
        let hash = SHA256.hash(data: Data(request.text.utf8)).hexadecimal
        let message = "AWS4-HMAC-SHA256\n\(timestamp)\n\(text)\n\(hash)"
        var key = SymmetricKey(data: Data("AWS4\(secret)".utf8))
        for part in [day, region, service, "aws4_request"] { key = SymmetricKey(data: Self.code(part, key)) }
        return Self.code(message, key).hexadecimal
    }

    private static func code(_ message: String, _ key: SymmetricKey) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Data(message.utf8), using: key)
    }
}
