import AsyncNet
import Crypto
import Foundation

extension RequestBody {
    /// The hash of the bytes that are sent. A body that is not in memory is read for it, before it is read again to be
    /// sent.
    ///
    /// - Throws: `.invalidRequest` if the body can be read only once; the errors of reading it.
    func digest<Hash: HashFunction>(_ hash: Hash.Type) async throws -> Hash.Digest {
        if let data { return Hash.hash(data: data) }
        guard replay == .repeatable else {
            throw AsyncNetError(
                .invalidRequest,
                "The body can be read only once, so its hash cannot be signed before it is sent; use a file, data or a stream that is made anew, or sign the request without its body"
            )
        }
        return try await Self.digest(of: chunks, hash)
    }

    /// Hashing takes long for a large body: it does not run on the caller's actor.
    @concurrent
    private static func digest<Hash: HashFunction>(
        of chunks: some AsyncSequence<Data, any Error> & Sendable, _ hash: Hash.Type
    ) async throws -> Hash.Digest {
        var hash = Hash()
        for try await chunk in chunks { hash.update(data: chunk) }
        return hash.finalize()
    }
}

extension Sequence<UInt8> {
    /// Two lower-case digits for each byte.
    var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }
}
