import Foundation

/// A request's body in a form that URLSession can send, also a second time. FoundationNetworking reads a stream on
/// the queue of all its sessions, so a body that may have to wait is written to a temporary file first.
struct URLSessionBody: Sendable {
    private enum Content: Sendable {
        case none
        case data(Data)
        case measured(MeasuredBody)
        case spooled(TemporaryFile)
    }

    private let content: Content
    let length: Int64?

    /// Writes the body to a temporary file if reading it may have to wait.
    init(_ request: TransportRequest, folder: URL) async throws(AsyncNetError) {
        switch request.body.content {
        case .none: (content, length) = (.none, nil)
        case .data(let data): (content, length) = (data.isEmpty ? .none : .data(data), Int64(data.count))
        case .file, .stream, .multipart, .compressed:
            try request.body.checkHasNoTrailers()
            let measured = try MeasuredBody(request.body)
            if measured.isReadableAtOnce, let known = measured.length, Self.readsPieces {
                (content, length) = (.measured(measured), known)
            } else {
                request.onEvent?(.awaitingBody)
                let (file, count) = try await Self.spooled(measured, folder)
                (content, length) = (.spooled(file), count)
            }
        }
    }

    var isEmpty: Bool {
        if case .none = content { true } else { length == 0 }
    }

    func makeStream(onFailure: @escaping (AsyncNetError) -> Void) -> InputStream? {
        switch content {
        case .none: nil
        case .data(let data): InputStream(data: data)
        case .measured(let body): Self.stream(body, onFailure)
        case .spooled(let file): Self.stream(file, onFailure)
        }
    }

    var data: Data? {
        if case .data(let data) = content { data } else { nil }
    }

    private static func spooled(_ body: MeasuredBody, _ folder: URL) async throws(AsyncNetError) -> (
        TemporaryFile, Int64
    ) {
        let spooled = Promise<(TemporaryFile, Int64)>()
        let executor = body.isReadableAtOnce ? nil : UserCode.threads
        // In a separate task, so that a cancelled request does not wait for a sequence that ignores the cancel.
        // ConcurrencyGuarantees.md lists this task: body
        let task = Task(executorPreference: executor) { spooled.fulfil(await spool(body, folder)) }
        defer { task.cancel() }
        return try await spooled.value()
    }

    @concurrent
    private static func spool(_ body: MeasuredBody, _ folder: URL) async -> Result<
        (TemporaryFile, Int64), AsyncNetError
    > {
        do throws(AsyncNetError) {
            let (file, reader) = (try open(folder), body.makeReader())
            var count: Int64 = 0
            while let chunk = try await reader.next() {
                if Task.isCancelled { throw AsyncNetError(.cancelled) }
                do { try file.append(chunk) } catch { throw failure(error) }
                count += Int64(chunk.count)
            }
            return .success((file, count))
        } catch {
            return .failure(error)
        }
    }

    private static func open(_ folder: URL) throws(AsyncNetError) -> TemporaryFile {
        do { return try TemporaryFile(in: folder.path, keepsName: !readsPieces) } catch { throw failure(error) }
    }

    private static func failure(_ error: POSIXError) -> AsyncNetError {
        AsyncNetError(
            .temporaryFileFailed,
            "A temporary file for the request's body could not be written: \(SystemError.text(ofFile: error))",
            underlyingError: error)
    }
}

#if canImport(FoundationNetworking)
    extension URLSessionBody {
        static let readsPieces = true

        /// A stream whose first read fails, which ends the URLSession task.
        static func failingStream() -> InputStream {
            BodyInputStream(onFailure: { _ in }) { () throws(AsyncNetError) in throw AsyncNetError(.cancelled) }
        }

        private static func stream(_ body: MeasuredBody, _ onFailure: @escaping (AsyncNetError) -> Void) -> InputStream
        {
            let reader = body.makeReader()
            return BodyInputStream(onFailure: onFailure) { () throws(AsyncNetError) in try reader.nextAtOnce() }
        }

        private static func stream(_ file: TemporaryFile, _ onFailure: @escaping (AsyncNetError) -> Void) -> InputStream
        {
            var offset: Int64 = 0
            return BodyInputStream(onFailure: onFailure) { () throws(AsyncNetError) in
                do {
                    let chunk = try file.read(upTo: 128 * 1024, at: offset)
                    offset += Int64(chunk.count)
                    return chunk.isEmpty ? nil : chunk
                } catch {
                    throw AsyncNetError(.temporaryFileFailed, underlyingError: error)
                }
            }
        }
    }

    /// A stream of a closure's chunks. FoundationNetworking reads it on a single queue; a failed read ends the
    /// URLSession task.
    private final class BodyInputStream: InputStream {
        private let next: () throws(AsyncNetError) -> Data?
        private let onFailure: (AsyncNetError) -> Void
        private var rest = Data()
        private var isOver = false

        init(onFailure: @escaping (AsyncNetError) -> Void, _ next: @escaping () throws(AsyncNetError) -> Data?) {
            self.next = next
            self.onFailure = onFailure
            super.init(data: Data())
        }

        override var hasBytesAvailable: Bool { !isOver }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
            do throws(AsyncNetError) {
                if rest.isEmpty, !isOver {
                    rest = try next() ?? Data()
                    isOver = rest.isEmpty
                }
            } catch {
                isOver = true
                onFailure(error)
                return -1
            }
            let count = rest.copyBytes(to: UnsafeMutableBufferPointer(start: buffer, count: length))
            rest = rest.dropFirst(count)
            return count
        }
    }
#else
    extension URLSessionBody {
        /// Apple's InputStream cannot be subclassed, so a body that is not in memory is written to a file.
        static let readsPieces = false

        private static func stream(_ body: MeasuredBody, _ onFailure: @escaping (AsyncNetError) -> Void) -> InputStream?
        { nil }

        private static func stream(_ file: TemporaryFile, _ onFailure: @escaping (AsyncNetError) -> Void)
            -> InputStream?
        {
            file.path.flatMap { InputStream(fileAtPath: $0) }
        }
    }
#endif
