import Foundation

/// The partial file of a download, its place, and what is noted of it.
extension DownloadSink {
    func checkPlace(_ place: URL) throws(AsyncNetError) {
        guard place.isFileURL else { throw AsyncNetError(.fileNotWritable, "The place of a download is not a file URL") }
        guard FileSystem.size(place.path) != nil || !FileSystem.exists(place.path) else { throw Self.unwritable(place, POSIXError(.EINVAL)) }
        guard destination.options.contains(.removePreviousFile) || !FileSystem.exists(place.path) else {
            throw Self.unwritable(place, POSIXError(.EEXIST))
        }
        if destination.options.contains(.createIntermediateDirectories) { try Self.makeFolder(of: place) }
    }

    func place(for head: HTTPResponseHead) throws(AsyncNetError) -> URL {
        if let fixed = destination.fixed { return fixed }
        do {
            let place = try destination.place(head)
            try checkPlace(place)
            return place
        } catch {
            throw AsyncNetError(wrapping: error, as: .fileNotWritable)
        }
    }

    func open(beside place: URL, from offset: Int64, _ head: HTTPResponseHead) throws(AsyncNetError) -> OutputFile {
        let known = state.withLock { $0.partial }
        let partial = known ?? place.deletingLastPathComponent().appending(path: ".AsyncNet-\(UUID().uuidString.prefix(13)).partial")
        do {
            let file = try OutputFile(partial.path, isNew: known == nil)
            state.withLock { ($0.partial, $0.isOwned) = (partial, true) }
            try file.truncate(to: offset)
            // What follows is added at the end, so nothing but the end limits it any more.
            if state.withLock({ $0.prefix.take() }) != nil, offset > 0 { try keep(nil) }
            if offset == 0 { try note(head, beside: place) }
            return file
        } catch {
            throw Self.unwritable(place, error)
        }
    }

    // MARK: What is known of it

    /// What an earlier run left, if it was on its way from the same URL.
    ///
    /// A file of that name that no notes claim is somebody else's.
    func readKept(beside place: URL, _ url: URL) throws(AsyncNetError) {
        guard state.withLock({ $0.partial == nil }) else { return }
        let (partial, notes) = Self.kept(beside: place)
        let known = (try? Data(contentsOf: notes)).flatMap { try? JSONDecoder().decode(ResumeData.self, from: $0) }
        let isOurs = known?.partialFile.lastPathComponent == partial.lastPathComponent
        guard isOurs || !FileSystem.exists(partial.path), isOurs || !FileSystem.exists(notes.path) else {
            throw AsyncNetError(
                .fileNotWritable, "The file \"\(partial.lastPathComponent)\" or its notes are there already, and are none of a download; move them away")
        }
        state.withLock { state in
            if let known, known.url == url, !known.validator.isEmpty { state.take(known) }
            state.partial = partial
        }
    }

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

    /// Also of what cannot be gone on with, whose file they claim; for nobody else's eyes, since a URL may hold a secret.
    func writeNotes(_ notes: URL) throws(POSIXError) {
        guard let data = state.withLock({ $0.resumeData }) else { return }
        do {
            try JSONEncoder().encode(data).write(to: notes, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: notes.path)
        } catch {
            throw POSIXError(.EIO)
        }
    }

    /// What has come, to be gone on with; from then on whoever has it owns the file.
    package func handOver() -> ResumeData? {
        guard let resumeData = state.withLock({ $0.isResumable ? $0.resumeData : nil }), resumeData.offset > 0 else { return nil }
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

    static func unwritable(_ place: URL?, _ error: POSIXError) -> AsyncNetError {
        let name = place.map { " \"\($0.lastPathComponent)\"" } ?? ""
        return AsyncNetError(.fileNotWritable, "The file\(name) cannot be written: \(SystemError.text(error))", underlyingError: error)
    }
}

extension DownloadSink.State {
    mutating func take(_ data: ResumeData) {
        (partial, validator, total, url, prefix) = (data.partialFile, data.validator, data.totalBytes, data.url, data.prefix)
    }

    /// Its validator is empty where it cannot be gone on with.
    var resumeData: ResumeData? {
        guard let url, let partial else { return nil }
        return ResumeData(url: url, validator: validator ?? "", partialFile: partial, totalBytes: total, prefix: prefix)
    }
}
