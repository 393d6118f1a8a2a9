import Foundation

/// Writes a response's body to a file beside its place, and moves it there at the end.
///
/// What has come stays in the partial file until it is known what becomes of it: it is moved to its place, handed over
/// as resume data, kept because the destination says so, or removed with this sink. A request that is sent again goes
/// on where the partial file ends.
final class DownloadSink: ResponseSink {
    struct State {
        /// Where the body is written, and what is known of it.
        var partial: URL?
        /// What proves that a download made it.
        var mark: String?
        var validator: String?
        var total: Int64?
        var url: URL?
        /// How much of the partial file is of use, if not all.
        var prefix: Int64?
        /// What the request under way asks for, if not for everything.
        var asked: ByteRange?
        /// Several parts at a time are worth a try.
        var isSegmented = false
        /// What the whole must be.
        var checksums: [Checksum] = []
        /// The download has reached its end.
        var finished: URL?
        /// The partial file is this download's to remove: it wrote to it, and gave it to nobody.
        var isOwned = false

        /// How much there is to go on from.
        var offset: Int64 {
            guard let size = partial.flatMap({ FileSystem.size($0.path) }) else { return 0 }
            return max(0, min(size, prefix ?? size))
        }
        var isResumable: Bool { validator?.isEmpty == false }
    }

    let destination: DownloadDestination
    let state = Locked(State())
    /// How many parts are fetched at a time.
    private let segments: Int
    private let checksum: Checksum?
    let marking: PartialFile.MarkPlace

    convenience init(
        _ destination: DownloadDestination, resuming: ResumeData? = nil, segments: Int = 1, checksum: Checksum? = nil
    ) {
        self.init(destination, resuming: resuming, segments: segments, checksum: checksum, marking: .attribute)
    }

    init(
        _ destination: DownloadDestination, resuming: ResumeData? = nil, segments: Int = 1, checksum: Checksum? = nil,
        marking: PartialFile.MarkPlace
    ) {
        self.destination = destination
        self.marking = marking
        self.segments = min(max(1, segments), 64)
        self.checksum = checksum
        state.withLock { state in
            state.isSegmented = segments > 1
            if let resuming { state.take(resuming) }
        }
    }

    deinit {
        let state = state.withLock { $0 }
        if state.isOwned, !isKept, let partial = state.partial { PartialFile.remove(partial.path, state.mark) }
    }

    var isKept: Bool { destination.options.contains(.continuePartialFile) }
    var finishedFile: URL? { state.withLock { $0.finished } }

    // MARK: Before the request

    /// Encoded bytes could not be gone on with, so none are asked for unless the caller does.
    func prepare(_ request: TransportRequest) async throws -> TransportRequest {
        var request = request
        try check(request)
        if let fixed = destination.fixed { try checkPlace(fixed) }
        if isKept, let fixed = destination.fixed { try readKept(beside: fixed, request.head.url) }
        try checkResumed()
        if !request.head.headers.contains(name: "Accept-Encoding") {
            request.head.headers.add(.acceptEncoding("identity"))
        }
        for name in ["Range", "If-Range"] { request.head.headers.remove(name) }
        let (asked, validator) = state.withLock { state in
            // Where it was first asked for: redirects, and what they strip, happen again.
            state.url = state.url ?? request.head.url
            if request.head.method != .get { state.isSegmented = false }
            state.asked = Self.range(to: state)
            return (state.asked, state.offset > 0 ? state.validator : nil)
        }
        if let asked { request.head.headers.set(HTTPHeader(name: "Range", value: asked.headerValue)) }
        if asked != nil, let validator { request.head.headers.set(HTTPHeader(name: "If-Range", value: validator)) }
        return request
    }

    private func check(_ request: TransportRequest) throws(AsyncNetError) {
        if let checksum, !checksum.isValid {
            throw AsyncNetError(
                .invalidRequest, "The download's checksum is neither hexadecimal nor Base64 of the right length")
        }
        let isFirst = state.withLock { $0.url == nil }
        if isFirst, request.head.headers.contains(name: "Range") {
            throw AsyncNetError(
                .invalidRequest, "A download asks for ranges itself; stream a part of a resource instead")
        }
    }

