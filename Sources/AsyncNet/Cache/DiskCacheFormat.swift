import Foundation

/// The format of a stored response's file: the body, the record of the response in JSON, and a footer with their
/// lengths and the record's hash.
///
/// The body comes first, since it is written as it arrives. A file that was cut, or written only in part, has no valid
/// footer, or its size does not fit the lengths in the footer. In a file of an earlier format the number in the magic
/// text differs, so the footer is invalid too.
enum DiskCacheFormat {
    struct Record: Codable {
        /// The text of the response's ``CacheKey``.
        var key: String
        var statusCode: Int
        var httpVersion: String?
        var reasonPhrase: String?
        /// Names and values alternate.
        var headers: [String]
        var requested: Double
        var received: Double
        var variant: CacheVariant
        var isContentDecoded: Bool
        var bodyHash: String
    }

    private static let magic = Array("AsyncNet cache 2".utf8)
    /// Magic text, length of the record (4 bytes) and of the body (8), SHA-256 of the record.
    static let footerSize = 16 + 4 + 8 + 32
    private static let longestRecord = 1 << 20

    static func tail(_ record: Record, bodySize: Int64) throws -> Data {
        var data = try JSONEncoder().encode(record)
        let size = data.count
        let hash = MessageDigest.of(data, algorithm: .sha256)
        data += magic
        withUnsafeBytes(of: UInt32(clamping: size).littleEndian) { data.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt64(bodySize).littleEndian) { data.append(contentsOf: $0) }
        return data + hash
    }

    /// The record and the body's size of a file of this size; `nil` if the file is damaged.
    static func read(fileSize: Int64, _ read: (_ count: Int, _ offset: Int64) -> Data?) -> (Record, bodySize: Int64)? {
        let start = fileSize - Int64(footerSize)
        guard start >= 0, let footer = read(footerSize, start).map({ [UInt8]($0) }), footer.count == footerSize,
            footer.starts(with: magic)
        else { return nil }
        let size = Int64(number(footer[16..<20]))
        let bodySize = number(footer[20..<28])
        guard size <= longestRecord, bodySize == UInt64(clamping: start - size),
            let json = read(Int(size), start - size), json.count == Int(size),
            MessageDigest.of(json, algorithm: .sha256) == Array(footer[28...]),
            let record = try? StandardJSONDecoder().decode(Record.self, from: json)
        else { return nil }
        return (record, Int64(bodySize))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension DiskCacheFormat.Record {
    init(_ key: CacheKey, _ response: StoredResponse, bodyHash: String) {
        self.init(
            key: key.text, statusCode: response.statusCode, httpVersion: response.httpVersion,
            reasonPhrase: response.reasonPhrase, headers: response.headers.flatMap { [$0.name, $0.value] },
            requested: response.requested.timeIntervalSince1970, received: response.received.timeIntervalSince1970,
            variant: response.variant, isContentDecoded: response.isContentDecoded, bodyHash: bodyHash)
    }

    var response: StoredResponse {
        let pairs = stride(from: 0, to: headers.count - 1, by: 2).map {
            HTTPHeader(name: headers[$0], value: headers[$0 + 1])
        }
        return StoredResponse(
            statusCode: statusCode, httpVersion: httpVersion, reasonPhrase: reasonPhrase, headers: HTTPHeaders(pairs),
            requested: Date(timeIntervalSince1970: requested), received: Date(timeIntervalSince1970: received),
            variant: variant, isContentDecoded: isContentDecoded)
    }
}
