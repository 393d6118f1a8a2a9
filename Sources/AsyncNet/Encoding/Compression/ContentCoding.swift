import CAsyncNetCompression
import Foundation

/// A content coding of request bodies (RFC 9110 §8.4.1).
public struct ContentCoding: Hashable, Sendable, CustomStringConvertible {
    let name: String
    let windowBits: Int32

    /// `gzip` (RFC 1952).
    public static let gzip = ContentCoding(name: "gzip", windowBits: 31)
    /// `deflate`, which is zlib's format (RFC 1950, RFC 9110 §8.4.1.2).
    public static let deflate = ContentCoding(name: "deflate", windowBits: 15)

    /// The coding's name in `Content-Encoding`.
    public var description: String { name }
}

/// The zlib of this process, found when the first body is compressed.
enum Zlib {
    private static let isThere: Result<Void, AsyncNetError> = load(
        lz_is_linked() != 0 ? nil : Platform.zlibName)

    static func check() throws(AsyncNetError) { try isThere.get() }

    /// Loads zlib by its file name; with `nil`, finds the zlib that the program is linked with.
    static func load(_ name: String?) -> Result<Void, AsyncNetError> {
        guard let reason = lz_load(name) else { return .success(()) }
        return .failure(
            AsyncNetError(
                .compressionUnavailable,
                "Request bodies cannot be compressed, since zlib could not be loaded: \(String(cString: reason))"))
    }

    /// Compresses all of the input and appends the output. `flush` is zlib's mode: `LZ_FINISH` for the last input.
    static func deflate(
        _ input: UnsafeRawBufferPointer, with stream: OpaquePointer, flush: Int32, into output: inout Data
    ) -> Int32 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 1)
        defer { buffer.deallocate() }
        guard let start = buffer.baseAddress else { return Int32(LZ_OK) }
        var (consumed, taken, given) = (0, 0, 0)
        var result = Int32(LZ_OK)
        repeat {
            let rest = UnsafeRawBufferPointer(rebasing: input[consumed...])
            result = lz_deflate(stream, rest.baseAddress, rest.count, start, buffer.count, flush, &taken, &given)
            consumed += taken
            output.append(contentsOf: buffer[..<given])
        } while result == LZ_OK && (flush == LZ_FINISH || consumed < input.count || given == buffer.count)
        return result
    }
}

final class Compressor {
    private let stream: OpaquePointer
    private static let level: Int32 = 6

    init(_ coding: ContentCoding) throws(AsyncNetError) {
        try Zlib.check()
        guard let stream = lz_new(Self.level, coding.windowBits) else {
            throw AsyncNetError(.encodingFailed, "There is no memory to compress the body")
        }
        self.stream = stream
    }

    deinit { lz_free(stream) }

    /// The output that is available after these bytes; after the last bytes, all remaining output.
    func compress(_ data: Data, isLast: Bool = false) throws(AsyncNetError) -> Data {
        var output = Data()
        let result = data.withUnsafeBytes {
            Zlib.deflate($0, with: stream, flush: Int32(isLast ? LZ_FINISH : LZ_CONTINUE), into: &output)
        }
        guard result == LZ_STREAM_END || !isLast && (result == LZ_OK || result == LZ_BUFFER_ERROR) else {
            throw AsyncNetError(.encodingFailed, "The body could not be compressed (zlib \(result))")
        }
        return output
    }
}

final class CompressingReader {
    private let body: BodyReader
    private let compressor: Compressor
    private var isOver = false

    init(_ body: BodyReader, _ coding: ContentCoding) throws(AsyncNetError) {
        self.body = body
        compressor = try Compressor(coding)
    }

    func next() async throws(AsyncNetError) -> Data? {
        while !isOver {
            let chunk = try await body.next()
            isOver = chunk == nil
            let output = try compressor.compress(chunk ?? Data(), isLast: isOver)
            if !output.isEmpty { return output }
        }
        return nil
    }
}
