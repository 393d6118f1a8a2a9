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
        /// The partial file is this download's to remove: it wrote to it, and gave it to nobody.
        var isOwned = false
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
        if state.isOwned, !isKept, let partial = state.partial { FileSystem.remove(partial.path) }
    }

    private var isKept: Bool { destination.options.contains(.continuePartialFile) }
    package var finishedFile: URL? { state.withLock { $0.finished } }

    // MARK: Before the request

    /// Encoded bytes could not be gone on with, so none are asked for unless the caller does.
    package func prepare(_ request: TransportRequest) async throws -> TransportRequest {
        var request = request
        let isFirst = state.withLock { $0.url == nil || $0.partial == nil }
        if isFirst, request.head.headers.contains(name: "Range") {
            throw AsyncNetError(.invalidRequest, "A download asks for ranges itself; stream a part of a resource instead")
        }
        if let fixed = destination.fixed { try checkPlace(fixed) }
        if isKept, let fixed = destination.fixed { try readKept(beside: fixed, request.head.url) }
        // Where it was first asked for: redirects, and what they strip, happen again.
        state.withLock { $0.url = $0.url ?? request.head.url }
        if !request.head.headers.contains(name: "Accept-Encoding") { request.head.headers.add(.acceptEncoding("identity")) }
        let state = state.withLock { $0 }
        request.head.headers.remove("Range")
        request.head.headers.remove("If-Range")
        if let validator = state.validator, !validator.isEmpty, let offset = state.partial.flatMap({ FileSystem.size($0.path) }), offset > 0 {
            request.head.headers.set(HTTPHeader(name: "Range", value: ByteRange.from(offset).headerValue))
            request.head.headers.set(HTTPHeader(name: "If-Range", value: validator))
        }
        return request
    }

    private func checkPlace(_ place: URL) throws(AsyncNetError) {
        guard place.isFileURL else { throw AsyncNetError(.fileNotWritable, "The place of a download is not a file URL") }
        guard FileSystem.size(place.path) != nil || !FileSystem.exists(place.path) else { throw Self.unwritable(place, POSIXError(.EINVAL)) }
        guard destination.options.contains(.removePreviousFile) || !FileSystem.exists(place.path) else {
            throw Self.unwritable(place, POSIXError(.EEXIST))
        }
        if destination.options.contains(.createIntermediateDirectories) { try Self.makeFolder(of: place) }
    }

    /// What an earlier run left, if it was on its way from the same URL.
    ///
    /// A file of that name that no notes claim is somebody else's.
    private func readKept(beside place: URL, _ url: URL) throws(AsyncNetError) {
        guard state.withLock({ $0.partial == nil }) else { return }
        let (partial, notes) = Self.kept(beside: place)
        let known = (try? Data(contentsOf: notes)).flatMap { try? JSONDecoder().decode(ResumeData.self, from: $0) }
        let isOurs = known?.partialFile.lastPathComponent == partial.lastPathComponent
        guard isOurs || !FileSystem.exists(partial.path), isOurs || !FileSystem.exists(notes.path) else {
            throw AsyncNetError(
                .fileNotWritable, "The file \"\(partial.lastPathComponent)\" or its notes are there already, and are none of a download; move them away")
        }
        state.withLock { state in
            state.partial = partial
            guard let known, known.url == url, !known.validator.isEmpty else { return }
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
        guard isResuming(from: offset) else {
            guard head.statusCode != 206 else { throw AsyncNetError(.badServerResponse, "The server sent a part that was not asked for") }
            return .from(0)
        }
        let range = head.value(for: "Content-Range").flatMap(ContentRange.init)
        switch head.statusCode {
        case 206:
            guard let range, let bytes = range.bytes, bytes.lowerBound == offset, range.total.map({ bytes.upperBound == $0 - 1 }) ?? true,
                isSameVersion(head), agrees(range.total), head.value(for: "Content-Encoding") == nil
            else {
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

    private func isResuming(from offset: Int64) -> Bool { offset > 0 && state.withLock { $0.validator?.isEmpty == false } }

    /// A 416 to its own `Range` is this download's matter, not an answer to validate.
    package func isOwnMatter(_ head: HTTPResponseHead) -> Bool {
        let offset = state.withLock { $0.partial }.flatMap { FileSystem.size($0.path) } ?? 0
        return head.statusCode == 416 && isResuming(from: offset)
    }

    private func isSameVersion(_ head: HTTPResponseHead) -> Bool {
        guard let known = state.withLock({ $0.validator }) else { return true }
        return head.value(for: known.hasPrefix("\"") ? "ETag" : "Last-Modified").map { $0 == known } ?? true
    }

    private func agrees(_ total: Int64?) -> Bool {
        guard let total, let known = state.withLock({ $0.total }) else { return true }
        return total == known
    }

    private func forget() {
        state.withLock { ($0.validator, $0.total) = (nil, nil) }
    }

    private func open(beside place: URL, from offset: Int64, _ head: HTTPResponseHead) throws(AsyncNetError) -> OutputFile {
        let known = state.withLock { $0.partial }
        let partial = known ?? place.deletingLastPathComponent().appending(path: ".AsyncNet-\(UUID().uuidString.prefix(13)).partial")
        do {
            let file = try OutputFile(partial.path, isNew: known == nil)
            state.withLock { ($0.partial, $0.isOwned) = (partial, true) }
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
        }
        guard isKept else { return }
        try writeNotes(Self.kept(beside: place).notes)
    }

    /// Also of what cannot be gone on with, whose file they claim; for nobody else's eyes, since a URL may hold a secret.
    private func writeNotes(_ notes: URL) throws(POSIXError) {
        let state = state.withLock { $0 }
        guard let url = state.url, let partial = state.partial else { return }
        let data = ResumeData(url: url, validator: state.validator ?? "", partialFile: partial, totalBytes: state.total)
        do {
            try JSONEncoder().encode(data).write(to: notes, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: notes.path)
        } catch {
            throw POSIXError(.EIO)
        }
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
        if let total = state.withLock({ $0.total }), size != total {
            throw AsyncNetError(.bodyEndedEarly, "The download has \(offset + body.count) bytes, not the \(total) that it should have")
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
        guard let partial = state.partial, let validator = state.validator, !validator.isEmpty, let url = state.url else { return nil }
        return ResumeData(url: url, validator: validator, partialFile: partial, totalBytes: state.total)
    }

    /// What has come, to be gone on with; from then on whoever has it owns the file.
    package func handOver() -> ResumeData? {
        guard let resumeData, resumeData.offset > 0 else { return nil }
        state.withLock { $0.isOwned = false }
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
