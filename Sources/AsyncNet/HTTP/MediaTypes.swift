/// Which media type a file has by its name.
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
}
