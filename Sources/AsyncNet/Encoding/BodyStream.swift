import Foundation

/// An async sequence of data as a body or a part of a form.
struct BodyStream: Sendable {
    typealias Next = () async throws -> Data?

    let length: Int64?
    let replay: RequestBody.Replay
    /// Whether a reader can be made: always if the stream is repeatable, otherwise until a reader has begun.
    let isReadable: @Sendable () -> Bool
    private let make: @Sendable () throws -> Next

    func checkLength() throws(AsyncNetError) {
        guard let length, length < 0 else { return }
        throw AsyncNetError(
            .invalidRequest,
            "The length of the body's stream is negative: \(length); give its number of bytes, or nil if it is unknown")
    }

    private static func next<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) -> Next where Chunks.Element == Data {
        var iterator = chunks.makeAsyncIterator()
        return { try await iterator.next(isolation: #isolation) }
    }

    /// The returned closure blocks its thread while the stream has no bytes.
    private static func next(_ stream: sending InputStream) -> Next {
        var (buffer, isOpen) = ([UInt8](repeating: 0, count: 64 * 1024), false)
        return {
            if !isOpen { stream.open() }
            isOpen = true
            let count = stream.read(&buffer, maxLength: buffer.count)
            if count > 0 { return Data(buffer[..<count]) }
            defer { stream.close() }
            guard count == 0, stream.streamStatus != .error else {
                throw stream.streamError ?? AsyncNetError(.bodyStreamFailed, "The InputStream cannot be read")
            }
            return nil
        }
    }

    /// Gives its value once: two readers of a stream would each get some of its chunks.
    private final class Once<Value>: Sendable {
        private let value: Locked<Value?>

        init(_ value: sending Value) { self.value = Locked(value) }

        var isLeft: Bool { value.withLock { $0 != nil } }

        func take() throws(AsyncNetError) -> sending Value {
            guard let value = value.withLock({ $0.take() }) else {
                throw AsyncNetError(.bodyStreamFailed, "The stream of the body has been read already")
            }
            return value
        }
    }

    func makeReader() -> StreamReader { StreamReader(length: length, make) }
}

extension BodyStream {
    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64?) where Chunks.Element == Data {
        let source = Once(chunks)
        self.init(length: length, replay: .once, isReadable: { source.isLeft }) { Self.next(try source.take()) }
    }

    init(_ stream: sending InputStream, length: Int64?) {
        let source = Once(stream)
        self.init(length: length, replay: .once, isReadable: { source.isLeft }) { Self.next(try source.take()) }
    }

    init<Chunks: AsyncSequence & Sendable>(length: Int64?, making makeChunks: @escaping @Sendable () throws -> Chunks)
    where Chunks.Element == Data {
        self.init(length: length, replay: .repeatable, isReadable: { true }) { Self.next(try makeChunks()) }
    }
}

/// Reads a stream once, and checks its length.
///
/// The chunk that completes the length is returned only after the sequence has ended, since the transport ends the body
/// after that chunk.
final class StreamReader {
    private let length: Int64?
    private let make: () throws -> BodyStream.Next
    private var source: BodyStream.Next?
    private var count: Int64 = 0
    private var isOver = false

    init(length: Int64?, _ make: @escaping () throws -> BodyStream.Next) {
        self.length = length
        self.make = make
    }

    func next() async throws(AsyncNetError) -> Data? {
        guard !isOver, let chunk = try await pull() else { return try ended() }
        count += Int64(chunk.count)
        guard let length, count >= length else { return chunk }
        try await expectEnd(length)
        return chunk
    }

    private func ended() throws(AsyncNetError) -> Data? {
        isOver = true
        guard let length, count < length else { return nil }
        throw AsyncNetError(.bodyLengthMismatch, "The stream of the body ended after \(count) of its \(length) bytes")
    }

    private func expectEnd(_ length: Int64) async throws(AsyncNetError) {
        var isLonger = count > length
        while !isLonger, let more = try await pull() { isLonger = !more.isEmpty }
        isOver = true
        if isLonger {
            throw AsyncNetError(
                .bodyLengthMismatch, "The stream of the body is longer than the declared length of \(length) bytes")
        }
    }

    private func pull() async throws(AsyncNetError) -> Data? {
        do {
            // A sequence that never waits would not notice a cancellation.
            if Task.isCancelled { throw CancellationError() }
            // Not `source = source ?? make()`, which would put the closure into one more closure each time.
            if source == nil { source = try make() }
            return try await source?()
        } catch {
            isOver = true
            // Thrown as it is only if made here: the sequence may also throw the AsyncNetError of another request.
            if let error = error as? AsyncNetError, error.code == .bodyStreamFailed, error.attempts == 0 { throw error }
            if error is CancellationError, Task.isCancelled { throw AsyncNetError(.cancelled) }
            throw AsyncNetError(.bodyStreamFailed, underlyingError: error)
        }
    }
}
