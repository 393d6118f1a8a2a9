import AsyncNet
import Foundation

/// What a room sends: a line that somebody said. Numbers grow by one from line to line.
struct Line: Codable, Equatable {
    let number: Int
    let name: String
    let text: String
}

/// What a visitor sends: first a name with the last line that it knows, then lines.
enum Contribution: Equatable {
    case join(name: String, after: Int)
    case say(String)
}

/// `{"type": "join", "name": "Ada", "after": 7}` or `{"type": "say", "text": "hello"}`.
extension Contribution: Codable {
    private enum Key: String, CodingKey { case type, name, after, text }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        if try fields.decode(String.self, forKey: .type) == "join" {
            let name = try fields.decode(String.self, forKey: .name)
            self = .join(name: name, after: try fields.decode(Int.self, forKey: .after))
        } else {
            self = .say(try fields.decode(String.self, forKey: .text))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        switch self {
        case .join(let name, let after):
            try fields.encode("join", forKey: .type)
            try fields.encode(name, forKey: .name)
            try fields.encode(after, forKey: .after)
        case .say(let text):
            try fields.encode("say", forKey: .type)
            try fields.encode(text, forKey: .text)
        }
    }

    func message() throws -> WebSocketMessage { .text(String(decoding: try JSONEncoder().encode(self), as: UTF8.self)) }
}

/// Somebody in a room, and how much of it they have seen.
actor Visitor {
    let name: String
    private var last = 0

    init(name: String) { self.name = name }

    /// Sent when a connection opens, the first and each later one: the room goes on after the last line seen.
    func joining() throws -> WebSocketMessage { try Contribution.join(name: name, after: last).message() }

    /// The text for a message of the room; `nil` for a line that was seen before.
    func seen(_ message: WebSocketMessage) throws -> String? {
        let line =
            switch message {
            case .text(let text): try JSONDecoder().decode(Line.self, from: Data(text.utf8))
            case .binary(let data): try JSONDecoder().decode(Line.self, from: data)
            }
        guard line.number > last else { return nil }
        last = line.number
        // Somebody else's text: a terminal would execute control characters.
        return "\(line.name): \(line.text)".filter { character in
            !character.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }
    }
}
