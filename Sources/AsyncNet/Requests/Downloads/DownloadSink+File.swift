import Foundation

/// The partial file of a download, its place, and what is noted of it.
extension DownloadSink {
    func checkPlace(_ place: URL) throws(AsyncNetError) {
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
            try checkPlace(place)
            return place
        } catch {
            throw AsyncNetError(wrapping: error, as: .fileNotWritable)
        }
    }

    func open(beside place: URL, from offset: Int64, _ head: HTTPResponseHead) throws(AsyncNetError) -> OutputFile {
        do throws(POSIXError) {
            let file = try openPartial(beside: place)
            guard try file.size() >= offset else { throw POSIXError(.ESTALE) }
            try file.truncate(to: offset)
            // What follows is added at the end, so nothing but the end limits it any more.
            if state.withLock({ $0.prefix.take() }) != nil, offset > 0 { try keep(nil) }
            if offset == 0 { try note(head, beside: place) }
            return file
        } catch {
            throw Self.unwritable(place, error)
        }
    }

    /// The partial file that there is, which must be a download's, or a new one.
    func openPartial(beside place: URL) throws(POSIXError) -> OutputFile {
        let (known, mark) = state.withLock { ($0.partial, $0.mark) }
        if let known, let mark, FileSystem.exists(known.path) {
            let file = try OutputFile(continuing: known.path, mark: mark)
            state.withLock { $0.isOwned = true }
            return file
        }
        let name = ".AsyncNet-\(UUID().uuidString.prefix(13))\(PartialFile.suffix)"
        let partial = known ?? place.deletingLastPathComponent().appending(path: name)
        let file = try OutputFile(new: partial.path, marking)
        state.withLock { ($0.partial, $0.mark, $0.isOwned) = (partial, file.mark, true) }
        return file
    }

    // MARK: What is known of it

    /// What resume data names must be there and be the file that a download left: anybody may have written the data.
    ///
    /// If it is gone, the download starts over with another file.
    func checkResumed() throws(AsyncNetError) {
        let (partial, mark, isOwned) = state.withLock { ($0.partial, $0.mark, $0.isOwned) }
        guard let partial else { return }
        guard partial.isFileURL, FileSystem.exists(partial.path) else {
            return state.withLock { $0.forget(keepsName: isKept) }
        }
        guard mark != nil, PartialFile.mark(at: partial.path) == mark else {
            if isOwned || isKept { throw Self.unwritable(partial, POSIXError(.ESTALE)) }
            throw AsyncNetError(
                .invalidRequest,
                "The file \"\(partial.lastPathComponent)\" of the resume data is not the one that the download left; download it anew"
            )
        }
    }

    /// What an earlier run left, if it was on its way from the same URL.
    ///
    /// A file of that name that no download has marked is somebody else's. Without notes that name its mark, nothing is
    /// known of its contents.
    func readKept(beside place: URL, _ url: URL) throws(AsyncNetError) {
        guard state.withLock({ $0.partial == nil }) else { return }
        let (partial, notes) = Self.kept(beside: place)
        let known = FileSystem.readOwn(notes.path, upTo: Self.longestNotes).flatMap {
            try? JSONDecoder().decode(ResumeData.self, from: $0)
        }
        let mark = PartialFile.mark(at: partial.path)
        let areOurs = known?.partialFile.lastPathComponent == partial.lastPathComponent
        guard mark != nil || !FileSystem.exists(partial.path), areOurs || !FileSystem.exists(notes.path) else {
            throw AsyncNetError(
                .fileNotWritable,
                "The file \"\(partial.lastPathComponent)\" or its notes are there already, and are none of a download; move them away"
            )
        }
        state.withLock { state in
            if let known, let mark, known.mark == mark, known.url == url, !known.validator.isEmpty { state.take(known) }
            (state.partial, state.mark) = (partial, mark)
        }
    }

    private static let longestNotes = 1 << 20

    static func kept(beside place: URL) -> (partial: URL, notes: URL) {
        (place.appendingPathExtension("partial"), place.appendingPathExtension("partial.json"))
    }

    /// What must be known to go on later; also on disk if this process may not live to say it.
    private func note(_ head: HTTPResponseHead, beside place: URL) throws(POSIXError) {
        let isPlain = head.value(for: "Content-Encoding") == nil && (head.statusCode == 200 || head.statusCode == 206)
        state.withLock { state in
            state.validator = isPlain ? IfRange.validator(of: head.headers) : nil
            let part = head.statusCode == 206 ? head.onlyValue(of: .contentRange).flatMap(ContentRange.init) : nil
            state.total = isPlain ? part?.total ?? head.contentLength : nil
        }
        guard isKept else { return }
        try writeNotes(Self.kept(beside: place).notes)
    }

    /// Also of what cannot be gone on with, whose file they claim; for nobody else's eyes, since a URL may hold a
    /// secret.
    func writeNotes(_ notes: URL) throws(POSIXError) {
        guard let data = state.withLock({ $0.resumeData }) else { return }
        guard let text = try? JSONEncoder().encode(data) else { throw POSIXError(.EIO) }
        try FileSystem.writePrivately(text, to: notes.path)
    }

    /// What has come, to be gone on with; from then on whoever has it owns the file.
    func handOver() -> ResumeData? {
        guard let resumeData = state.withLock({ $0.isResumable ? $0.resumeData : nil }), resumeData.offset > 0,
            let mark = resumeData.mark, PartialFile.mark(at: resumeData.partialFile.path) == mark
        else { return nil }
        state.withLock { $0.isOwned = false }
        return resumeData
    }

    // MARK: Errors

    private static func makeFolder(of place: URL) throws(AsyncNetError) {
        do {
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw AsyncNetError(.fileNotWritable, "The folder of the download cannot be made", underlyingError: error)
        }
    }

    static func unwritable(_ place: URL?, _ error: POSIXError) -> AsyncNetError {
        let name = place.map { " \"\($0.lastPathComponent)\"" } ?? ""
        return AsyncNetError(
            .fileNotWritable, "The file\(name) cannot be written: \(SystemError.text(error))", underlyingError: error)
    }
}

extension DownloadSink.State {
    mutating func take(_ data: ResumeData) {
        (partial, mark, validator, total, url, prefix) = (
            data.partialFile, data.mark, data.validator, data.totalBytes, data.url, data.prefix
        )
    }

    /// The partial file is gone, and with it all that was known of it.
    mutating func forget(keepsName: Bool) {
        (partial, mark, validator, total, prefix) = (keepsName ? partial : nil, nil, nil, nil, nil)
    }

    /// Its validator is empty where it cannot be gone on with.
    var resumeData: ResumeData? {
        guard let url, let partial else { return nil }
        return ResumeData(
            url: url, validator: validator ?? "", partialFile: partial, totalBytes: total, prefix: prefix, mark: mark)
    }
}
