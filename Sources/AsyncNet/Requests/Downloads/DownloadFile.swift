import Foundation

/// The partial file of a download, its place, and the notes beside it.
///
/// At the end of the download the partial file is moved to its place, given away with resume data, kept with
/// `.continuePartialFile`, or removed with this object.
final class DownloadFile: Sendable {
    private struct State {
        var partial: URL?
        /// Proves that a download made the partial file.
        var mark: String?
        /// The number of bytes before the first gap between segments; `nil` without gaps.
        var prefix: Int64?
        /// Whether this object removes the partial file, to which it has written and which no resume data names.
        var isOwned = false
        var finished: URL?
    }

    private let destination: DownloadDestination
    private let marking: PartialFile.MarkPlace
    private let state = Locked(State())

    init(_ destination: DownloadDestination, _ marking: PartialFile.MarkPlace) {
        (self.destination, self.marking) = (destination, marking)
    }

    deinit {
        let state = state.withLock { $0 }
        if state.isOwned, !isKept, let partial = state.partial { PartialFile.remove(partial.path, state.mark) }
    }

    private var isKept: Bool { destination.options.contains(.continuePartialFile) }
    var partial: URL? { state.withLock { $0.partial } }
    var finished: URL? { state.withLock { $0.finished } }

    /// The bytes of the partial file before its first gap.
    var size: Int64 {
        let (partial, prefix) = state.withLock { ($0.partial, $0.prefix) }
        guard let size = partial.flatMap({ FileSystem.size($0.path) }) else { return 0 }
        return max(0, min(size, prefix ?? size))
    }

    func resume(_ data: ResumeData) {
        state.withLock { ($0.partial, $0.mark, $0.prefix) = (data.partialFile, data.mark, data.prefix) }
    }

    func check(_ place: URL) throws(AsyncNetError) {
        guard place.isFileURL else {
            throw AsyncNetError(.fileNotWritable, "The place of a download is not a file URL")
        }
        guard FileSystem.size(place.path) != nil || !FileSystem.exists(place.path) else {
            throw Self.unwritable(place, POSIXError(.EINVAL))
        }
        guard destination.options.contains(.removePreviousFile) || !FileSystem.exists(place.path) else {
            throw Self.unwritable(place, POSIXError(.EEXIST))
        }
        if destination.options.contains(.createIntermediateDirectories) { try Self.makeFolder(of: place) }
    }

    func place(for head: HTTPResponseHead) async throws(AsyncNetError) -> URL {
        if let fixed = destination.fixed { return fixed }
        do {
            let place =
                destination.isChosen
                ? try await UserCode.run { [destination] in try destination.place(head) } : try destination.place(head)
            try check(place)
            return place
        } catch {
            throw AsyncNetError(wrapping: error, as: .fileNotWritable)
        }
    }

    private static func makeFolder(of place: URL) throws(AsyncNetError) {
        do {
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw AsyncNetError(.fileNotWritable, "The download's folder cannot be created", underlyingError: error)
        }
    }

    static func unwritable(_ place: URL?, _ error: POSIXError) -> AsyncNetError {
        let name = place.map { " \"\($0.lastPathComponent)\"" } ?? ""
        return AsyncNetError(
            .fileNotWritable, "The file\(name) cannot be written: \(SystemError.text(ofFile: error))",
            underlyingError: error)
    }

    /// - Parameter offset: Where the next bytes are written; the bytes after it are cut off.
    func open(beside place: URL, from offset: Int64, _ plan: DownloadPlan) throws(AsyncNetError) -> OutputFile {
        do throws(POSIXError) {
            let output = try openPartial(beside: place)
            if let permissions = permissions(at: place) { output.setPermissions(permissions | 0o600) }
            guard try output.size() >= offset else { throw POSIXError(.ESTALE) }
            try output.truncate(to: offset)
            // From here on bytes are only appended, so the file has no gaps any more.
            let hadGaps = state.withLock { $0.prefix.take() } != nil
            if isKept, offset == 0 || hadGaps { try writeNotes(plan, beside: place) }
            return output
        } catch {
            throw Self.unwritable(place, error)
        }
    }

    func openComplete(beside place: URL) throws(AsyncNetError) -> OutputFile {
        do { return try openPartial(beside: place) } catch { throw Self.unwritable(place, error) }
    }

    /// Opens the known partial file, or makes a new one. A file without this download's mark is refused with `ESTALE`.
    private func openPartial(beside place: URL) throws(POSIXError) -> OutputFile {
        let (known, mark) = state.withLock { ($0.partial, $0.mark) }
        if let known, let mark, FileSystem.exists(known.path) {
            let output = try OutputFile(continuing: known.path, mark: mark)
            state.withLock { $0.isOwned = true }
            return output
        }
        let name = ".AsyncNet-\(UUID().uuidString.prefix(13))\(PartialFile.suffix)"
        let partial = known ?? place.deletingLastPathComponent().appending(path: name)
        let output = try OutputFile(new: partial.path, marking)
        state.withLock { ($0.partial, $0.mark, $0.isOwned) = (partial, output.mark, true) }
        return output
    }

