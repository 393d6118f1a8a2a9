import AsyncNet
import Foundation
import Synchronization

/// The file that the body of a call goes to.
struct Target {
    let name: String
    /// The folder of a file whose name the server may give.
    let folder: String?

    /// `nil` for standard output.
    ///
    /// - Throws: ``ExitError`` if the URL gives no name, or the folders cannot be made.
    init?(_ call: Call, _ options: OutputOptions) throws(ExitError) {
        let folder = options.outputDir.map { $0.hasSuffix("/") ? $0 : "\($0)/" } ?? ""
        switch call.output {
        case nil, .standardOutput: return nil
        case .file(let name): self.init(name: "\(folder)\(name)", folder: nil)
        case .remoteName:
            let own = URLText.fileName(of: call.text)
            guard let name = own ?? (options.remoteHeaderName ? "download" : nil) else {
                throw ExitError(ExitStatus.cannotWrite, "The URL's path ends with no name for -O; use -o FILE.")
            }
            self.init(name: "\(folder)\(name)", folder: options.remoteHeaderName ? folder : nil)
        }
        if options.createDirs { try makeFolders() }
    }

    private init(name: String, folder: String?) {
        self.name = AtomicFile.resolved(name)
        self.folder = folder
    }

    private func makeFolders() throws(ExitError) {
        let folder = URL(file: name).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw AtomicFile.unwritable(folder.path, ExitError.cause(error))
        }
    }

    /// The name that the server gives, which must not be another file's yet; else that of the URL.
    func named(by head: HTTPResponseHead, _ reserved: ReservedName) throws -> URL {
        guard let folder, head.value(for: "Content-Disposition") != nil else { return URL(file: name) }
        let url = URL(file: "\(folder)\(head.suggestedFileName)")
        try reserved.take(url.relativePath)
        return url
    }
}

/// A name that a server gave, taken by an empty file until the whole body is there: another response may have the same
/// name.
final class ReservedName: Sendable {
    private let path = Mutex<String?>(nil)

    func take(_ name: String) throws {
        guard path.withLock({ $0 }) != name else { return }
        let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw AsyncNetError(
                .fileNotWritable, "The file \(name) cannot be written: \(String(cString: strerror(errno)))")
        }
        close(descriptor)
        release()
        path.withLock { $0 = name }
    }

    /// Removes the empty file, if no body has replaced it.
    func release() {
        if let name = path.withLock({ $0.take() }) { unlink(name) }
    }
}

/// What is kept of a response besides its body: its time, its entity tag.
struct Afterwards {
    private let options: OutputOptions

    init(_ options: OutputOptions) { self.options = options }

    func keep(_ outcome: Outcome) throws(ExitError) {
        if options.remoteTime, let file = outcome.file { setTime(of: file, outcome.head) }
        if let name = options.etagSave, let tag = outcome.head?.value(for: "ETag") {
            try AtomicFile.write(Data("\(tag)\n".utf8), to: name)
        }
    }

    private func setTime(of file: String, _ head: HTTPResponseHead?) {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        guard let date = head?.value(for: "Last-Modified").flatMap(format.date) else { return }
        try? FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
    }
}
