import Foundation

enum FileChecksum {
    private static let chunkSize = 1 << 20

    /// Reads the file once for each checksum; throws `.checksumMismatch` for the first checksum that differs.
    @concurrent
    static func verify(_ path: String, against checksums: [Checksum]) async throws {
        for checksum in Set(checksums) {
            let actual = try await digest(of: path, checksum.algorithm)
            guard actual == checksum.bytes else {
                throw AsyncNetError(.checksumMismatch, "The download does not have the expected checksum \(checksum)")
            }
        }
    }

    private static func digest(of path: String, _ algorithm: HashAlgorithm) async throws -> [UInt8] {
        var digest = MessageDigest(algorithm)
        let file = try InputFile(path)
        while case let chunk = try file.read(upTo: chunkSize), !chunk.isEmpty {
            chunk.withUnsafeBytes { digest.update($0) }
            // A large file takes seconds; other tasks should run meanwhile.
            await Task.yield()
            try Task.checkCancellation()
        }
        return digest.finish()
    }
}
