import AsyncNet
import Foundation

/// Reads the bodies of a HAR file's entry.
struct HARBodyReader {
    /// Whether this library has written the file: its texts are the bodies' bytes as UTF-8. Other programs have decoded
    /// the bytes from the charset of `Content-Type`.
    let isOwn: Bool
    let folder: URL
    /// The entry's place, for messages.
    let entry: String

    /// The body of a response. If the body is not whole, a replay ends it with the failure.
    struct Received {
        var data: Data
        var isTruncated = false
        var failure: RecordedExchange.Failure?

        static func whole(_ data: Data) -> Received { Received(data: data) }
    }

    func received(_ content: HARField) throws(AsyncNetError) -> Received {
        let isTruncated = content.json["_truncated"].bool == true
        if content.json["_file"].exists || content.json["text"].string != nil {
            guard let data = try bytes(content, encoding: "encoding") else {
                return missing("names a file with the body, which cannot be read")
            }
            guard isTruncated else { return .whole(data) }
            return Received(data: data, isTruncated: true, failure: failure("has only the first part of the body"))
        }
        if isTruncated { return missing("has nothing of the body") }
        return (content.json["size"].int ?? 0) > 0 ? missing("has no body") : .whole(Data())
    }

    private func missing(_ what: String) -> Received {
        Received(data: Data(), isTruncated: true, failure: failure(what))
    }

    private func failure(_ what: String) -> RecordedExchange.Failure {
        .init(.transportFailed, "The recording \(entry) \(what); record it again")
    }

    /// The body of a request; `nil` if it is missing.
    func sent(_ data: HARField) throws(AsyncNetError) -> Data? {
        if data.json["_file"].exists || data.json["text"].string?.isEmpty == false {
            return try bytes(data, encoding: data.json["_encoding"].exists ? "_encoding" : "encoding")
        }
        guard let fields = data.json["params"].array, !fields.isEmpty else {
            return data.json["text"].exists || !data.json["params"].exists ? Data() : nil
        }
        guard data.json["mimeType"].string?.contains("x-www-form-urlencoded") == true else { return nil }
        let pairs = fields.map { "\(Self.encoded($0["name"].string ?? ""))=\(Self.encoded($0["value"].string ?? ""))" }
        return Data(pairs.joined(separator: "&").utf8)
    }

    private static func encoded(_ text: String) -> String {
        String(
            decoding: text.utf8.flatMap { byte -> [UInt8] in
                let isPlain = byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || "*-._".utf8.contains(byte)
                return isPlain ? [byte] : byte == 0x20 ? [0x2B] : Array((byte < 16 ? "%0" : "%").utf8) + hex(byte)
            }, as: UTF8.self)
    }

    private static func hex(_ byte: UInt8) -> [UInt8] { Array(String(byte, radix: 16, uppercase: true).utf8) }

    // MARK: Bytes

    /// - Returns: `nil` if the file of the body cannot be read.
    private func bytes(_ field: HARField, encoding: String) throws(AsyncNetError) -> Data? {
        if field.json["_file"].exists {
            let name = try field.string("_file")
            guard BodyFiles.isName(name) else { throw field.fault("_file", "the name of a file in the folder beside") }
            return try? Data(contentsOf: folder.appending(path: name))
        }
        let text = try field.string("text")
        guard field.json[encoding].string == "base64" else { return encodedText(text, field.json["mimeType"].string) }
        // Some programs break Base64 into lines.
        guard let data = Data(base64Encoded: text.filter { !$0.isWhitespace }) else {
            throw field.fault("text", "Base64")
        }
        return data
    }

    /// The bytes of the body that the file shows as this text.
    private func encodedText(_ text: String, _ type: String?) -> Data {
        let charset = type.flatMap(MediaType.last)?.parameters["charset"]
        guard !isOwn, let charset, let encoding = String.Encoding(charset: charset) else { return Data(text.utf8) }
        return text.data(using: encoding) ?? Data(text.utf8)
    }
}
