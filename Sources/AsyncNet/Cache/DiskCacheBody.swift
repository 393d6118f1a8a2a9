import Foundation

/// The body of a stored response in a file.
struct DiskCacheBody: CachedBody {
    let file: OwnFile
    let size: Int64
    let hash: String

    private static let pieceSize = 256 * 1024
    /// A body that is not longer is read at once.
    private static let smallSize: Int64 = 1 << 20

    /// Reads the file to check its hash before the first byte is delivered: a body cannot be taken back.
    func read() async -> TransportBody? {
        await UserCode.run {
            file.touch()
            return size <= Self.smallSize ? readWhole().map { TransportBody($0) } : isWhole ? pieces : nil
        }
    }

    private func readWhole() -> Data? {
        guard let data = file.read(Int(size), at: 0), data.sha256 == hash else { return nil }
        return data
    }

    private var isWhole: Bool {
        var (digest, offset) = (MessageDigest(.sha256), Int64(0))
        while offset < size {
            guard let piece = piece(at: offset) else { return false }
            digest.update(piece)
            offset += Int64(piece.count)
        }
        return digest.finish().hexadecimal == hash
    }

    private func piece(at offset: Int64) -> Data? {
        file.read(Int(min(Int64(Self.pieceSize), size - offset)), at: offset)
    }

    private var pieces: TransportBody { TransportBody(Pieces(body: self)) }

    private struct Pieces: AsyncSequence, AsyncIteratorProtocol {
        typealias Element = Data

        let body: DiskCacheBody
        var offset: Int64 = 0

        func makeAsyncIterator() -> Self { self }

        mutating func next() async throws -> Data? {
            guard offset < body.size else { return nil }
            let (body, start) = (body, offset)
            guard let piece = await UserCode.run({ body.piece(at: start) }) else {
                throw AsyncNetError(.fileNotReadable, "The file of a stored response cannot be read any more")
            }
            offset += Int64(piece.count)
            return piece
        }
    }
}
