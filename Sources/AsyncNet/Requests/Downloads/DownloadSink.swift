package import Foundation

/// Writes a response's body to a file beside its place, and moves it there at the end.
///
/// What has come stays in the partial file until it is known what becomes of it: it is moved to its place, handed over as resume data, kept
/// because the destination says so, or removed with this sink. A request that is sent again goes on where the partial file ends.
package final class DownloadSink: ResponseSink {
    private struct State {
        /// Where the body is written, and what is known of it.
        var partial: URL?
        var validator: String?
        var total: Int64?
        var url: URL?
        /// The download has reached its end.
        var finished: URL?
        /// Somebody else owns the partial file.
        var isHandedOver = false
    }

    private let destination: DownloadDestination
    private let state = Locked(State())

    package init(_ destination: DownloadDestination, resuming: ResumeData? = nil) {
        self.destination = destination
        state.withLock { state in
            guard let resuming else { return }
            (state.partial, state.validator, state.total, state.url) = (resuming.partialFile, resuming.validator, resuming.totalBytes, resuming.url)
        }
    }

    deinit {
        let state = state.withLock { $0 }
        // What cannot be gone on with is not kept either.
        if !state.isHandedOver, !isKept || state.validator == nil, let partial = state.partial { FileSystem.remove(partial.path) }
    }

    private var isKept: Bool { destination.options.contains(.continuePartialFile) }
    package var finishedFile: URL? { state.withLock { $0.finished } }

    // MARK: Before the request

    /// Encoded bytes could not be gone on with, so none are asked for unless the caller does.
    package func prepare(_ request: TransportRequest) async throws -> TransportRequest {
        var request = request
        if let fixed = destination.fixed { try checkPlace(fixed) }
        if isKept, let fixed = destination.fixed { readKept(beside: fixed, request.head.url) }
        if !request.head.headers.contains(name: "Accept-Encoding") { request.head.headers.add(.acceptEncoding("identity")) }
        let state = state.withLock { $0 }
        request.head.headers.remove("Range")
        request.head.headers.remove("If-Range")
        if let validator = state.validator, let offset = state.partial.flatMap({ FileSystem.size($0.path) }), offset > 0 {
            request.head.headers.set(HTTPHeader(name: "Range", value: ByteRange.from(offset).headerValue))
            request.head.headers.set(HTTPHeader(name: "If-Range", value: validator))
        }
        return request
    }

    private func checkPlace(_ place: URL) throws(AsyncNetError) {
        guard place.isFileURL else { throw AsyncNetError(.fileNotWritable, "The place of a download is not a file URL") }
        guard destination.options.contains(.removePreviousFile) || !FileSystem.exists(place.path) else {
            throw Self.unwritable(place, POSIXError(.EEXIST))
        }
        if destination.options.contains(.createIntermediateDirectories) { try Self.makeFolder(of: place) }
    }

    /// What an earlier run left, if it was on its way from the same URL.
    private func readKept(beside place: URL, _ url: URL) {
        let (partial, notes) = Self.kept(beside: place)
        let known = (try? Data(contentsOf: notes)).flatMap { try? JSONDecoder().decode(ResumeData.self, from: $0) }
        state.withLock { state in
            state.partial = partial
            guard state.validator == nil else { return }
            guard let known, known.url == url else { return FileSystem.remove(partial.path) }
            (state.validator, state.total, state.url) = (known.validator, known.totalBytes, known.url)
        }
    }

    private static func kept(beside place: URL) -> (partial: URL, notes: URL) {
        (place.appendingPathExtension("partial"), place.appendingPathExtension("partial.json"))
    }

    // MARK: The body

    package func receive(_ body: WatchedBody, of head: HTTPResponseHead) async throws -> SinkVerdict {
        let place = try place(for: head)
        let offset = state.withLock { $0.partial }.flatMap { FileSystem.size($0.path) } ?? 0
        switch try start(head, offset: offset) {
        case .complete: break
        case .again: return .again
        case .from(let offset): try await write(body, from: offset, to: try open(beside: place, from: offset, head))
        }
        try finish(at: place)
        return .done
    }

    private enum Start {
        case from(Int64)
        /// All of it is there.
        case complete
        /// What is there is of no use any more.
        case again
    }

    /// What a response means for what is there (RFC 9110 §14.2, §15.3.7, §15.5.17).
    private func start(_ head: HTTPResponseHead, offset: Int64) throws(AsyncNetError) -> Start {
        let isResuming = offset > 0 && state.withLock { $0.validator } != nil
        guard isResuming else { return .from(0) }
        let range = head.value(for: "Content-Range").flatMap(ContentRange.init)
        switch head.statusCode {
        case 206:
            guard let range, range.bytes?.lowerBound == offset, isSameVersion(head), agrees(range.total) else {
                throw AsyncNetError(.badServerResponse, "The server's Content-Range does not continue the download at byte \(offset)")
            }
            return .from(offset)
        case 416:
            if let total = range?.total, total == offset { return .complete }
            forget()
            return .again
        case 200..<300: return .from(0)
        default: throw AsyncNetError(.unacceptableStatus, "The server answered \(head.statusCode) when asked for the rest of the download")
        }
    }

    private func isSameVersion(_ head: HTTPResponseHead) -> Bool {
        guard let tag = head.value(for: "ETag"), let known = state.withLock({ $0.validator }), known.hasPrefix("\"") else { return true }
        return tag == known
    }

    private func agrees(_ total: Int64?) -> Bool {
        guard let total, let known = state.withLock({ $0.total }) else { return true }
        return total == known
    }

    private func forget() {
        state.withLock { state in
            if let partial = state.partial { FileSystem.remove(partial.path) }
            (state.validator, state.total) = (nil, nil)
        }
    }

    private func open(beside place: URL, from offset: Int64, _ head: HTTPResponseHead) throws(AsyncNetError) -> OutputFile {
        let known = state.withLock { $0.partial }
        let partial = known ?? place.deletingLastPathComponent().appending(path: ".\(place.lastPathComponent).\(UUID().uuidString.prefix(8)).partial")
        do {
            let file = try OutputFile(partial.path, isNew: known == nil)
            state.withLock { $0.partial = partial }
            if offset == 0 {
                try file.truncate()
                try note(head, beside: place)
            }
            return file
        } catch {
            throw Self.unwritable(place, error)
        }
    }

    /// What must be known to go on later; also on disk if this process may not live to say it.
    private func note(_ head: HTTPResponseHead, beside place: URL) throws(POSIXError) {
        let isPlain = head.value(for: "Content-Encoding") == nil && head.statusCode == 200
        state.withLock { state in
            state.validator = isPlain ? IfRange.validator(of: head.headers) : nil
            state.total = isPlain ? head.contentLength : nil
            state.url = head.url
        }
        guard isKept else { return }
        let notes = Self.kept(beside: place).notes
        guard let resumeData, let data = try? JSONEncoder().encode(resumeData) else { return FileSystem.remove(notes.path) }
        do { try data.write(to: notes, options: .atomic) } catch { throw POSIXError(.EIO) }
    }

    private func write(_ body: WatchedBody, from offset: Int64, to file: OutputFile) async throws {
        body.offset = offset
        while let chunk = try await body.next() {
            do { try file.append(chunk) } catch { throw Self.unwritable(state.withLock { $0.partial }, error) }
        }
        let size = try? file.size()
        guard size == offset + body.count else {
            throw AsyncNetError(.fileNotWritable, "Somebody else writes to the download's partial file")
        }
    }

    // MARK: The end

    private func place(for head: HTTPResponseHead) throws(AsyncNetError) -> URL {
        if let fixed = destination.fixed { return fixed }
        do {
            let place = try destination.place(head)
            try checkPlace(place)
            return place
        } catch {
            throw AsyncNetError(wrapping: error, as: .fileNotWritable)
        }
    }

    private func finish(at place: URL) throws(AsyncNetError) {
        guard let partial = state.withLock({ $0.partial }) else { return }
        do {
            try FileSystem.move(partial.path, to: place.path, replaces: destination.options.contains(.removePreviousFile))
        } catch {
            throw Self.unwritable(place, error)
        }
        state.withLock { ($0.partial, $0.finished) = (nil, place) }
        if isKept { FileSystem.remove(Self.kept(beside: place).notes.path) }
    }

    // MARK: Going on later

    private var resumeData: ResumeData? {
        let state = state.withLock { $0 }
        guard let partial = state.partial, let validator = state.validator, let url = state.url else { return nil }
        return ResumeData(url: url, validator: validator, partialFile: partial, totalBytes: state.total)
    }

    /// What has come, to be gone on with; from then on whoever has it owns the file.
    package func handOver() -> ResumeData? {
        guard let resumeData, resumeData.offset > 0 else { return nil }
        state.withLock { $0.isHandedOver = true }
        return resumeData
    }

    // MARK: Errors

    private static func makeFolder(of place: URL) throws(AsyncNetError) {
        do {
            try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw AsyncNetError(.fileNotWritable, "The folder of the download cannot be made", underlyingError: error)
        }
    }

    private static func unwritable(_ place: URL?, _ error: POSIXError) -> AsyncNetError {
        let name = place.map { " \"\($0.lastPathComponent)\"" } ?? ""
        return AsyncNetError(.fileNotWritable, "The file\(name) cannot be written: \(SystemError.text(error))", underlyingError: error)
    }
}
