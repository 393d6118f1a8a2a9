import Foundation

/// Proves that a file is the one that was meant.
enum FileChecksum {
    private static let chunkSize = 1 << 20

    /// Reads the file once for each algorithm.
    ///
    /// - Throws: `.checksumMismatch` for the first that differs; `CancellationError`.
    @concurrent
    static func verify(_ path: String, against checksums: [Checksum]) async throws {
        for checksum in Set(checksums) {
            let actual = try await digest(of: path, checksum.algorithm)
            guard actual == checksum.bytes else {
                throw AsyncNetError(.checksumMismatch, "The download's checksum is not \(checksum), as it should be")
            }
        }
    }

    private static func digest(of path: String, _ algorithm: HashAlgorithm) async throws -> [UInt8] {
        var digest = MessageDigest(algorithm)
        let file = try InputFile(path)
        while case let chunk = try file.read(upTo: chunkSize), !chunk.isEmpty {
            chunk.withUnsafeBytes { digest.update($0) }
            // A large file takes seconds, which others may want too.
            await Task.yield()
            try Task.checkCancellation()
        }
        return digest.finish()
    }
}
