import AsyncNet
import Foundation

/// `--output`: the body of one URL to a file, gone on with by `--continue`.
struct Download: Sendable {
    let session: Session
    let printing: Printing
    let options: TransferOptions

    func run(_ calls: [Call], to name: String) async throws(ExitError) {
        guard let call = calls.first, calls.count == 1 else {
            throw ExitError(ExitStatus.usage, "--output takes one URL.")
        }
        let data = try call.dataForModifier()
        let target = URL(fileURLWithPath: name)
        if Self.isSpecial(name) { return try await stream(call, to: name, data) }
        if !options.continues { Self.forget(target) }
        let request = session.download(
            call.text, to: .file(target, options: [.continuePartialFile, .removePreviousFile]), method: call.method,
            headers: call.headers,
            segments: options.segments, modifier: { $0.httpBody = data })
        if let credential = call.credential { await request.authenticate(with: credential) }
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

    /// What is there and is no regular file, such as /dev/null, is written to, not replaced.
    private static func isSpecial(_ name: String) -> Bool {
        var status = stat()
        return stat(name, &status) == 0 && status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
    }

    private func stream(_ call: Call, to name: String, _ data: Data?) async throws(ExitError) {
        let stream = session.stream(
            call.text, method: call.method, headers: call.headers, modifier: { $0.httpBody = data })
        if let credential = call.credential { await stream.authenticate(with: credential) }
        if options.fail { await stream.validate(statusCode: ..<400) }
        let failure = await failure(of: stream, to: name)
        // A stream that was not read to its end would keep the session.
        await stream.cancel()
        await session.finish()
        if let failure { throw failure }
    }

    private func failure(of stream: StreamRequest, to name: String) async -> ExitError? {
        guard let file = FileHandle(forWritingAtPath: name) else {
            return ExitError(ExitStatus.cannotWrite, "The file \(name) cannot be written to.")
        }
        do {
            for try await chunk in stream.chunks { try file.write(contentsOf: chunk) }
            return nil
        } catch {
            return (error as? AsyncNetError).map { ExitError($0, "") }
                ?? ExitError(
                    ExitStatus.cannotWrite, "The file \(name) cannot be written to. \(ExitError.cause(error)).")
        }
    }

    /// Starting over, what an earlier download kept is of no use. `discard()` removes only a file that a download made.
    private static func forget(_ target: URL) {
        let notes = target.appendingPathExtension("partial.json")
        guard let data = try? Data(contentsOf: notes),
            let kept = try? JSONDecoder().decode(ResumeData.self, from: data),
            kept.partialFile.lastPathComponent == target.appendingPathExtension("partial").lastPathComponent
        else { return }
        kept.discard()
        unlink(notes.path)
    }

    private func tellWhatIsLeft(of target: URL, _ name: String) {
        let (partial, notes) = (target.appendingPathExtension("partial"), target.appendingPathExtension("partial.json"))
        guard let data = try? Data(contentsOf: notes),
            let kept = try? JSONDecoder().decode(ResumeData.self, from: data), !kept.validator.isEmpty,
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
