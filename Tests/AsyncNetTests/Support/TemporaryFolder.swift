import Foundation

@testable import AsyncNet

/// A folder of a test's own, which is removed when nobody holds this object any more.
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

/// A repeated pattern, whose length is a prime number, so that bytes in a wrong place differ.
func patternedData(_ count: Int) -> Data {
    var data = Data(capacity: count)
    while data.count < count { data.append(patternedPiece.prefix(count - data.count)) }
    return data
}

private let patternedPiece = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

/// A body with these texts as its chunks.
func chunks(_ texts: String...) -> AsyncStream<Data> {
    AsyncStream { continuation in
        for text in texts { continuation.yield(Data(text.utf8)) }
        continuation.finish()
    }
}

extension TemporaryFolder {
    /// Sets the time at which the file was written to a fixed time in the past.
    func setBack(_ file: URL) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: file.path)
    }

    /// The resume data and the partial file of a download that received these bytes.
    func resumeData(_ url: URL, _ received: Data, validator: String = "\"1\"", totalBytes: Int64? = nil) throws
        -> ResumeData
    {
        let partial = self.url.appending(path: ".AsyncNet-\(UUID().uuidString.prefix(13)).partial")
        return ResumeData(
            url: url, validator: validator, partialFile: partial, totalBytes: totalBytes,
            mark: try partialFile(partial, received))
    }

    /// Makes a partial file as a download does, and returns its mark.
    func partialFile(_ url: URL, _ received: Data, _ place: PartialFile.MarkPlace = .attribute) throws -> String {
        let file = try OutputFile(new: url.path, place)
        try file.append(received)
        return file.mark
    }

    /// Makes the files that a download with `.continuePartialFile` leaves beside its target when it breaks off.
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