    /// What is missing: all of it, or a first part, after which the others are fetched.
    private static func range(to state: State) -> ByteRange? {
        let offset = state.isResumable ? state.offset : 0
        if state.isSegmented {
            if let total = state.total, offset > 0, total <= offset + SegmentPlan.firstLength { return .from(offset) }
            return .closed(offset...offset + SegmentPlan.firstLength - 1)
        }
        return offset > 0 ? .from(offset) : nil
    }

    // MARK: The body

    func receive(_ body: ResponseBody, of head: HTTPResponseHead) async throws -> SinkVerdict {
        let place = try await place(for: head)
        let file: OutputFile
        switch try start(head) {
        case .complete:
            do { file = try openPartial(beside: place) } catch { throw Self.unwritable(place, error) }
        case .again: return .again
        case .from(let offset):
            file = try open(beside: place, from: offset, head)
            do { try await write(body, from: offset, to: file) } catch is SegmentedTransfer.OtherVersion {
                _ = restart()
                return .again
            }
        }
        body.rest()
        learnChecksums(head)
        try await verify(beside: place)
        try finish(file, at: place)
        return .done
    }

    private enum Start {
        case from(Int64)
        /// All of it is there.
        case complete
        /// What is there is of no use any more, or asking for parts is not.
        case again
    }

    /// What a response means for what is there (RFC 9110 §14.2, §15.3.7, §15.5.17).
    private func start(_ head: HTTPResponseHead) throws(AsyncNetError) -> Start {
        let (asked, offset) = state.withLock { ($0.asked, $0.isResumable ? $0.offset : 0) }
        guard let asked else {
            guard head.statusCode != 206 else {
                throw AsyncNetError(.badServerResponse, "The server sent a part that was not asked for")
            }
            return .from(0)
        }
        let range = head.onlyValue(of: .contentRange).flatMap(ContentRange.init)
        switch head.statusCode {
        case 206:
            if offset == 0, !isFirstPart(range, asked, head) { return restart() }
            try check(range, asked, from: offset, head)
            state.withLock { $0.total = $0.total ?? range?.total }
            return .from(offset)
        case 416:
            if let total = range?.total, total == offset, offset > 0 { return .complete }
            return restart()
        case 200..<300: return .from(0)
        // Without parts it was not asked for a rest: an answer of any status is downloaded.
        default:
            if offset == 0 { return .from(0) }
            throw AsyncNetError(
                .unacceptableStatus, "The server answered \(head.statusCode) when asked for the rest of the download")
        }
    }

    /// A 206 response must be what is missing, of the same version, and as long as it says.
    private func check(_ range: ContentRange?, _ asked: ByteRange, from offset: Int64, _ head: HTTPResponseHead)
        throws(AsyncNetError)
    {
        guard let range, let bytes = range.bytes, bytes.lowerBound == offset,
            Self.ends(bytes, of: range.total, as: asked),
            agrees(range.total, state.withLock { $0.total }), isSameVersion(head),
            head.value(for: "Content-Encoding") == nil
        else {
            throw AsyncNetError(
                .badServerResponse, "The server's Content-Range does not continue the download at byte \(offset)")
        }
        if let length = head.contentLength, let expected = head.rangeLength, length > expected {
            throw AsyncNetError(
                .badServerResponse,
                "The server's Content-Length of \(length) is more than the \(expected) bytes of its Content-Range")
        }
    }

    /// Whether others can follow; if not, all of it is asked for as one.
    private func isFirstPart(_ range: ContentRange?, _ asked: ByteRange, _ head: HTTPResponseHead) -> Bool {
        guard let range, let total = range.total, let bytes = range.bytes, bytes.lowerBound == 0 else { return false }
        return Self.ends(bytes, of: total, as: asked) && IfRange.validator(of: head.headers) != nil
            && head.value(for: "Content-Encoding") == nil
    }

    /// Whether these are all the bytes that were asked for and that there are.
    private static func ends(_ bytes: ClosedRange<Int64>, of total: Int64?, as asked: ByteRange) -> Bool {
        switch asked {
        case .closed(let range): bytes.upperBound == min(range.upperBound, total.map { $0 - 1 } ?? .max)
        case .from, .last: total.map { bytes.upperBound == $0 - 1 } ?? true
        }
    }

    /// A 416 to its own `Range` is this download's matter, not an answer to validate.
    func validates(_ head: HTTPResponseHead) -> Bool {
        head.statusCode != 416 || state.withLock { $0.asked == nil }
    }

    private func isSameVersion(_ head: HTTPResponseHead) -> Bool {
        guard let known = state.withLock({ $0.validator }) else { return true }
        return IfRange.isSameVersion(head.headers, as: known)
    }

