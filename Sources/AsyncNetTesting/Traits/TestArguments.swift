import Testing

extension Test.Case {
    /// The texts of the arguments; empty for a test without parameters, `nil` if Swift Testing hides them.
    ///
    /// The arguments are found by reflection: `Test.Case` has them, but not in public. If a version of Swift Testing
    /// has them elsewhere, the result is `nil`, and a path with `{test}` or `{argument}` is an error.
    var argumentTexts: [String]? {
        guard isParameterized else { return [] }
        let mirror = Mirror(reflecting: self)
        let found = mirror.descendant("_kind", 0, "arguments") ?? mirror.descendant("arguments")
        guard let found else { return nil }
        let values = Mirror(reflecting: found).children.map { Mirror(reflecting: $0.value).descendant("value") }
        guard !values.isEmpty, values.allSatisfy({ $0 != nil }) else { return nil }
        return values.compactMap { $0 }.map { ($0 as? String) ?? String(describingForTest: $0) }
    }
}
