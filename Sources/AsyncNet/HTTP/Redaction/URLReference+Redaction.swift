extension URLReference {
    /// The reference for descriptions: without userinfo and fragment, with `<redacted>` in place of a query, and with
    /// the secrets of its path redacted.
    func redactedText(by rule: RedactionRule = .standard) -> String {
        var shown = self
        shown.fragment = nil
        if query != nil { shown.query = "<redacted>" }
        if let at = authority?.lastIndex(of: "@") { shown.authority?.removeSubrange(...at) }
        return rule.text(ofURL: shown.text)
    }
}
