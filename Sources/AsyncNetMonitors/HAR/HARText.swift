import AsyncNet
package import Foundation

/// The text of a HAR file: a line before the entries, the entries, a line after them. Keys are sorted, so that files
/// can be compared.
package enum HARText {
    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return encoder
    }

    package static var begin: Data {
        let creator = HARCreator.asyncNet
        return Data(#"{"log":{"creator":{"name":"\#(creator.name)","version":"\#(creator.version)"},"entries":["#.utf8)
    }

    /// - Parameter comment: Plain ASCII without quotes.
    package static func end(comment: String?) -> Data {
        Data("\n],\"version\":\"1.2\"\(comment.map { ",\"comment\":\"\($0)\"" } ?? "")}}\n".utf8)
    }

    package static func entry(_ entry: HAREntry, isFirst: Bool) throws -> Data {
        try Data((isFirst ? "\n" : ",\n").utf8) + encoder.encode(entry)
    }

    package static func file(_ entries: [HAREntry], comment: String?) throws -> Data {
        var data = begin
        for (index, one) in entries.enumerated() { data += try entry(one, isFirst: index == 0) }
        return data + end(comment: comment)
    }

    /// A body's text, and `base64` if the bytes are not UTF-8. A character that a limit has cut is left out.
    package static func body(_ data: Data, isTruncated: Bool) -> (text: String, encoding: String?) {
        for cut in 0...(isTruncated ? min(3, data.count) : 0) {
            if let text = String(validating: data.dropLast(cut), as: UTF8.self) { return (text, nil) }
        }
        return (data.base64EncodedString(), "base64")
    }

    /// ISO 8601 in UTC, with milliseconds.
    package static func time(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// A comment that counts what the log lacks; `nil` if the log is complete.
    static func comment(lost: Int, open: Int) -> String? {
        var parts: [String] = []
        if lost > 0 { parts.append("\(lost) entries are missing, as more were made than were kept") }
        if open > 0 { parts.append("\(open) exchanges had not ended") }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
