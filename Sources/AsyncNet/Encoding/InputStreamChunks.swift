import Foundation

/// The bytes of an `InputStream` in pieces; the first iterator takes the stream.
struct InputStreamChunks: AsyncSequence, Sendable {
    private final class Source: Sendable {
        let stream: Locked<InputStream?>
        init(_ stream: sending InputStream) { self.stream = Locked(stream) }
    }

    private let source: Source

    init(_ stream: sending InputStream) { source = Source(stream) }

    func makeAsyncIterator() -> Iterator { Iterator(source.stream.withLock { $0.take() }) }

    struct Iterator: AsyncIteratorProtocol {
        private static let size = 64 * 1024

        private let stream: InputStream?
        private var buffer = [UInt8](repeating: 0, count: Self.size)
        private var isOpen = false

        fileprivate init(_ stream: sending InputStream?) { self.stream = stream }

        /// Blocks its thread while the stream has no bytes.
        mutating func next() async throws -> Data? {
            guard let stream else { return nil }
            if !isOpen { stream.open() }
            isOpen = true
            let count = stream.read(&buffer, maxLength: Self.size)
            if count > 0 { return Data(buffer[..<count]) }
            defer { stream.close() }
            guard count == 0, stream.streamStatus != .error else {
                throw stream.streamError ?? AsyncNetError(.bodyStreamFailed, "The InputStream cannot be read")
            }
            return nil
        }
    }
}
