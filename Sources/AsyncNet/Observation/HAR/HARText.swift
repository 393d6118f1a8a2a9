import Foundation

/// The text of a HAR file: a line before the entries, the entries, a line after them. Keys are sorted, so that files
/// can be compared.
enum HARText {
    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return encoder
    }

    static var begin: Data {
        let creator = HARCreator.asyncNet
        return Data(#"{"log":{"creator":{"name":"\#(creator.name)","version":"\#(creator.version)"},"entries":["#.utf8)
    }

    /// - Parameter comment: Plain ASCII without quotes.
    static func end(comment: String?) -> Data {
        Data("\n],\"version\":\"1.2\"\(comment.map { ",\"comment\":\"\($0)\"" } ?? "")}}\n".utf8)
    }

    static func entry(_ entry: HAREntry, isFirst: Bool) throws -> Data {
        try Data((isFirst ? "\n" : ",\n").utf8) + encoder.encode(entry)
    }

    static func file(_ entries: [HAREntry], comment: String?) throws -> Data {
        var data = begin
        for (index, one) in entries.enumerated() { data += try entry(one, isFirst: index == 0) }
        return data + end(comment: comment)
    }

    /// What is missing in a log; `nil` if nothing is.
    static func comment(lost: Int, open: Int) -> String? {
        var parts: [String] = []
        if lost > 0 { parts.append("\(lost) entries are missing, as more were made than were kept") }
        if open > 0 { parts.append("\(open) exchanges had not ended") }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
