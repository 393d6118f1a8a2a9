import AsyncNet
import Foundation

/// What differs between two bodies, field by field.
struct BodyDifference {
    private(set) var fields: [FieldDifference] = []

    init(sent: ComparedBody, recorded: ComparedBody) {
        compare("body", sent, recorded)
        // All fields together weigh at most 3, so that many differences in a body count less than another path.
        var weight = 0
        fields = fields.map { field in
            weight += field.weight
            return weight <= 3 ? field : FieldDifference(field.field, describing: field.values, weight: 0)
        }
    }

    private mutating func compare(_ field: String, _ sent: ComparedBody, _ recorded: ComparedBody) {
        guard sent != recorded, recorded != .incomplete else { return }
        switch (sent, recorded) {
        case (.json(let one), .json(let other)): compare(field, one, other)
        case (.form(let one), .form(let other)): fields += RequestDifference.items(field, one, other)
        case (.multipart(let one), .multipart(let other)): compare(field, one, other)
        case (.text(let one), .text(let other)): compareLines(field, one, other)
        case (.bytes(let one), .bytes(let other)): compareBytes(field, one, other)
        default: fields.append(FieldDifference(field, describing: "\(sent.summary) ≠ \(recorded.summary)", weight: 3))
        }
    }

    // MARK: JSON

    private mutating func compare(_ field: String, _ sent: JSON, _ recorded: JSON) {
        guard sent != recorded else { return }
        if let one = sent.object, let other = recorded.object {
            for name in Set(one.keys).union(other.keys).sorted() {
                compare("\(field)\(Self.member(name))", sent[name], recorded[name])
            }
        } else if let one = sent.array, let other = recorded.array {
            for index in 0..<max(one.count, other.count) { compare("\(field)[\(index)]", sent[index], recorded[index]) }
        } else {
            fields.append(FieldDifference(field, sent.shown, recorded.shown))
        }
    }

    private static func member(_ name: String) -> String {
        let isPlain =
            !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
                default: byte >= 0x80
                }
            }
        return isPlain ? ".\(name)" : "[\(JSON(name).text)]"
    }

    // MARK: Multipart forms

    private mutating func compare(
        _ field: String, _ sent: [String: [ComparedBody.Part]], _ recorded: [String: [ComparedBody.Part]]
    ) {
        for name in Set(sent.keys).union(recorded.keys).sorted() {
            let (one, other) = (sent[name] ?? [], recorded[name] ?? [])
            let count = max(one.count, other.count)
            for index in 0..<count {
                let part = "\(field) part \(ShortText.of(name))\(count > 1 ? "[\(index)]" : "")"
                compare(
                    part, one.indices.contains(index) ? one[index] : nil,
                    other.indices.contains(index) ? other[index] : nil)
            }
        }
    }

    private mutating func compare(_ field: String, _ sent: ComparedBody.Part?, _ recorded: ComparedBody.Part?) {
        guard let sent, let recorded else {
            if sent != recorded {
                fields.append(FieldDifference(field, sent?.content.summary, recorded?.content.summary))
            }
            return
        }
        if sent.fileName != recorded.fileName {
            fields.append(FieldDifference("\(field) file name", sent.fileName, recorded.fileName))
        }
        if sent.type != recorded.type { fields.append(FieldDifference("\(field) type", sent.type, recorded.type)) }
        compare(field, sent.content, recorded.content)
    }

    // MARK: Text and bytes

    private mutating func compareLines(_ field: String, _ sent: String, _ recorded: String) {
        let one = sent.split(separator: "\n", omittingEmptySubsequences: false)
        let other = recorded.split(separator: "\n", omittingEmptySubsequences: false)
        guard max(one.count, other.count) > 1 else { return fields.append(FieldDifference(field, sent, recorded)) }
        for index in 0..<max(one.count, other.count) {
            let line = one.indices.contains(index) ? String(one[index]) : nil
            let otherLine = other.indices.contains(index) ? String(other[index]) : nil
            if line != otherLine { fields.append(FieldDifference("\(field) line \(index + 1)", line, otherLine)) }
        }
    }

    private mutating func compareBytes(_ field: String, _ sent: Data, _ recorded: Data) {
        let equal = zip(sent, recorded).prefix { $0 == $1 }.count
        let text = "\(sent.count) bytes ≠ \(recorded.count) bytes, the first \(equal) of them equal"
        fields.append(FieldDifference(field, describing: text))
    }
}

extension ComparedBody {
    /// The body's kind, with its beginning or size.
    fileprivate var summary: String {
        switch self {
        case .none: "(missing)"
        case .json(let json): ShortText.of(json.text)
        case .form(let items): "a form of \(items.values.count) field(s)"
        case .multipart(let parts): "a multipart form of \(parts.values.reduce(0) { $0 + $1.count }) part(s)"
        case .text(let text): "the text \(ShortText.of(text))"
        case .bytes(let data): "\(data.count) bytes"
        case .incomplete: "a part of a body"
        }
    }
}

extension JSON {
    fileprivate var text: String { String(decoding: data(options: .sortedKeys), as: UTF8.self) }
    /// The value's text; `nil` for a value that is missing.
    fileprivate var shown: String? { exists ? text : nil }
}
