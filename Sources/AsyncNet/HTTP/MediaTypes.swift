/// Media types of file name extensions, and the reverse.
enum MediaTypes {
    /// The type of the last extension, case-insensitively; `application/octet-stream` if that is unknown.
    static func type(ofFileNamed name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return unknown }
        return types[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    private static let unknown = "application/octet-stream"

    /// Types by lower-case extension. Creating a dictionary of a thousand entries takes a millisecond, once.
    private static let types: [String: String] = {
        var types: [String: String] = [:]
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            for name in words.dropFirst() { types[String(name)] = words.first.map(String.init) }
        }
        return types
    }()

    /// The usual extension of this type without a dot; `nil` if it is unknown, or the type is
    /// `application/octet-stream`.
    static func preferredExtension(for type: MediaType) -> String? {
        guard type.description != unknown else { return nil }
        return usual[type.description] ?? firstExtensions[type.description]
    }

    /// Exceptions from the table, whose extensions are in alphabetical order.
    private static let usual = [
        "application/postscript": "ps", "application/vnd.ms-excel": "xls", "application/vnd.ms-powerpoint": "ppt",
        "audio/mpeg": "mp3",
        "audio/ogg": "ogg", "image/jpeg": "jpg", "text/html": "html", "text/javascript": "js", "text/markdown": "md",
        "text/plain": "txt",
        "video/mp4": "mp4", "video/mpeg": "mpg",
    ]

    private static let firstExtensions: [String: String] = {
        let lines = table.split(separator: "\n").map { $0.split(separator: " ") }
        return Dictionary(lines.filter { $0.count > 1 }.map { ($0[0].lowercased(), String($0[1])) }) { first, _ in first
        }
    }()
}