    /// The permissions of the file that is replaced. Until the end this user may read and write the partial file.
    private func permissions(at place: URL) -> mode_t? {
        destination.options.contains(.removePreviousFile) ? FileSystem.permissions(place.path) : nil
    }

    func append(_ chunk: Data, to output: OutputFile) throws(AsyncNetError) {
        do { try output.append(chunk) } catch { throw Self.unwritable(partial, error) }
    }

    func finish(_ output: OutputFile, at place: URL) throws(AsyncNetError) {
        guard let partial else { return }
        if let permissions = permissions(at: place) { output.setPermissions(permissions) }
        do {
            try output.move(
                from: partial.path, to: place.path, replaces: destination.options.contains(.removePreviousFile))
        } catch {
            throw Self.unwritable(place, error)
        }
        state.withLock { ($0.partial, $0.mark, $0.finished) = (nil, nil, place) }
        if isKept { FileSystem.remove(Self.kept(beside: place).notes.path) }
    }

    func remove(beside place: URL) {
        let state = state.withLock { state in
            defer { (state.isOwned, state.partial, state.mark) = (false, nil, nil) }
            return state
        }
        if let partial = state.partial { PartialFile.remove(partial.path, state.mark) }
        if isKept { FileSystem.remove(Self.kept(beside: place).notes.path) }
    }

    /// Checks the mark of the file that resume data names, since any program may have written the data. `false` if the
    /// file is gone: the download then starts over with a new file.
    func checkResumed() throws(AsyncNetError) -> Bool {
        let (partial, mark, isOwned) = state.withLock { ($0.partial, $0.mark, $0.isOwned) }
        guard let partial else { return true }
        guard partial.isFileURL, FileSystem.exists(partial.path) else {
            state.withLock { ($0.partial, $0.mark, $0.prefix) = (isKept ? partial : nil, nil, nil) }
            return false
        }
        guard mark != nil, PartialFile.mark(at: partial.path) == mark else {
            if isOwned || isKept { throw Self.unwritable(partial, POSIXError(.ESTALE)) }
            throw AsyncNetError(
                .invalidRequest,
                "\"\(partial.lastPathComponent)\" is not the partial file of this resume data; start a new download"
            )
        }
        return true
    }

    /// Reads the notes of an earlier download to the same place, if it was of the same URL.
    ///
    /// A file `NAME.partial` without a mark belongs to another program. The contents of a file with a mark are known
    /// only if the notes repeat the mark.
    func readKept(beside place: URL, _ url: URL) throws(AsyncNetError) -> ResumeData? {
        guard isKept, partial == nil else { return nil }
        let (partial, notes) = Self.kept(beside: place)
        let known = FileSystem.readOwn(notes.path, upTo: Self.longestNotes).flatMap {
            try? JSONDecoder().decode(ResumeData.self, from: $0)
        }
        let mark = PartialFile.mark(at: partial.path)
        let areOurs = known?.partialFile.lastPathComponent == partial.lastPathComponent
        guard mark != nil || !FileSystem.exists(partial.path), areOurs || !FileSystem.exists(notes.path) else {
            throw AsyncNetError(
                .fileNotWritable,
                "\"\(partial.lastPathComponent)\" or its notes exist and are not a download's; move them away"
            )
        }
        state.withLock { ($0.partial, $0.mark) = (partial, mark) }
        guard let known, let mark, known.mark == mark, known.url == url, !known.validator.isEmpty else { return nil }
        state.withLock { $0.prefix = known.prefix }
        return known
    }

    private static let longestNotes = 1 << 20

    private static func kept(beside place: URL) -> (partial: URL, notes: URL) {
        (place.appendingPathExtension("partial"), place.appendingPathExtension("partial.json"))
    }

    /// Stores how many bytes are there before the first gap; with `.continuePartialFile` also on disk, in case the
    /// process ends before the gaps are filled.
    func keep(_ prefix: Int64?, _ plan: DownloadPlan) throws(POSIXError) {
        state.withLock { $0.prefix = prefix }
        if isKept, let fixed = destination.fixed { try writeNotes(plan, beside: fixed) }
    }

    /// Written also for a download that cannot be continued, so that the next download recognizes the partial file.
    /// Readable by this user only, since the URL may contain a secret.
    private func writeNotes(_ plan: DownloadPlan, beside place: URL) throws(POSIXError) {
        guard let data = resumeData(plan) else { return }
        guard let text = try? JSONEncoder().encode(data) else { throw POSIXError(.EIO) }
        try FileSystem.writePrivately(text, to: Self.kept(beside: place).notes.path)
    }

    private func resumeData(_ plan: DownloadPlan) -> ResumeData? {
        let state = state.withLock { $0 }
        return state.partial.flatMap { plan.resumeData($0, prefix: state.prefix, mark: state.mark) }
    }

    /// Resume data, whose holder then owns the partial file; `nil` if a later download could not continue it.
    func handOver(_ plan: DownloadPlan) -> ResumeData? {
        guard let data = resumeData(plan), !data.validator.isEmpty, data.offset > 0, let mark = data.mark,
            PartialFile.mark(at: data.partialFile.path) == mark
        else { return nil }
        state.withLock { $0.isOwned = false }
        return data
    }
}
