/// Media types of the usual file name extensions, and the reverse.
enum MediaTypes {
    /// The type of the last extension, case-insensitively; `application/octet-stream` if that is unknown.
    static func type(ofFileNamed name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return unknown }
        return types[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    private static let unknown = "application/octet-stream"

    /// Types by lower-case extension.
    private static let types = Dictionary(entries.flatMap { type, names in names.map { ($0, type) } }) { first, _ in
        first
    }

    /// The usual extension of this type without a dot; `nil` if unknown, and for `application/octet-stream`.
    static func preferredExtension(for type: MediaType) -> String? {
        guard type.description != unknown else { return nil }
        return usual[type.description] ?? firstExtensions[type.description]
    }

    /// The usual extensions of types whose first extension in the table, by the alphabet, is another.
    private static let usual = [
        "application/postscript": "ps", "application/vnd.ms-excel": "xls", "application/vnd.ms-powerpoint": "ppt",
        "audio/mpeg": "mp3", "audio/ogg": "ogg", "image/jpeg": "jpg", "text/html": "html", "text/javascript": "js",
        "text/markdown": "md", "text/plain": "txt", "video/mp4": "mp4", "video/mpeg": "mpg",
    ]

    private static let firstExtensions = Dictionary(entries.map { ($0.lowercased(), $1[0]) }) { first, _ in first }

    static let entries: [(type: String, extensions: [String])] = table.split(separator: "\n").flatMap { line in
        let words = line.split(separator: " ")
        return words.dropFirst().map { word in
            let parts = word.split(separator: ":").map(String.init)
            return (type: "\(words[0])\(parts[0])", extensions: Array(parts.dropFirst()))
        }
    }
}
