import Foundation

/// The path of a recorded network's file, in which `{test}` and `{argument}` stand for the test's name and arguments.
struct RecordingPath: Equatable, Sendable {
    /// The path as it was written.
    let text: String
    /// The source file of the trait.
    let sourceFile: String

    /// The file for a test.
    ///
    /// - Parameters:
    ///   - name: The test's function, such as `loads(id:)`.
    ///   - arguments: The texts of its arguments; empty for a test without parameters.
    func file(for name: String, _ arguments: [String]) -> URL {
        let test = Self.fileName(String(name.prefix { $0 != "(" }))
        let argument = Self.fileName(arguments.joined(separator: "-"))
        let isWhole = arguments.isEmpty || text.contains("{argument}")
        let path =
            text.replacing("{test}", with: isWhole ? test : "\(test)-\(argument)").replacing(
                "{argument}", with: argument)
        guard !path.hasPrefix("/") else { return URL(filePath: path) }
        return URL(filePath: sourceFile).deletingLastPathComponent().appending(path: path).standardizedFileURL
    }

    /// The text as a file name: characters that some file systems refuse become hyphens. A text that this changes, or a
    /// long one, is shortened and gets its hash, so that different texts stay different.
    static func fileName(_ text: String) -> String {
        let plain = text.unicodeScalars.map { isPlain($0) ? Character($0) : "-" }
        guard String(plain) != text || plain.count > 60 || text.hasPrefix(".") else { return text }
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let start = String(plain.prefix(40)).drop { $0 == "." || $0 == "-" }
        return "\(start)\(start.isEmpty ? "" : "-")\(String(hash & 0xffff_ffff, radix: 16))"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-_.".unicodeScalars.contains(scalar))
    }
}
