import Foundation

/// The decisions of a `TransferPipe`: where received bytes are stored, when the reader continues, when the transport
/// pauses, and how the transfer ended.
///
/// The struct performs no I/O and holds no lock, closure or continuation. Each mutating function records an event of
/// the transport or of the reader and returns the action that the pipe carries out after it has released its lock.
///
/// Bytes that the reader has not taken are stored, oldest first, in `chunks`, in a file, and in `tail`. The file and
/// the tail are used only for a transport that cannot pause, while its reader is behind.
struct TransferPipeState {
    /// How many bytes are stored in memory before the transport pauses, or before they are written to a file.
    static let highWaterMark = 256 * 1024

    /// How many bytes a read from the file returns at most.
    static let largestFileRead: Int64 = 256 * 1024

    /// What a suspended reader waits for.
    enum Interest { case head, body }

    enum ReaderAction { case none, resume }

    enum ChunkAction: Equatable {
        /// The transfer has ended; the chunk is dropped.
        case drop
        case store
        case storeAndResumeReader
        case storeAndPauseTransport
        /// The chunk is stored, and the tail is full: `takeFullTail` returns what the pipe writes to the file.
        case spill
        case abort(ExceededLimit)
    }

    /// A limit in bytes that a chunk would exceed.
    enum ExceededLimit: Equatable {
        case bodySize(Int64)
        case spilledBytes(Int64)
    }

    enum ReadAction {
        case deliver([Data])
        /// The pipe reads the file, then calls `didReadFile`.
        case readFile(offset: Int64, count: Int)
        case end(Result<Void, AsyncNetError>)
        /// Nothing can be read: the tail is being written to the file.
        case wait
    }

    enum AbortAction: Equatable {
        /// The transfer had ended already.
        case none
        case abortTransport(ReaderAction)
    }

    /// How much of the file has been written and read, in bytes.
    private struct FileProgress {
        var written: Int64 = 0
        var read: Int64 = 0
        var unread: Int64 { written - read }
    }

    private(set) var delivery: TransportRequest.Delivery
    private(set) var head: HTTPResponseHead?
    private(set) var end: Result<Void, AsyncNetError>?
    private(set) var isPaused = false

    /// Whether the reader decodes the body's content coding. It then counts the decoded bytes itself and reads each
    /// chunk as it arrives, whatever `delivery` is.
    private var isEncoded = false
    private var chunks: [Data] = []
    private var bufferedBytes = 0
    private var receivedBytes: Int64 = 0
    private var tail = Data()
    private var file: FileProgress?
    /// Whether a full tail is being written to the file. Until that ends, later bytes must not be read.
    private var isSpilling = false
    private var interest: Interest?
    private let limit: Int64
    private let spillLimit: Int64?

    /// - Parameters:
    ///   - limit: The largest body in bytes; the bytes of an encoded body are not counted here.
    ///   - spillLimit: How many unread bytes the file may hold; `nil` if the transport pauses instead.
    init(_ delivery: TransportRequest.Delivery, limit: Int64 = .max, spillLimit: Int64? = nil) {
        self.delivery = delivery
        self.limit = limit
        self.spillLimit = spillLimit
    }

    var usesFile: Bool { file != nil }
    private var unreadInFile: Int64 { file?.unread ?? 0 }
}

// MARK: The transport's events

extension TransferPipeState {
    mutating func expectEncodedBody() { isEncoded = true }

    /// - Parameter isUrgent: Whether the reader gets the head and each chunk at once, even if its delivery was
    ///   `.whole`.
    mutating func receive(_ head: HTTPResponseHead, isUrgent: Bool) -> ReaderAction {
        guard end == nil else { return .none }
        self.head = head
        if isUrgent { delivery = .asItArrives }
        return resumeIfSatisfied()
    }

    mutating func receive(_ chunk: Data) -> ChunkAction {
        guard end == nil else { return .drop }
        guard count(chunk) else { return .abort(.bodySize(limit)) }
        guard let spillLimit, !fitsIntoMemory else { return store(chunk) }
        return storeInTail(chunk, spillLimit)
    }

    /// Whether the body is within its limit with this chunk.
    private mutating func count(_ chunk: Data) -> Bool {
        receivedBytes += Int64(chunk.count)
        return isEncoded || receivedBytes <= limit
    }

    private var fitsIntoMemory: Bool { !usesFile && tail.isEmpty && bufferedBytes <= Self.highWaterMark }

    private mutating func store(_ chunk: Data) -> ChunkAction {
        chunks.append(chunk)
        bufferedBytes += chunk.count
        let resumesReader = resumeIfSatisfied() == .resume
        isPaused = !resumesReader && bufferedBytes > Self.highWaterMark && spillLimit == nil
        return resumesReader ? .storeAndResumeReader : isPaused ? .storeAndPauseTransport : .store
    }

