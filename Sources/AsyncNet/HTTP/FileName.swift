import Foundation

/// Names of files that servers send, made safe on all platforms: a server must not choose a path.
enum FileName {
    /// A safe name for a download: the server's, else the last component of the URL's path, else `download` with the
    /// extension of the media type.
    static func suggested(by disposition: ContentDisposition?, url: URL?, mediaType: MediaType?) -> String {
        if let name = disposition?.fileName.flatMap(safe) ?? url.flatMap(lastComponent).flatMap(safe) { return name }
        let suffix = mediaType.flatMap(MediaTypes.preferredExtension).map { ".\($0)" }
        return "download" + (suffix ?? "")
    }

    /// A name that is a plain file name on all platforms; `nil` if no visible character is left.
    ///
    /// - Only the last component of a path with `/` or `\` is kept, up to 255 bytes of UTF-8; shortening keeps the
    ///   extension.
    /// - Control, bidi and other invisible characters are removed, since they make a name look like another.
    /// - `< > : " | ? *` become `_`, and Windows device names get a `_` before them.
    /// - Dots and white space at both ends are removed: a leading dot hides a file, trailing dots are lost on Windows.
    static func safe(_ name: String) -> String? {
        guard let component = name.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last else {
            return nil
        }
        let kept = component.filter { !isInvisible($0) }.map { replaced.contains($0) ? "_" : $0 }
        var name = trimmed(kept)
        if isReserved(name) { name = "_" + name }
        name = shortened(name)
        return name.unicodeScalars.allSatisfy(\.properties.isDefaultIgnorableCodePoint) ? nil : name
    }

    /// Splits at the URL's slashes, not at percent-encoded ones, at which ``safe(_:)`` splits after decoding.
    private static func lastComponent(of url: URL) -> String? {
        guard let component = URLReference(url.absoluteString).path.split(separator: "/").last else { return nil }
        return component.removingPercentEncoding ?? String(component)
    }

    private static let replaced: Set<Unicode.Scalar> = ["<", ">", ":", "\"", "|", "?", "*"]

    /// Joiners and tags are kept, since emoji and several scripts need them.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch scalar {
        case "\u{200C}", "\u{200D}", "\u{E0020}"..."\u{E007F}": return false
        default: break
        }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: properties.isDefaultIgnorableCodePoint
        default: properties.isNoncharacterCodePoint
        }
    }

    private static func trimmed(_ scalars: [Unicode.Scalar]) -> String {
        func isLoose(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar.properties.isWhitespace }
        let start = scalars.drop(while: isLoose)
        let end = start.lastIndex { !isLoose($0) } ?? start.startIndex - 1
        return String(String.UnicodeScalarView(start[..<(end + 1)]))
    }

    /// Whether Windows treats the text before the first dot as a device name.
    private static func isReserved(_ name: String) -> Bool {
        let stem = name.prefix { $0 != "." }.uppercased().trimmedHTTPSpace
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(stem) { return true }
        guard stem.hasPrefix("COM") || stem.hasPrefix("LPT"), stem.count == 4, let port = stem.last else {
            return false
        }
        return "0123456789¹²³".contains(port)
    }

    private static let limit = 255
    /// Longer suffixes are not extensions.
    private static let extensionLimit = 32

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > limit else { return name }
        let suffix = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        guard !suffix.isEmpty, suffix.utf8.count <= extensionLimit else {
            return trimmed(Array(cut(name[...], to: limit).unicodeScalars))
        }
        return cut(name[..<suffix.startIndex], to: limit - suffix.utf8.count) + suffix
    }

    /// Cuts between characters, or inside the first character if that alone exceeds the limit.
    private static func cut(_ text: Substring, to limit: Int) -> String {
        var rest = limit
        let characters = text.prefix {
            rest -= $0.utf8.count
            return rest >= 0
        }
        guard characters.isEmpty else { return String(characters) }
        rest = limit
        return String(
            Substring(
                text.unicodeScalars.prefix {
                    rest -= UTF8.width($0)
                    return rest >= 0
                }))
    }
}

extension HTTPResponseHead {
    /// A file name for the body: from `Content-Disposition` (RFC 6266), else the URL's last component, else `download`.
    ///
    /// Safe on all platforms: never a path, hidden, reserved or empty, at most 255 bytes of UTF-8. The first valid
    /// `Content-Disposition` is used: RFC 6266 allows only one, and intermediaries append theirs.
    public var suggestedFileName: String {
        let disposition = values(of: .contentDisposition).lazy.compactMap { ContentDisposition($0) }.first
        return FileName.suggested(by: disposition, url: url, mediaType: mediaType)
    }
}
