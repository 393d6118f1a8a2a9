public import Foundation

/// Where a download is put.
///
/// It is written beside its place under another name and moved there at its end: whole or not at all.
public struct DownloadDestination: Sendable {
    /// What happens to folders that are missing, and to files that are there.
    public struct Options: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Makes the folders that are missing on the way.
        public static let createIntermediateDirectories = Options(rawValue: 1)
        /// Takes the place of a file that is there already; otherwise that ends the download with `.fileNotWritable`.
        public static let removePreviousFile = Options(rawValue: 2)
        /// Keeps what has come under a fixed name beside the target, `NAME.partial`, with what must be known of it in
        /// `NAME.partial.json`, and goes on from there: after an error, a cancel, a crash or a kill. Two downloads to
        /// one target at a time must not use it.
        ///
        /// A file of that name that bears no mark of a download, see ``ResumeData``, is left alone and ends the
        /// download with `.fileNotWritable`.
        public static let continuePartialFile = Options(rawValue: 4)
    }

    let options: Options
    let place: @Sendable (HTTPResponseHead) throws -> URL
    /// The place, where it does not depend on the response.
    let fixed: URL?
    /// The place is chosen by a closure of the user's.
    private(set) var isChosen = false

    /// A file of this name.
    public static func file(_ url: URL, options: Options = []) -> DownloadDestination {
        DownloadDestination(options: options, place: { _ in url }, fixed: url)
    }

    /// A file in this folder, named as the server suggests; see ``HTTPResponseHead/suggestedFileName``.
    public static func folder(_ url: URL, options: Options = []) -> DownloadDestination {
        DownloadDestination(
            options: options.subtracting(.continuePartialFile), place: { url.appending(path: $0.suggestedFileName) },
            fixed: nil)
    }

    /// What a closure makes of the response's head; what it throws ends the download with `.fileNotWritable`.
    /// `.continuePartialFile` is not heeded. It runs on a thread that it may block.
    public static func choosing(options: Options = [], _ place: @escaping @Sendable (HTTPResponseHead) throws -> URL)
        -> DownloadDestination
    {
        DownloadDestination(
            options: options.subtracting(.continuePartialFile), place: place, fixed: nil, isChosen: true)
    }

    /// A file of its own in the folder for temporary files; whoever asked for it removes it.
    public static var temporary: DownloadDestination {
        .file(FileManager.default.temporaryDirectory.appending(path: "AsyncNet-\(UUID().uuidString)"))
    }
}
