import Foundation

@testable import AsyncNet

/// A folder of its own for a test; it goes with its last holder.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "asyncnet-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String, _ data: Data) throws -> URL {
        let file = url.appending(path: name)
        try data.write(to: file)
        return file
    }

    var contents: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] }
}

/// Bytes that differ from place to place: a piece of a length that no buffer has, over and over.
func patternedData(_ count: Int) -> Data {
    var data = Data(capacity: count)
    while data.count < count { data.append(patternedPiece.prefix(count - data.count)) }
    return data
}

private let patternedPiece = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

/// These texts, one chunk each.
func chunks(_ texts: String...) -> AsyncStream<Data> {
    AsyncStream { continuation in
        for text in texts { continuation.yield(Data(text.utf8)) }
        continuation.finish()
    }
}

extension TemporaryFolder {
    /// Says of the file that it was written at one time in the past, the same each time.
    func setBack(_ file: URL) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: file.path)
    }

    /// What a download left that had received this much.
    func resumeData(_ url: URL, _ received: Data, validator: String = "\"1\"", totalBytes: Int64? = nil) throws
        -> ResumeData
    {
        let partial = self.url.appending(path: ".AsyncNet-\(UUID().uuidString.prefix(13)).partial")
        return ResumeData(
            url: url, validator: validator, partialFile: partial, totalBytes: totalBytes,
            mark: try partialFile(partial, received))
    }

    /// A partial file as a download makes it, and its mark.
    func partialFile(_ url: URL, _ received: Data, _ place: PartialFile.MarkPlace = .attribute) throws -> String {
        let file = try OutputFile(new: url.path, place)
        try file.append(received)
        return file.mark
    }

    /// What a download with `.continuePartialFile` left beside its target.
    func leave(
        _ received: Data, at target: URL, _ url: URL, validator: String = "\"1\"", totalBytes: Int64? = nil,
        prefix: Int64? = nil
    ) throws -> ResumeData {
        let partial = target.appendingPathExtension("partial")
        let notes = ResumeData(
            url: url, validator: validator, partialFile: partial, totalBytes: totalBytes, prefix: prefix,
            mark: try partialFile(partial, received))
        try JSONEncoder().encode(notes).write(to: target.appendingPathExtension("partial.json"))
        return notes
    }
}
