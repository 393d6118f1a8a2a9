import AsyncNet
import Foundation

/// Redacts the message of a failure, in which a transport may have put any text.
struct MessageRedactor {
    let rule: RedactionRule

    func redacted(_ message: String) -> String {
        let json = rule.body(Data(message.utf8), contentType: "application/json")
        let words = rule.text(withURLs: String(decoding: json, as: UTF8.self)).split(
            separator: " ", omittingEmptySubsequences: false)
        var shown: [String] = []
        for word in words {
            // After the name of a secret header or a scheme such as `Bearer`, the rest of the message is secret.
            if let last = shown.last, announcesSecret(last) {
                return (shown + [RedactionRule.mark]).joined(separator: " ")
            }
            shown.append(pair(String(word)))
        }
        return shown.joined(separator: " ")
    }

    private func announcesSecret(_ word: String) -> Bool {
        let name = word.trimmingCharacters(in: .punctuationCharacters)
        if ["Basic", "Bearer", "Digest"].contains(name) { return true }
        return (word.hasSuffix(":") || word.hasSuffix("=")) && isSecret(word)
    }
    /// A word such as `password=...` or `X-Token:...`.
    private func pair(_ word: String) -> String {
        guard let mark = word.firstIndex(where: { $0 == "=" || $0 == ":" }), word.index(after: mark) < word.endIndex
        else { return word }
        let (name, value) = (word[..<mark], word[word.index(after: mark)...])
        guard isSecret(String(name)), value.trimmingCharacters(in: .punctuationCharacters) != RedactionRule.mark else {
            return word
        }
        return word[...mark] + RedactionRule.mark
    }

    private func isSecret(_ word: String) -> Bool {
        let name = word.trimmingCharacters(in: .punctuationCharacters)
        return rule.isSecret(name, in: .header) || rule.isSecret(name, in: .formField)
    }
}
