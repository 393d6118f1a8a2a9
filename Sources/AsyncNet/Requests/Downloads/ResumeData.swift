public import Foundation

/// What is left of a download that did not reach its end, to go on from there, also in another process.
///
///     let resumeData = await download.cancel(producingResumeData: true)
///     let file = try await session.download(resumingWith: resumeData, to: .file(target)).value
///
/// It is only there if the server said which version of the resource the bytes are of: by a strong `ETag`, or a
/// `Last-Modified` that is old enough (RFC 9110 §13.1.5). It names a file, which whoever holds it owns: a download that
/// resumes with it takes the file over; ``discard()`` removes it.
///
/// Resume data may come from anywhere, so the file that it names is not touched before it is proven to be the one that
/// the download left: a regular file of this user's with one name, that ends in `.partial` and bears the random mark
/// that the data repeats. Otherwise resuming ends in `.invalidRequest`, and the file stays as it is; if there is no
/// file of the name, the download starts over. The mark is an extended attribute, `user.asyncnet.partial`. Where the
/// file system has none, such as FAT, it is a file beside the partial one, `NAME.mark`, together with the inode. A copy
/// of a partial file, which has lost its mark, is not gone on with.
public struct ResumeData: Codable, Hashable, Sendable {
    /// Where the rest is to be had.
    public let url: URL
    /// What `If-Range` says: an entity tag, or a date.
    public let validator: String
    /// Where what has come is kept.
    public let partialFile: URL
    /// How many bytes the whole has; `nil` if the server did not say.
    public let totalBytes: Int64?
    /// How much of the file is of use where it has gaps; `nil` is all.
    let prefix: Int64?
    /// What the download has marked the file with.
    let mark: String?

    init(
        url: URL, validator: String, partialFile: URL, totalBytes: Int64?, prefix: Int64? = nil, mark: String? = nil
    ) {
        self.url = url
        self.validator = validator
        self.partialFile = partialFile
        self.totalBytes = totalBytes
        self.prefix = prefix
        self.mark = mark
    }

    /// How many bytes have come; 0 if the file is gone.
    public var offset: Int64 {
        let size = FileSystem.size(partialFile.path) ?? 0
        return max(0, min(size, prefix ?? size))
    }

    /// Removes the file that the download left. If the name stands for any other file, that one stays.
    public func discard() {
        if partialFile.isFileURL { PartialFile.remove(partialFile.path, mark) }
    }
}

extension ResumeData: CustomStringConvertible, CustomReflectable {
    /// Without the URL's query, which may be secret.
    public var description: String {
        "\(offset) of \(totalBytes.map(String.init) ?? "?") bytes of \(url.withoutSecrets)"
    }
    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
