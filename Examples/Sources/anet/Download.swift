import AsyncNet
import Foundation

/// `--output`: the body of one URL to a file, gone on with by `--continue`.
struct Download: Sendable {
    let session: Session
    let printing: Printing
    let options: TransferOptions

    func run(_ calls: [Call], to name: String) async throws(ExitError) {
        guard let call = calls.first, calls.count == 1 else { throw ExitError(ExitStatus.usage, "--output takes one URL.") }
        let data = try call.dataForModifier()
        let target = URL(fileURLWithPath: name)
        if !options.continues { Self.forget(target) }
        let request = session.download(
            call.text, to: .file(target, options: [.continuePartialFile, .removePreviousFile]), method: call.method, headers: call.headers,
            modifier: { $0.httpBody = data })
        if options.fail { await request.validate(statusCode: ..<400) }
        let response = await response(of: request)
        await session.finish()
        try print(response)
        if let error = response.error {
            tellWhatIsLeft(of: target, name)
            throw ExitError(error, "")
        }
    }

    private func response(of request: DownloadRequest) async -> DataResponse<URL, AsyncNetError> {
        let (events, progress) = (request.events, request.downloadProgress)
        async let narration: Void = Narrator(printing.options, label: "").tell(events)
        async let progression: Void = printing.options.showsProgress(of: 1) ? ProgressLine().follow(progress) : ()
        let response = await request.response
        _ = await (narration, progression)
        return response
    }

    private func print(_ response: DataResponse<URL, AsyncNetError>) throws(ExitError) {
        if printing.options.include, let head = response.head { try Console.write(Data(head.lines.utf8)) }
        if printing.options.timing { Console.note(Timeline(response.metrics).text("")) }
    }

    /// The names that the library gives to what it keeps.
    private static func forget(_ target: URL) {
        for name in ["partial", "partial.json"] { try? FileManager.default.removeItem(at: target.appendingPathExtension(name)) }
    }

    private func tellWhatIsLeft(of target: URL, _ name: String) {
        let (partial, notes) = (target.appendingPathExtension("partial"), target.appendingPathExtension("partial.json"))
        guard FileManager.default.fileExists(atPath: notes.path),
            let size = try? partial.resourceValues(forKeys: [.fileSizeKey]).fileSize, size > 0
        else { return }
        Console.note("anet: \(size) bytes are kept in \(name).partial; -C -o \(name) goes on from there.")
    }
}

extension Call {
    /// The body for requests that are no uploads.
    func dataForModifier() throws(ExitError) -> Data? {
        guard body.data != nil || body.length == nil && body.replay == .repeatable else {
            throw ExitError(ExitStatus.usage, "--output and --stream go with -d and --json, not with -F and -T.")
        }
        return body.data
    }
}
