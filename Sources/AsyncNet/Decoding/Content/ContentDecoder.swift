import CAsyncNetCompression
package import Foundation

/// Decodes one content coding of a body, chunk by chunk, in bounded memory.
///
/// `next` returns at most 64 KiB at a time, and reads its source only after all earlier input is decoded. A body that
/// ends inside its compressed stream is an error. Another gzip member (RFC 1952 §2.2) or zstd frame (RFC 8878 §3) after
/// a whole stream is decoded too; at most 1,000 streams may be empty. Other bytes after a stream, such as padding, are
/// ignored, as gzip and browsers do. An empty body decodes to an empty body.
final class ContentDecoder {
    private let coding: ContentDecoding
    private let source: () async throws -> Data?
    private var stream: OpaquePointer?
    private var input = Data()[...]
    /// Whether the stream may return more output without more input.
    private var isFull = false
    /// Whether a stream has ended, and no other stream has begun since.
    private var isBetweenStreams = false
    private var hasBegun = false
    /// The number of bytes after the last stream, once it is known that they begin no other stream; `nil` before.
    private var ignored: Int?

    /// The number of empty streams. It is limited, since decoding an empty stream costs far more than sending it.
    private var emptyStreams = 0
    private var isEmptyStream = true

    private static let outputSize = 64 * 1024
    private static let mostEmptyStreams = 1000
    /// How many bytes after the last compressed stream are read and dropped, so that the connection can be used again.
    /// The limit is needed, as no other limit counts these bytes, and a body may never end.
    private static let mostIgnored = 1 << 20

    init(_ coding: ContentDecoding, _ source: @escaping () async throws -> Data?) {
        (self.coding, self.source) = (coding, source)
    }

    deinit {
        if let stream { lz_decoder_free(stream) }
    }

    /// The next decoded bytes, never empty; `nil` at the end. Throws `.badContentEncoding`, and the source's errors.
    func next() async throws -> Data? {
        try checkCancel()
        var output = try decodeSome()
        while output == nil, try await readMore() {
            try checkCancel()
            output = try decodeSome()
        }
        return output
    }

    /// Throws if the task is cancelled: nothing else checks this between the many chunks that one input may decode to.
    private func checkCancel() throws(AsyncNetError) {
        if Task.isCancelled { throw AsyncNetError(.cancelled) }
    }

    private func readMore() async throws -> Bool {
        let chunk = try await source()
        return try take(chunk)
    }

    /// Adds a chunk to the input; `false` at the end. Not inlined, for the reason of `decodeSome`.
    @inline(never)
    private func take(_ chunk: Data?) throws(AsyncNetError) -> Bool {
        guard let chunk else {
            try checkEnd()
            return false
        }
        if let count = ignored {
            ignored = count + chunk.count
            return count < Self.mostIgnored
        }
        input = input.isEmpty ? chunk[...] : (input + chunk)[...]
        return true
    }

    /// Decodes the input in memory; `nil` if more input is needed. Not inlined: Swift 6.3's optimizer crashes on the
    /// async function that it would be inlined into.
    @inline(never)
    private func decodeSome() throws(AsyncNetError) -> Data? {
        while !input.isEmpty || isFull {
            guard try beginStream() else { return nil }
            let output = try step()
            if !output.isEmpty { return output }
        }
        return nil
    }

    /// Begins a stream unless one has begun; `false` if more input is needed to begin one.
    private func beginStream() throws(AsyncNetError) -> Bool {
        guard stream == nil else { return true }
        if isBetweenStreams, !beginsStream() { return false }
        guard let kind = try kind() else { return false }
        guard coding.isAvailable, let new = lz_decoder_new(kind.0, kind.1) else {
            throw AsyncNetError(
                .badContentEncoding,
                "The response's body cannot be decoded: there is no memory, or no library for \(coding.rawValue)")
        }
        stream = new
        hasBegun = true
        isBetweenStreams = false
        isEmptyStream = true
        return true
    }

    /// Whether the input begins another stream. If it cannot, this and all further input is dropped.
    private func beginsStream() -> Bool {
        guard ignored == nil else { return false }
        let magic = coding.magic
        let start = Array(input.prefix(4))
        if magic.contains(where: { start.starts(with: $0) }) { return true }
        guard !magic.contains(where: { $0.starts(with: start) }) else { return false }
        ignored = input.count
        input = Data()[...]
        return false
    }

    /// The library and format. `deflate` is zlib's format, but some servers send raw deflate, so its first two bytes
    /// decide (RFC 9110 §8.4.1.2, RFC 1950 §2.2).
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
        guard result >= 0, taken > 0 || given > 0 || input.isEmpty else {
            throw AsyncNetError(.badContentEncoding, "The response's body is not valid \(coding.rawValue)")
        }
        if result == LZ_DECODED { try endStream() }
        return output
    }

    /// The decoded bytes as `Data`: a large output keeps the buffer, a small output is copied and the buffer is freed.
    private static func data(_ buffer: UnsafeMutableRawPointer, _ count: Int) -> Data {
        guard count < outputSize / 2 else { return Data(bytesNoCopy: buffer, count: count, deallocator: .free) }
        defer { free(buffer) }
        return Data(bytes: buffer, count: count)
    }

    private func endStream() throws(AsyncNetError) {
        if let stream { lz_decoder_free(stream) }
        stream = nil
        isFull = false
        isBetweenStreams = true
        if isEmptyStream { emptyStreams += 1 }
        guard emptyStreams <= Self.mostEmptyStreams else {
            throw AsyncNetError(
                .badContentEncoding,
                "The response's body has more than \(Self.mostEmptyStreams) empty \(coding.rawValue) streams")
        }
    }

    private func checkEnd() throws(AsyncNetError) {
        guard hasBegun || !input.isEmpty else { return }
        guard isBetweenStreams else {
            throw AsyncNetError(
                .badContentEncoding,
                "The response's body ends inside its \(coding.rawValue) stream")
        }
    }
}

extension Data {
    /// The body without the content codings of these `Content-Encoding` headers; `nil` if one of them cannot be
    /// decoded here, if the bytes are not valid in it, or if more than `limit` bytes are decoded.
    package func decoded(from contentEncoding: [String], limit: Int) -> Data? {
        guard let codings = try? ContentDecoding.codings(in: contentEncoding),
            codings.count == ContentDecoding.names(in: contentEncoding).count
        else { return nil }
        return codings.reversed().reduce(self) { body, coding in
            body.flatMap { try? ContentDecoder.decoded($0, coding, limit: limit) }
        }
    }
}

extension ContentDecoder {
    /// Decodes a whole body without waiting; `nil` if more than `limit` bytes are decoded.
    fileprivate static func decoded(_ body: Data, _ coding: ContentDecoding, limit: Int) throws(AsyncNetError) -> Data?
    {
        let decoder = ContentDecoder(coding) { nil }
        var decoded = Data()
        decoder.input = body[...]
        while let next = try decoder.decodeSome() {
            decoded += next
            if decoded.count > limit { return nil }
        }
        try decoder.checkEnd()
        return decoded
    }

    /// Reads a body with its content codings decoded. A coding that cannot be decoded is an error if there is a body.
    static func reading(
        _ codings: Result<[ContentDecoding], AsyncNetError>, _ source: @escaping () async throws -> Data?
    ) -> () async throws -> Data? {
        guard case .success(let codings) = codings else {
            return {
                guard try await source() != nil else { return nil }
                _ = try codings.get()
                return nil
            }
        }
        return codings.reversed().reduce(source) { inner, coding in
            let decoder = ContentDecoder(coding, inner)
            return { try await decoder.next() }
        }
    }
}
