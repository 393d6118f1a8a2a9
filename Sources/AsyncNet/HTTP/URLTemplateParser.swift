/// Parses a template into literals and expressions (RFC 6570 §2).
struct URLTemplateParser {
    enum Part: Equatable {
        case literal(String)
        case expression(Operator, [Variable])
    }

    /// What an expression begins with, and how it is expanded (RFC 6570 Appendix A).
    enum Operator: Character {
        case simple = " "
        case reserved = "+"
        case fragment = "#"
        case label = "."
        case segment = "/"
        case parameter = ";"
        case query = "?"
        case continuation = "&"
    }

    struct Variable: Equatable {
        enum Modifier: Equatable {
            case none
            case explode
            /// How many characters of a text are expanded, from its start.
            case prefix(Int)
        }

        let name: String
        let modifier: Modifier
    }

    private let text: String

    init(_ text: String) { self.text = text }

    func parts() throws(AsyncNetError) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while !rest.isEmpty {
            let literal = rest.prefix { $0 != "{" }
            guard !literal.contains("}") else { throw error("has a } without a {") }
            if !literal.isEmpty { parts.append(.literal(String(literal))) }
            rest = rest[literal.endIndex...]
            guard !rest.isEmpty else { break }
            guard let end = rest.firstIndex(of: "}") else { throw error("has a { without a }") }
            parts.append(try expression(rest[rest.index(after: rest.startIndex)..<end]))
            rest = rest[rest.index(after: end)...]
        }
        return parts
    }

    private func expression(_ text: Substring) throws(AsyncNetError) -> Part {
        let found = text.first.flatMap { $0 == " " ? nil : Operator(rawValue: $0) }
        let names = found == nil ? text : text.dropFirst()
        var variables: [Variable] = []
        for name in names.split(separator: ",", omittingEmptySubsequences: false) {
            variables.append(try variable(name))
        }
        return .expression(found ?? .simple, variables)
    }

    private func variable(_ text: Substring) throws(AsyncNetError) -> Variable {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let explodes = parts.count == 1 && text.hasSuffix("*")
        let name = String(explodes ? text.dropLast() : parts.first ?? "")
        guard Self.isName(name) else { throw error("has an expression that is not a list of names") }
        guard parts.count > 1 else { return Variable(name: name, modifier: explodes ? .explode : .none) }
        guard parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let length = Int(parts[1]), 1..<10_000 ~= length else {
            throw error("has a length that is not a number from 1 to 9999")
        }
        return Variable(name: name, modifier: .prefix(length))
    }

    /// Letters, digits, underscores and percent-encoded bytes, with single dots between them.
    private static func isName(_ text: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty
                && word.utf8.allSatisfy { HTTPSyntax.isAlphanumeric($0) || $0 == 0x5F || $0 == 0x25 }
                && PercentEncoding.isValid(word)
        }
    }

    private func error(_ reason: String) -> AsyncNetError {
        AsyncNetError(.malformedURL, "The URL template \(reason): \(text)")
    }
}
