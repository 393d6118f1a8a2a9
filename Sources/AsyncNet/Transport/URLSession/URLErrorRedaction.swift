import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Removes userinfo, query and fragment from the URLs in URLSession's errors: in `NSErrorFailingURLKey`,
/// `NSErrorFailingURLStringKey`, and possibly under other keys and in underlying errors.
enum URLErrorRedaction {
    static func error(_ error: any Error) -> any Error {
        let info = userInfo((error as NSError).userInfo, depth: 0)
        if let error = error as? URLError { return URLError(error.code, userInfo: info) }
        let error = error as NSError
        return NSError(domain: error.domain, code: error.code, userInfo: info)
    }

    /// Keeps only texts, numbers, URLs, errors and lists of these: URLSession's tasks would contain requests.
    private static func userInfo(_ info: [String: Any], depth: Int) -> [String: Any] {
        guard depth < 8 else { return [:] }
        return info.compactMapValues { value(of: $0, depth: depth) }
    }

    private static func value(of value: Any, depth: Int) -> Any? {
        switch value {
        case let url as URL: URL(string: url.withoutSecrets)
        case let text as String: self.text(text)
        case let number as NSNumber: number
        case let error as NSError:
            NSError(domain: error.domain, code: error.code, userInfo: userInfo(error.userInfo, depth: depth + 1))
        case let list as [Any]: list.compactMap { self.value(of: $0, depth: depth + 1) }
        default: nil
        }
    }

    static func text(_ text: String) -> String {
        var (shown, rest) = ("", text[...])
        while let mark = rest.firstRange(of: "://") {
            let end = rest[mark.upperBound...].firstIndex { $0.isWhitespace || "\"'<>".contains($0) } ?? rest.endIndex
            shown += rest[..<mark.upperBound] + withoutSecrets(rest[mark.upperBound..<end])
            rest = rest[end...]
        }
        return RedactionRule.standard.text(withURLs: shown + rest)
    }

    /// - Parameter text: The part of a URL after its scheme.
    private static func withoutSecrets(_ text: Substring) -> Substring {
        let url = text.prefix { $0 != "?" && $0 != "#" }
        guard let at = url.prefix(while: { $0 != "/" }).lastIndex(of: "@") else { return url }
        return url[url.index(after: at)...]
    }
}
