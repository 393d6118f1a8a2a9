/// Expands the parts of a template (RFC 6570 §3).
struct URLTemplateExpansion {
    typealias Operator = URLTemplateParser.Operator
    typealias Variable = URLTemplateParser.Variable

    private let values: [String: URLTemplate.Value]
    /// The texts expanded so far, and whether each comes from an expression whose dot segments are encoded.
    private var pieces: [(text: String, isGuarded: Bool)] = []

    init(_ values: [String: URLTemplate.Value]) { self.values = values }

    mutating func add(_ part: URLTemplateParser.Part) throws(AsyncNetError) {
        switch part {
        case .literal(let text): pieces.append((PercentEncoding.encodedKeepingReserved(text), false))
        case .expression(let form, let variables):
            var expanded: [String] = []
            for variable in variables { expanded += try self.expanded(variable, form) }
            guard !expanded.isEmpty else { return }
            let text = form.first + expanded.joined(separator: form.separator)
            pieces.append((text, !form.keepsReserved))
        }
    }

    /// The pieces joined. The dots of a path segment `.` or `..` are encoded if any of it comes from an expression other
    /// than `{+name}` and `{#name}`.
    var text: String {
        var text = ""
        var segment = ""
        var isGuarded = false
        var isPath = true
        func ended() -> String {
            isGuarded && PercentEncoding.isDotSegment(segment) ? PercentEncoding.encodedDots(segment) : segment
        }
        for piece in pieces {
            for character in piece.text.unicodeScalars {
                guard isPath, "/?#".unicodeScalars.contains(character) else {
                    segment.unicodeScalars.append(character)
                    if piece.isGuarded { isGuarded = true }
                    continue
                }
                text += ended()
                text.unicodeScalars.append(character)
                segment = ""
                isGuarded = false
                isPath = character == "/"
            }
        }
        return text + (isPath ? ended() : segment)
    }

    /// The texts that the operator's separator joins; none for a variable without a value.
    private func expanded(_ variable: Variable, _ form: Operator) throws(AsyncNetError) -> [String] {
        switch values[variable.name] ?? .undefined {
        case .undefined: return []
        case .text(let text):
            guard case .prefix(let length) = variable.modifier else { return [form.named(variable.name, text)] }
            return [form.named(variable.name, String(text.unicodeScalars.prefix(length)))]
        case .list(let texts): return try list(texts, variable, form)
        case .pairs(let pairs): return try list(pairs, variable, form)
        }
    }

    private func list(
        _ texts: [String], _ variable: Variable, _ form: Operator
    ) throws(AsyncNetError) -> [String] {
        try refusePrefix(variable)
        guard variable.modifier == .none else { return texts.map { form.named(variable.name, $0) } }
        return texts.isEmpty ? [] : [form.named(variable.name, encoded: texts.map(form.encoded))]
    }

    private func list(
        _ pairs: [URLTemplate.Value.Pair], _ variable: Variable, _ form: Operator
    ) throws(AsyncNetError) -> [String] {
        try refusePrefix(variable)
        guard variable.modifier == .none else {
            return pairs.map { form.pair(form.encoded($0.name), form.encoded($0.value)) }
        }
        let texts = pairs.flatMap { [form.encoded($0.name), form.encoded($0.value)] }
        return texts.isEmpty ? [] : [form.named(variable.name, encoded: texts)]
    }

    private func refusePrefix(_ variable: Variable) throws(AsyncNetError) {
        guard case .prefix = variable.modifier else { return }
        throw AsyncNetError(.malformedURL, "The URL template limits the length of \(variable.name), which is no text")
    }
}

extension URLTemplateParser.Operator {
    /// What is written before the first text.
    fileprivate var first: String {
        switch self {
        case .simple, .reserved: ""
        default: String(rawValue)
        }
    }

    fileprivate var separator: String {
        switch self {
        case .simple, .reserved, .fragment: ","
        case .query, .continuation: "&"
        default: String(rawValue)
        }
    }

    fileprivate var keepsReserved: Bool { self == .reserved || self == .fragment }

    private var isNamed: Bool { self == .parameter || self == .query || self == .continuation }

    fileprivate func encoded(_ text: String) -> String {
        keepsReserved ? PercentEncoding.encodedKeepingReserved(text) : PercentEncoding.encoded(text)
    }

    /// A text, with the variable's name where the operator requires it.
    fileprivate func named(_ name: String, _ text: String) -> String { named(name, encoded: [encoded(text)]) }

    fileprivate func named(_ name: String, encoded texts: [String]) -> String {
        let text = texts.joined(separator: ",")
        return isNamed ? pair(name, text) : text
    }

    /// A parameter without a value has no equals sign, unlike a member of a query.
    fileprivate func pair(_ name: String, _ value: String) -> String {
        self == .parameter && value.isEmpty ? name : "\(name)=\(value)"
    }
}
