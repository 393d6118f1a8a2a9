import CAsyncNetCompression
import Foundation

/// Compresses messages (RFC 7692 §7.2.1). zlib's memory, 256 KiB, is taken for the first message.
struct WebSocketDeflater: ~Copyable, @unchecked Sendable {
    private let windowBits: Int32
    private let takesOver: Bool
    /// Only this value knows the stream, and it cannot be copied.
    private var stream: OpaquePointer?

    private static let level: Int32 = 6
    /// The bytes that end each flushed message. They are not sent (RFC 7692 §7.2.1).
    static let tail = Data([0x00, 0x00, 0xFF, 0xFF])

    init(windowBits: Int, takesOver: Bool) {
        (self.windowBits, self.takesOver) = (Int32(windowBits), takesOver)
    }

    deinit {
        if let stream { lz_free(stream) }
    }

    mutating func compress(_ message: Data) throws(AsyncNetError) -> Data {
        let stream = try begin()
        var output = Data()
        let result = message.withUnsafeBytes { Zlib.deflate($0, with: stream, flush: Int32(LZ_SYNC), into: &output) }
        guard result == LZ_OK || result == LZ_BUFFER_ERROR, takesOver || lz_reset(stream) != 0 else {
            throw AsyncNetError(.encodingFailed, "The message could not be compressed (zlib \(result))")
        }
        // After a flush zlib has nothing to add for an empty message; RFC 7692 §7.2.3.6 has a byte for that.
        guard output.suffix(Self.tail.count) == Self.tail else { return Data([0x00]) }
        return output.dropLast(Self.tail.count)
    }

    private mutating func begin() throws(AsyncNetError) -> OpaquePointer {
        if let stream { return stream }
        try Zlib.check()
        guard let new = lz_new(Self.level, -windowBits) else {
            throw AsyncNetError(.encodingFailed, "There is no memory to compress the message")
        }
        stream = new
        return new
    }

}
