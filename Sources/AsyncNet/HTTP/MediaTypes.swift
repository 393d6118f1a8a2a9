/// Which media type a file has by its name, and which name a file has by its type.
package enum MediaTypes {
    /// The type by the last extension, without regard to case; `application/octet-stream` if that says nothing.
    package static func type(ofFileNamed name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return unknown }
        return types[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    private static let unknown = "application/octet-stream"

    /// Extensions in lower case, and their types. A dictionary of a thousand entries takes a millisecond, once.
    private static let types: [String: String] = {
        var types: [String: String] = [:]
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            for name in words.dropFirst() { types[String(name)] = words.first.map(String.init) }
        }
        return types
    }()

    /// The extension that files of this type usually have, without a dot; `nil` if none is known, or the type says
    /// nothing.
    package static func preferredExtension(for type: MediaType) -> String? {
        guard type.description != unknown else { return nil }
        return usual[type.description] ?? firstExtensions[type.description]
    }

    /// Where the first one of the table, which is in the order of the alphabet, is not the usual one.
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
