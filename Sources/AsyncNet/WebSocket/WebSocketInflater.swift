import CAsyncNetCompression
import Foundation

/// Decompresses messages (RFC 7692 §7.2.2). zlib's memory, 40 KiB, is taken for the first compressed message.
struct WebSocketInflater: ~Copyable, @unchecked Sendable {
    private let windowBits: Int32
    private let takesOver: Bool
    /// Only this value knows the decoder, and it cannot be copied.
    private var decoder: OpaquePointer?
    /// Whether the input so far ends with a block that is marked as the stream's last one (RFC 7692 §7.2.3.4).
    private var hasEnded = false

    private static let outputSize = 16 * 1024

    /// A window larger than the agreed one decodes too; some peers use 512 bytes where 256 were agreed.
    init(windowBits: Int, takesOver: Bool) {
        self.windowBits = Int32(max(windowBits, WebSocketDeflate.leastWindowBits))
        self.takesOver = takesOver
    }

    deinit {
        if let decoder { lz_decoder_free(decoder) }
    }

    /// Appends the output of these bytes. Fails before the output has more than `limit` bytes.
    mutating func inflate(_ input: Data, into output: inout Data, limit: Int) throws(WebSocketFailure) {
        let decoder = try begin()
        switch input.withUnsafeBytes({ run($0, with: decoder, into: &output, limit: limit) }) {
        case .done: return
        case .invalid: throw .invalidData("A message's compressed bytes are invalid")
        case .tooLarge: throw .tooLarge("A message is larger than the limit of \(limit) bytes after decompression")
        case .noMemory: throw .inability("There is no memory to decompress a message")
        }
    }

    /// Ends a message: its flushed blocks must have been complete.
    mutating func finish(into output: inout Data, limit: Int) throws(WebSocketFailure) {
        let decoder = try begin()
        if !hasEnded {
            try inflate(WebSocketDeflater.tail, into: &output, limit: limit)
            guard lz_decoder_is_between_blocks(decoder) != 0 else {
                throw .invalidData("A compressed message ends inside a block")
            }
        }
        hasEnded = false
        if !takesOver { _ = lz_decoder_reset(decoder, 0) }
    }

    private mutating func begin() throws(WebSocketFailure) -> OpaquePointer {
        if let decoder { return decoder }
        guard case .success = Result(catching: Zlib.check), let new = lz_decoder_new(Int32(LZ_ZLIB), -windowBits) else {
            throw .inability("A message cannot be decompressed: there is no memory, or no zlib")
        }
        decoder = new
        return new
    }

    private enum Outcome {
        case done, invalid, tooLarge, noMemory
    }

    private mutating func run(
        _ input: UnsafeRawBufferPointer, with decoder: OpaquePointer, into output: inout Data, limit: Int
    ) -> Outcome {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.outputSize, alignment: 1)
        defer { buffer.deallocate() }
        guard let start = buffer.baseAddress else { return .noMemory }
        var consumed = 0
        var taken = 0
        var given = 0
        repeat {
            let rest = UnsafeRawBufferPointer(rebasing: input[consumed...])
            let result = lz_decode(decoder, rest.baseAddress, rest.count, start, buffer.count, &taken, &given)
            consumed += taken
            if result == LZ_NO_MEMORY { return .noMemory }
            guard result >= 0, result == LZ_DECODED || taken > 0 || given > 0 || rest.isEmpty else { return .invalid }
            guard output.count + given <= limit else { return .tooLarge }
            output.append(contentsOf: buffer[..<given])
            hasEnded = result == LZ_DECODED
            if hasEnded, lz_decoder_reset(decoder, 1) == 0 { return .invalid }
        } while consumed < input.count || given == buffer.count && !hasEnded
        return .done
    }
}
