/// What differs between a request and a recorded request, field by field.
struct RequestDifference: Sendable {
    let fields: [FieldDifference]

    /// The sum of the weights: another path counts more than another query item.
    var distance: Int { fields.reduce(0) { $0 + $1.weight } }

    init(sent: ComparedRequest, recorded: ComparedRequest) {
        var fields: [FieldDifference] = []
        func add(_ field: String, _ sent: String?, _ recorded: String?, weight: Int) {
            if sent != recorded { fields.append(FieldDifference(field, sent, recorded, weight: weight)) }
        }
        add("method", sent.method, recorded.method, weight: 6)
        add("origin", sent.origin, recorded.origin, weight: 6)
        add("host", sent.host, recorded.host, weight: 6)
        add("path", sent.path, recorded.path, weight: Self.pathWeight(sent.path ?? "", recorded.path ?? ""))
        fields += Self.items("query", sent.query, recorded.query)
        for name in Set(sent.headers.keys).union(recorded.headers.keys).sorted() {
            add("header \(name)", sent.headers[name], recorded.headers[name], weight: 2)
        }
        fields += BodyDifference(sent: sent.body ?? .none, recorded: recorded.body ?? .none).fields
        self.fields = fields
    }

    /// Grows with the number of segments that were added, removed or changed.
    private static func pathWeight(_ sent: String, _ recorded: String) -> Int {
        let changes = sent.split(separator: "/").difference(from: recorded.split(separator: "/"))
        return 4 * max(1, changes.insertions.count, changes.removals.count)
    }

    static func items(_ kind: String, _ sent: ComparedItems?, _ recorded: ComparedItems?) -> [FieldDifference] {
        let (sent, recorded) = (sent?.values ?? [:], recorded?.values ?? [:])
        return Set(sent.keys).union(recorded.keys).sorted().flatMap { name in
            values("\(kind) \(ShortText.of(name))", sent[name] ?? [], recorded[name] ?? [])
        }
    }

    /// The differing values of one name. If the name has several values, each difference has its index.
    private static func values(_ field: String, _ sent: [String], _ recorded: [String]) -> [FieldDifference] {
        let count = max(sent.count, recorded.count)
        return (0..<count).compactMap { index in
            let one = sent.indices.contains(index) ? sent[index] : nil
            let other = recorded.indices.contains(index) ? recorded[index] : nil
            return one == other ? nil : FieldDifference(count > 1 ? "\(field)[\(index)]" : field, one, other)
        }
    }
}
