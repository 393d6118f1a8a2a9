public import Foundation

/// What another download, also in another process, needs to continue a download that did not finish.
///
///     let resumeData = await download.cancel(producingResumeData: true)
///     let file = try await session.download(resumingWith: resumeData, to: .file(target)).value
///
/// There is resume data only if the server identified the version of the resource: by a strong `ETag`, or by a
/// `Last-Modified` that is old enough (RFC 9110 §13.1.5). Who holds resume data owns the partial file that it names: a
/// download that continues takes the file over; ``discard()`` removes it.
///
/// Resume data may have been forged, so a file is touched only if it proves to be the one that the download left: a
/// regular file of this user's without hard links, whose name ends in `.partial` and which bears the random mark that
/// the data repeats. For any other file the outcome is `.invalidRequest`; if no file has the name, the download starts
/// over. The mark is an extended attribute, `user.asyncnet.partial`, or on a file system without these, such as FAT, a
/// file `NAME.mark` beside the partial file, together with the inode. A copy of a partial file has no mark, and is not
/// continued.
public struct ResumeData: Codable, Hashable, Sendable {
    /// The URL that the download requested, before redirects.
    public let url: URL
    /// The value of `If-Range`: an entity tag or a date.
    public let validator: String
    /// The file with the bytes received so far.
    public let partialFile: URL
    /// The length of the whole file; `nil` if the server did not send it.
    public let totalBytes: Int64?
    /// The number of bytes before the first gap; `nil` without gaps.
    var prefix: Int64?
    var mark: String?

    /// How many bytes can be continued; 0 if the file is gone.
    public var offset: Int64 {
        let size = FileSystem.size(partialFile.path) ?? 0
        return max(0, min(size, prefix ?? size))
    }

    /// Removes the partial file, but not another file that has taken its name.
    public func discard() {
        if partialFile.isFileURL { PartialFile.remove(partialFile.path, mark) }
    }
}

extension ResumeData: ShownByDescription {
    /// The bytes so far and the URL without its query, which may contain secrets.
    public var description: String {
        "\(offset) of \(totalBytes.map(String.init) ?? "?") bytes of \(url.withoutSecrets)"
    }
}
