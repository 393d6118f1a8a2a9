public import Foundation

/// The place of a downloaded file.
///
/// The download writes to a partial file beside the place, and moves this file to the place when it is complete.
public struct DownloadDestination: Sendable {
    /// What happens with missing folders, existing files, and partial files.
    public struct Options: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Makes the missing folders of the place.
        public static let createIntermediateDirectories = Options(rawValue: 1)
        /// Replaces an existing file at the place, which otherwise ends the download with `.fileNotWritable`. The new
        /// file has the permissions of the former if that is this user's.
        public static let removePreviousFile = Options(rawValue: 2)
        /// Keeps the partial file under a fixed name beside the place, `NAME.partial`, and notes about it in
        /// `NAME.partial.json`. The next download to the same place continues it, after an error, a cancel, a crash or
        /// a kill. Two downloads to one place at a time must not use this option.
        ///
        /// A file `NAME.partial` without the mark of a download, see ``ResumeData``, is left alone and ends the
        /// download with `.fileNotWritable`.
        public static let continuePartialFile = Options(rawValue: 4)
    }

    let options: Options
    let place: @Sendable (HTTPResponseHead) throws -> URL
    /// The place, unless it depends on the response.
    let fixed: URL?
    private(set) var isChosen = false
    private(set) var isTemporary = false

    /// A file with this URL.
    public static func file(_ url: URL, options: Options = []) -> DownloadDestination {
        DownloadDestination(options: options, place: { _ in url }, fixed: url)
    }

    /// A file in this folder with the name that the response suggests, see ``HTTPResponseHead/suggestedFileName``.
    public static func folder(_ url: URL, options: Options = []) -> DownloadDestination {
        DownloadDestination(
            options: options.subtracting(.continuePartialFile), place: { url.appending(path: $0.suggestedFileName) },
            fixed: nil)
    }

    /// A file whose URL the closure returns for the response's head. An error of the closure ends the download: an
    /// `AsyncNetError` is thrown unchanged, any other error is the cause of `.fileNotWritable`. The closure runs on a
    /// thread that it may block. `.continuePartialFile` has no effect.
    public static func choosing(options: Options = [], _ place: @escaping @Sendable (HTTPResponseHead) throws -> URL)
        -> DownloadDestination
    {
        DownloadDestination(
            options: options.subtracting(.continuePartialFile), place: place, fixed: nil, isChosen: true)
    }

    /// A file with a unique name in the folder for temporary files; the caller removes it, unless its content is only
    /// read by ``SerializableRequest/serializing(_:decoder:preprocessor:emptyBodies:)``.
    public static var temporary: DownloadDestination {
        let name = "AsyncNet-\(UUID().uuidString)"
        var destination = file(FileManager.default.temporaryDirectory.appending(path: name))
        destination.isTemporary = true
        return destination
    }
}