    /// Stores the chunk in the tail: writing a full tail to the file costs a fraction of writing each chunk, usually 16
    /// KiB.
    private mutating func storeInTail(_ chunk: Data, _ spillLimit: Int64) -> ChunkAction {
        if tail.isEmpty { tail.reserveCapacity(Self.highWaterMark + chunk.count) }
        tail.append(chunk)
        guard isTailFull else { return resumeIfSatisfied() == .resume ? .storeAndResumeReader : .store }
        return unreadInFile + Int64(tail.count) <= spillLimit ? .spill : .abort(.spilledBytes(spillLimit))
    }

    private var isTailFull: Bool { tail.count >= Self.highWaterMark }

    /// The bytes to be written to the file; `nil` if the reader has taken the tail meanwhile.
    mutating func takeFullTail() -> Data? {
        guard end == nil, isTailFull else { return nil }
        defer { tail = Data() }
        isSpilling = true
        return tail
    }

    /// - Parameter memory: Empty data with capacity for the next tail.
    mutating func didSpill(_ count: Int, reusing memory: Data) -> ReaderAction {
        isSpilling = false
        guard end == nil else { return resumeIfSatisfied() }
        file = file ?? FileProgress()
        file?.written += Int64(count)
        tail = memory
        return resumeIfSatisfied()
    }

    /// Ends the transfer. Bytes received before remain readable.
    ///
    /// - Parameters:
    ///   - head: The head, if it has not been received before.
    ///   - chunk: The last bytes of the body.
    mutating func finish(
        _ head: HTTPResponseHead?, _ chunk: Data?, _ result: Result<Void, AsyncNetError>
    ) -> ReaderAction {
        guard end == nil else { return .none }
        self.head = head ?? self.head
        end = result
        if let chunk { add(last: chunk) }
        return resumeIfSatisfied()
    }

    private mutating func add(last chunk: Data) {
        guard count(chunk) else { return end = .failure(AsyncNetError(bodyLargerThan: limit)) }
        if usesFile || !tail.isEmpty { tail.append(chunk) } else { chunks.append(chunk) }
    }
}

// MARK: The reader's calls

extension TransferPipeState {
    /// - Returns: `.none` if the reader must suspend until a later action resumes it.
    mutating func wait(for interest: Interest) -> ReaderAction {
        self.interest = interest
        return resumeIfSatisfied()
    }

    private mutating func resumeIfSatisfied() -> ReaderAction {
        guard let interest, isSatisfied(interest) else { return .none }
        self.interest = nil
        return .resume
    }

    func isSatisfied(_ interest: Interest) -> Bool {
        switch interest {
        case .head: end != nil || (readsChunks ? head != nil : isFull)
        case .body: end != nil || (delivery == .whole ? isFull || isEncoded && !chunks.isEmpty : hasReadableBytes)
        }
    }

    private var readsChunks: Bool { delivery == .asItArrives || isEncoded }
    private var isFull: Bool { bufferedBytes > Self.highWaterMark }
    private var hasReadableBytes: Bool { !chunks.isEmpty || unreadInFile > 0 || !isSpilling && !tail.isEmpty }

    /// - Throws: The transfer's error if it ended before the head, or was cancelled; `.emptyReply` if it succeeded
    ///   without a head.
    func receivedHead() throws(AsyncNetError) -> HTTPResponseHead {
        if case .failure(let error) = end, head == nil || error.code == .cancelled { throw error }
        guard let head else { throw AsyncNetError(.emptyReply) }
        return head
    }

    /// The body, if the transfer has succeeded and the reader has to take at most one chunk; otherwise `nil`.
    mutating func takeWhole() -> Data? {
        guard case .success = end, chunks.count <= 1, tail.isEmpty, file == nil, !isSpilling else { return nil }
        defer { (chunks, bufferedBytes) = ([], 0) }
        return chunks.first ?? Data()
    }

    /// What the reader does next, and whether a paused transport continues.
    mutating func read() -> (action: ReadAction, resumesTransport: Bool) {
        defer { isPaused = false }
        return (nextRead(), isPaused)
    }

    private mutating func nextRead() -> ReadAction {
        if let chunks = takeFromMemory() { return .deliver(chunks) }
        if let file, file.unread > 0 {
            return .readFile(offset: file.read, count: Int(min(file.unread, Self.largestFileRead)))
        }
        return end.map(ReadAction.end) ?? .wait
    }

    /// All bytes in memory; `nil` if there are none, or if bytes in the file come before them.
    private mutating func takeFromMemory() -> [Data]? {
        if !chunks.isEmpty {
            bufferedBytes = 0
            defer { chunks = [] }
            return chunks
        }
        guard !isSpilling, unreadInFile == 0 else { return nil }
        file = nil
        guard !tail.isEmpty else { return nil }
        defer { tail = Data() }
        return [tail]
    }

    mutating func didReadFile(_ count: Int) { file?.read += Int64(count) }

    /// Ends the transfer and drops the bytes that have not been read.
    mutating func abort(_ error: AsyncNetError) -> AbortAction {
        guard end == nil else { return .none }
        end = .failure(error)
        (chunks, tail, file) = ([], Data(), nil)
        return .abortTransport(resumeIfSatisfied())
    }
}
