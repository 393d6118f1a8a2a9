import AsyncNet
import Foundation

/// What stands after the first URL: another URL, or one of httpie's shorthands.
enum Shorthand: Equatable {
    case url(String)
    /// `name=value`: a field of a JSON object.
    case text(String, String)
    /// `name:=json`.
    case json(String, String)
    /// `name==value`.
    case query(String, String)
    /// `Header:value`.
    case header(String)

    init(_ argument: String) {
        guard !URLText.hasScheme(argument), !argument.hasPrefix(":"),
            let end = argument.firstIndex(where: { "=:".contains($0) }), end != argument.startIndex,
            !argument.hasPrefix("["), !argument[..<end].contains(where: { "/?".contains($0) })
        else {
            self = .url(argument)
            return
        }
        let (name, rest) = (String(argument[..<end]), argument[end...])
        if rest.hasPrefix("==") {
            self = .query(name, String(rest.dropFirst(2)))
        } else if rest.hasPrefix("=") {
            self = .text(name, String(rest.dropFirst()))
        } else if rest.hasPrefix(":=") {
            self = .json(name, String(rest.dropFirst(2)))
        } else {
            self = Self.isAddress(name, rest.dropFirst()) ? .url(argument) : .header(argument)
        }
    }

    /// `localhost:8080`, `example.com:80` or `host:80/path`, and not `Max-Forwards:10`.
    private static func isAddress(_ name: String, _ rest: Substring) -> Bool {
        let port = rest.prefix { $0.isASCII && $0.isNumber }
        guard !port.isEmpty else { return false }
        let next = rest.dropFirst(port.count).first
        return next == "/" || next == nil && (name == "localhost" || name.contains("."))
    }
}

/// The arguments that are no options, sorted.
struct Positionals {
    private(set) var urls: [String] = []
    private(set) var headers: [String] = []
    private(set) var queries: [(String, String)] = []
    private var members: [String] = []

    /// - Throws: ``ExitError`` for JSON that is none.
    init(_ arguments: [String]) throws(ExitError) {
        for (index, argument) in arguments.enumerated() {
            switch index == 0 ? .url(argument) : Shorthand(argument) {
            case .url(let url): urls.append(url)
            case .header(let header): headers.append(header)
            case .query(let name, let value): queries.append((name, value))
            case .text(let name, let value): add(name, JSON(value).description)
            case .json(let name, let text): add(name, try Self.checked(text, name))
            }
        }
    }

    /// The object of all fields; `nil` without one.
    var json: Data? { members.isEmpty ? nil : Data("{\(members.joined(separator: ", "))}".utf8) }

    private mutating func add(_ name: String, _ value: String) { members.append("\(JSON(name)): \(value)") }

    private static func checked(_ text: String, _ name: String) throws(ExitError) -> String {
        guard (try? JSON(parsing: text)) != nil else {
            throw ExitError(ExitStatus.usage, "\(name):= needs JSON; \(name)= sends text.")
        }
        return text
    }
}
