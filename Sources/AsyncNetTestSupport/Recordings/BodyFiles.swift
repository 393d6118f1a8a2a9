import AsyncNet
import Foundation

/// Bodies in files of their own, in a folder beside a recording's file. A file's name has the hash of its bytes, so
/// that a body that has not changed is not written again, and equal bodies are one file.
struct BodyFiles {
    let largestInline: Int
    private var bodies: [String: Data] = [:]

    init(largestInline: Int) { self.largestInline = largestInline }

    static func folder(of file: URL) -> URL {
        file.deletingLastPathComponent().appending(path: file.lastPathComponent + ".files")
    }

    /// - Returns: The name of the body's file.
    mutating func add(_ body: Data, contentType: String?) -> String {
        let subtype = contentType.flatMap(MediaType.last)?.subtype ?? ""
        let isExtension = 1...5 ~= subtype.utf8.count && subtype.utf8.allSatisfy { Self.isLetterOrDigit($0) }
        let name = "\(body.sha256.prefix(32)).\(isExtension ? subtype : "bin")"
        bodies[name] = body
        return name
    }

    /// Whether a text can be the name of a body's file. Any other name in a recording is refused.
    static func isName(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].count == 32 && 1...5 ~= parts[1].count
            && parts.joined().allSatisfy { isLetterOrDigit($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || byte &- 0x61 < 26 }

    /// - Returns: The files that were written, since they did not exist with these bytes.
    func write(to folder: URL) throws -> [URL] {
        guard !bodies.isEmpty else { return [] }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var made: [URL] = []
        do {
            for (name, body) in bodies.sorted(by: { $0.key < $1.key }) {
                let file = folder.appending(path: name)
                guard (try? Data(contentsOf: file)) != body else { continue }
                try body.write(to: file, options: .atomic)
                made.append(file)
            }
        } catch {
            made.forEach { try? FileManager.default.removeItem(at: $0) }
            throw error
        }
        return made
    }

    /// Removes the files of bodies that are not in the recording any more, and the folder if it is empty then.
    func removeOthers(in folder: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where bodies[name] == nil && Self.isName(name) {
            try? FileManager.default.removeItem(at: folder.appending(path: name))
        }
        Self.removeIfEmpty(folder)
    }

    static func removeIfEmpty(_ folder: URL) {
        guard (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.isEmpty == true else { return }
        try? FileManager.default.removeItem(at: folder)
    }
}
