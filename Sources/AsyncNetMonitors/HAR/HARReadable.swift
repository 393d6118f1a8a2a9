package import AsyncNet
import Foundation

/// A copy of a body's text for people who review a file: a JSON document with its members on lines of their own and
/// sorted, or the lines of another text. Programs that read the file use the exact text, and ignore this copy.
package enum HARReadable: Codable, Sendable, Hashable {
    case json(JSON)
    case lines([String])

    /// The copy of a text; `nil` for more than 64 KiB, and for one line that is no JSON object or array with members.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.mostBytes else { return nil }
        if let json = Self.json(text) {
            self = .json(json)
            return
        }
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.last == "\r" ? line.dropLast() : line)
        }
        guard lines.filter({ !$0.isEmpty }).count > 1 else { return nil }
        self = .lines(lines)
    }

    private static let mostBytes = 64 * 1024

    /// The parsed text, if it is an object or an array whose numbers an encoder can write.
    private static func json(_ text: String) -> JSON? {
        guard let json = try? JSON(parsing: text), json.object?.isEmpty == false || json.array?.isEmpty == false else {
            return nil
        }
        return (try? JSONEncoder().encode(json)).map { _ in json }
    }

    package init(from decoder: any Decoder) throws { self = .json(try JSON(from: decoder)) }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .json(let json): try json.encode(to: encoder)
        case .lines(let lines): try lines.encode(to: encoder)
        }
    }
}
