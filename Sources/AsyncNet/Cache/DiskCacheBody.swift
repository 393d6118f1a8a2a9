import Foundation

struct DiskCacheBody: CachedBody {
    let file: OwnFile
    let size: Int64
    let hash: String

    private static let pieceSize = 256 * 1024
    /// The size in bytes up to which a body is read in one piece.
    private static let smallSize: Int64 = 1 << 20

    /// Checks the hash of the whole body before the first byte is delivered: delivered bytes cannot be taken back.
    func read(_ bytes: Range<Int64>) async -> TransportBody? {
        await UserCode.run {
            file.touch()
            let bytes = bytes.clamped(to: 0..<size)
            guard size <= Self.smallSize else { return isWhole ? pieces(bytes) : nil }
            guard let whole = file.read(Int(size), at: 0), whole.sha256 == hash else { return nil }
            return TransportBody(whole.dropFirst(Int(bytes.lowerBound)).prefix(bytes.count))
        }
    }

    private var isWhole: Bool {
        var (digest, offset) = (MessageDigest(.sha256), Int64(0))
        while offset < size {
            guard let piece = piece(offset..<size) else { return false }
            digest.update(piece)
            offset += Int64(piece.count)
        }
        return digest.finish().hexadecimal == hash
    }

    private func piece(_ bytes: Range<Int64>) -> Data? {
        file.read(min(Self.pieceSize, bytes.count), at: bytes.lowerBound)
    }

    private func pieces(_ bytes: Range<Int64>) -> TransportBody {
        TransportBody(reading: {
            var rest = bytes
            return {
                guard !rest.isEmpty else { return nil }
                guard let piece = await UserCode.run({ [rest] in self.piece(rest) }) else {
                    throw AsyncNetError(.fileNotReadable, "The file of a stored response cannot be read any more")
                }
                rest = rest.dropFirst(piece.count)
                return piece
            }
        })
    }
}