    private func agrees(_ total: Int64?, _ known: Int64?) -> Bool {
        guard let total, let known else { return true }
        return total == known
    }

    private func restart() -> Start {
        state.withLock { state in
            (state.validator, state.total, state.isSegmented) = (nil, nil, false)
        }
        return .again
    }

    private func write(_ body: ResponseBody, from offset: Int64, to file: OutputFile) async throws {
        let total = state.withLock { $0.total }
        (body.offset, body.total) = (offset, total)
        let partial = state.withLock { $0.partial }
        do {
            try await body.forEach { chunk in
                do throws(POSIXError) { try file.append(chunk) } catch { throw Self.unwritable(partial, error) }
            }
        } catch {
            // Which bytes of a body that is too long are the foreign ones, nobody knows.
            if body.received.isExceeded { try? file.truncate(to: offset) }
            throw error
        }
        let size = try? file.size()
        guard size == offset + body.count else {
            throw AsyncNetError(.fileNotWritable, "Somebody else writes to the download's partial file")
        }
        try await fetchParts(after: body, to: file)
        if let total, let size = try? file.size(), size != total {
            throw AsyncNetError(.bodyEndedEarly, "The download has \(size) bytes, not the \(total) that it should have")
        }
    }

    /// The parts that follow the first one.
    private func fetchParts(after body: ResponseBody, to file: OutputFile) async throws {
        let state = state.withLock { $0 }
        let start = body.offset + body.count
        guard state.isSegmented, case .closed? = state.asked, let total = state.total, start < total,
            let validator = state.validator
        else { return }
        body.rest()
        try file.writeAnywhere()
        try keep(start)
        let transfer = SegmentedTransfer(
            validator: validator, file: file, head: body.head, observer: body.observer, keep: keep)
        let plan = SegmentPlan(from: start, total: total, segments: segments)
        let (contiguous, failure) = await transfer.run(plan, segments: segments, received: body.received)
        if failure != nil { try file.truncate(to: contiguous) }
        try keep(nil)
        body.add(contiguous - start)
        if let failure { throw failure }
    }

    /// Says how much of the file is of use while it has gaps; also on disk, if this process may not live to fill them.
    func keep(_ prefix: Int64?) throws(POSIXError) {
        state.withLock { $0.prefix = prefix }
        if isKept, let fixed = destination.fixed { try writeNotes(Self.kept(beside: fixed).notes) }
    }

    // MARK: The end

    /// What the response says of the whole (RFC 9530); a digest of its content is one of the whole if that is what it
    /// is.
    private func learnChecksums(_ head: HTTPResponseHead) {
        guard head.value(for: "Content-Encoding") == nil, 200..<300 ~= head.statusCode else { return }
        var checksums = head.value(for: "Repr-Digest").map(DigestFields.checksums) ?? []
        if head.statusCode == 200 { checksums += head.value(for: "Content-Digest").map(DigestFields.checksums) ?? [] }
        state.withLock { $0.checksums = checksums }
    }

    /// What is not the file that was meant is not gone on with either.
    private func verify(beside place: URL) async throws {
        let (checksums, partial, mark) = state.withLock { ($0.checksums, $0.partial, $0.mark) }
        guard let partial, case let all = checksums + (checksum.map { [$0] } ?? []), !all.isEmpty else { return }
        do {
            try await FileChecksum.verify(partial.path, against: all)
        } catch let error as AsyncNetError where error.code == .checksumMismatch {
            PartialFile.remove(partial.path, mark)
            state.withLock { ($0.validator, $0.isOwned, $0.partial, $0.mark) = (nil, false, nil, nil) }
            if isKept { FileSystem.remove(Self.kept(beside: place).notes.path) }
            throw error
        } catch let error as POSIXError {
            throw Self.unwritable(place, error)
        }
    }

    private func finish(_ file: OutputFile, at place: URL) throws(AsyncNetError) {
        guard let partial = state.withLock({ $0.partial }) else { return }
        do {
            try file.move(
                from: partial.path, to: place.path, replaces: destination.options.contains(.removePreviousFile))
        } catch {
            throw Self.unwritable(place, error)
        }
        state.withLock { ($0.partial, $0.mark, $0.finished) = (nil, nil, place) }
        if isKept { FileSystem.remove(Self.kept(beside: place).notes.path) }
    }
}
