import CCompression
import Foundation

/// Undoes one content coding of a body, chunk by chunk, in bounded memory.
///
/// `next` gives what comes out, at most 64 KiB at a time, and asks its source for more only once everything that was
/// there is decoded. A body that ends inside its compressed stream is an error, and so is what follows the stream:
/// another member of gzip (RFC 1952 §2.2) or frame of zstd (RFC 8878 §3) belongs to it, anything else does not, and of
/// streams without content at most 1,000. A body without a byte is empty.
final class ContentDecoder {
    private let coding: ContentDecoding
    private let source: () async throws -> Data?
    private var stream: OpaquePointer?
    private var input = Data()[...]
    /// The stream may give more without more input.
    private var isFull = false
    /// At least one stream has come to its end, and no other has begun.
    private var isBetweenStreams = false
    private var hasBegun = false

    /// Streams without a byte of content cost far more time than their few bytes take to send.
    private var emptyStreams = 0
    private var isEmptyStream = true

    private static let outputSize = 64 * 1024
    private static let mostEmptyStreams = 1000

    init(_ coding: ContentDecoding, _ source: @escaping () async throws -> Data?) {
        (self.coding, self.source) = (coding, source)
    }

    deinit {
        if let stream { lz_decoder_free(stream) }
    }

    /// The next decoded bytes, never none; `nil` at the end.
    ///
    /// - Throws: ``AsyncNetError`` with code `.badContentEncoding`, and what the source throws.
    func next() async throws -> Data? {
        try checkCancel()
        var output = try decodeSome()
        while output == nil, try await readMore() {
            try checkCancel()
            output = try decodeSome()
        }
        return output
    }

    /// What is there already may decode to much, without a wait in which a cancel would be noticed.
    private func checkCancel() throws(AsyncNetError) {
        if Task.isCancelled { throw AsyncNetError(.cancelled) }
    }

    /// Whether there was more.
    private func readMore() async throws -> Bool {
        let chunk = try await source()
        return try take(chunk)
    }

    @inline(never)
    private func take(_ chunk: Data?) throws(AsyncNetError) -> Bool {
        guard let chunk else {
            try checkEnd()
            return false
        }
        input = input.isEmpty ? chunk[...] : (input + chunk)[...]
        return true
    }

    /// What comes out of the input that is there; `nil` if more is needed. Not inlined: Swift 6.3's optimizer crashes
    /// on the async function that it would become a part of.
    @inline(never)
    private func decodeSome() throws(AsyncNetError) -> Data? {
        while !input.isEmpty || isFull {
            guard try beginStream() else { return nil }
            let output = try step()
            if !output.isEmpty { return output }
        }
        return nil
    }

    /// Whether there is a stream to decode with.
    private func beginStream() throws(AsyncNetError) -> Bool {
        guard stream == nil else { return true }
        guard !isBetweenStreams || coding == .gzip || coding == .zstd else { throw trailing }
        guard let kind = try kind() else { return false }
        guard coding.isAvailable, let new = lz_decoder_new(kind.0, kind.1) else {
            throw AsyncNetError(
                .badContentEncoding,
                "The response's body cannot be decoded: there is no memory, or no library for \(coding.rawValue)")
        }
        (stream, hasBegun, isBetweenStreams, isEmptyStream) = (new, true, false, true)
        return true
    }

    /// `deflate` should be zlib's format, but some servers send bare deflate: the first two bytes tell (RFC 9110
    /// §8.4.1.2, RFC 1950 §2.2).
    private func kind() throws(AsyncNetError) -> (Int32, Int32)? {
        switch coding {
        case .gzip: return (Int32(LZ_ZLIB), 31)
        case .brotli: return (Int32(LZ_BROTLI), 0)
        case .zstd: return (Int32(LZ_ZSTD), 0)
        case .deflate:
            guard input.count >= 2 else { return nil }
            let (first, second) = (Int(input[input.startIndex]), Int(input[input.startIndex + 1]))
            let isZlib = first & 0x0F == 8 && (first << 8 | second) % 31 == 0
            return (Int32(LZ_ZLIB), isZlib ? 15 : -15)
        }
    }

    private func step() throws(AsyncNetError) -> Data {
        guard let stream, let buffer = malloc(Self.outputSize) else {
            throw AsyncNetError(.badContentEncoding, "There is no memory to decode the response's body")
        }
        var (taken, given) = (0, 0)
        let result = input.withUnsafeBytes {
            lz_decode(stream, $0.baseAddress, $0.count, buffer, Self.outputSize, &taken, &given)
        }
        input = input.dropFirst(taken)
        isFull = given == Self.outputSize
        if given > 0 { isEmptyStream = false }
        let output = Self.data(buffer, given)
        guard result >= 0, taken > 0 || given > 0 || input.isEmpty else { throw invalid }
        if result == LZ_DECODED { try endStream() }
        return output
    }

    /// Takes over the buffer; little in it is copied, so that it does not hold all of the memory.
    private static func data(_ buffer: UnsafeMutableRawPointer, _ count: Int) -> Data {
        guard count < outputSize / 2 else { return Data(bytesNoCopy: buffer, count: count, deallocator: .free) }
        defer { free(buffer) }
        return Data(bytes: buffer, count: count)
    }

    private func endStream() throws(AsyncNetError) {
        if let stream { lz_decoder_free(stream) }
        (stream, isFull, isBetweenStreams) = (nil, false, true)
        if isEmptyStream { emptyStreams += 1 }
        guard emptyStreams <= Self.mostEmptyStreams else {
            throw AsyncNetError(
                .badContentEncoding,
                "The response's body has more than \(Self.mostEmptyStreams) empty \(coding.rawValue) streams")
        }
        guard input.isEmpty || coding == .gzip || coding == .zstd else { throw trailing }
    }

    private func checkEnd() throws(AsyncNetError) {
        guard hasBegun || !input.isEmpty else { return }
        guard isBetweenStreams else {
            throw AsyncNetError(
                .badContentEncoding,
                "The response's body ends before its \(coding.rawValue) stream does: the rest is missing")
        }
    }

    private var invalid: AsyncNetError {
        AsyncNetError(.badContentEncoding, "The response's body is not what its content coding \(coding.rawValue) says")
    }

    private var trailing: AsyncNetError {
        AsyncNetError(.badContentEncoding, "Bytes follow the end of the response's \(coding.rawValue) stream")
    }
}

/// A body with its content codings undone.
struct DecodedChunks: AsyncSequence, Sendable {
    let codings: Result<[ContentDecoding], AsyncNetError>
    let makeSource: @Sendable () -> () async throws -> Data?

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(codings, makeSource()) }

    struct AsyncIterator: AsyncIteratorProtocol {
        private let read: () async throws -> Data?

        /// A coding that is unknown matters only if there is a body.
        init(_ codings: Result<[ContentDecoding], AsyncNetError>, _ source: @escaping () async throws -> Data?) {
            guard case .success(let codings) = codings else {
                read = {
                    guard try await source() != nil else { return nil }
                    _ = try codings.get()
                    return nil
                }
                return
            }
            read = codings.reversed().reduce(source) { inner, coding in
                let decoder = ContentDecoder(coding, inner)
                return { try await decoder.next() }
            }
        }

        mutating func next() async throws -> Data? { try await read() }
    }
}
