import AsyncNet
import Foundation

/// Bodies that go to files.
extension Client {
    func received(_ call: Call, in target: Target) async -> Outcome {
        if options.isHead || !call.hasSimpleBody { return await wholeInMemory(call, target) }
        if call.isRanged || AtomicFile.isSpecial(target.name) { return await piecewise(call, target) }
        return await downloaded(call, target)
    }

    private func downloaded(_ call: Call, _ target: Target) async -> Outcome {
        do throws(ExitError) { _ = try AtomicFile.mode(of: target.name) } catch { return Outcome(call, failure: error) }
        let place = URL(file: target.name)
        if !options.output.continues { Self.forget(place) }
        let reserved = ReservedName()
        let request = session.download(
            call.text, to: destination(target, place, reserved), method: call.method, headers: call.headers,
            segments: options.output.segments, options: .init(modifier: call.bodyModifier))
        if let credential = call.credential { request.authenticate(with: credential) }
        if options.transfer.fail { request.validate(statusCode: 0..<400) }
        let (response, heads) = await listening(to: request, call) { await request.response }
        var outcome = Outcome(call, response, heads)
        outcome.file = response.value.map { target.folder == nil ? target.name : $0.relativePath }
        // The file of an earlier command stays as it is, as with curl.
        if response.statusCode == 304, call.isConditional {
            outcome.failure = nil
        } else if response.error != nil {
            outcome.notes = Self.whatIsLeft(of: place, target.name)
        }
        if response.error != nil { reserved.release() }
        return outcome
    }

    private func destination(_ target: Target, _ place: URL, _ reserved: ReservedName) -> DownloadDestination {
        guard target.folder == nil else {
            return .choosing(options: .removePreviousFile) { try target.named(by: $0, reserved) }
        }
        return .file(place, options: [.continuePartialFile, .removePreviousFile])
    }

    /// What no download can send or receive: a body that is no data, or a head in place of a body.
    private func wholeInMemory(_ call: Call, _ target: Target) async -> Outcome {
        var outcome = await inMemory(call)
        guard outcome.failure == nil else { return outcome }
        let content = options.isHead ? Data(outcome.head?.lines.utf8 ?? "".utf8) : outcome.body ?? Data()
        outcome.body = nil
        let reserved = ReservedName()
        do throws(ExitError) {
            let name =
                try outcome.head.map { head throws(ExitError) in try Self.name(target, head, reserved) } ?? target.name
            try AtomicFile.write(content, to: name)
            outcome.file = name
        } catch {
            outcome.failure = error
            reserved.release()
        }
        return outcome
    }

    private static func name(
        _ target: Target, _ head: HTTPResponseHead, _ reserved: ReservedName
    ) throws(ExitError) -> String {
        guard target.folder != nil else { return target.name }
        do { return try target.named(by: head, reserved).relativePath } catch {
            throw AtomicFile.unwritable(target.name, ExitError.cause(error))
        }
    }

    /// What a download would refuse: the range of somebody else, and a place that cannot be replaced.
    private func piecewise(_ call: Call, _ target: Target) async -> Outcome {
        let stream = await call.stream(on: session, failing: options.transfer.fail)
        let (failure, heads) = await listening(to: stream, call) {
            let failure = await write(stream, to: target.name, isConditional: call.isConditional)
            // A stream that was not read to its end would keep the session.
            await stream.cancel()
            return failure
        }
        var outcome = Outcome(call, stream, heads, failure)
        if failure == nil { outcome.file = target.name }
        return outcome
    }

    private func write(_ stream: StreamRequest, to name: String, isConditional: Bool) async -> ExitError? {
        let file: AtomicFile
        do throws(ExitError) { file = try AtomicFile(name) } catch { return error }
        do {
            for try await chunk in stream.chunks { try file.write(chunk) }
            guard try await stream.head.statusCode == 304 else {
                try file.commit()
                return nil
            }
            // The file of an earlier command stays as it is, as with curl.
            file.discard()
            guard !isConditional else { return nil }
            let text = "The server responded with 304 (Not Modified) to a request without a condition"
            return ExitError(AsyncNetError(.unacceptableStatus, text), "")
        } catch {
            file.discard()
            return ExitError(caught: error)
        }
    }

    // MARK: Partial files

    /// Starting over, what an earlier download kept is of no use. `discard()` removes only a file that a download made.
    private static func forget(_ target: URL) {
        let notes = target.appendingPathExtension("partial.json")
        guard let kept = kept(notes),
            kept.partialFile.lastPathComponent == target.appendingPathExtension("partial").lastPathComponent
        else { return }
        kept.discard()
        unlink(notes.path)
    }

    private static func kept(_ notes: URL) -> ResumeData? {
        (try? Data(contentsOf: notes)).flatMap { try? JSONDecoder().decode(ResumeData.self, from: $0) }
    }

    private static func whatIsLeft(of target: URL, _ name: String) -> [String] {
        guard let kept = kept(target.appendingPathExtension("partial.json")) else { return [] }
        guard !kept.validator.isEmpty else {
            // Nothing can go on from these bytes.
            forget(target)
            return []
        }
        guard kept.offset > 0 else { return [] }
        return ["anet: \(kept.offset) bytes are kept in \(name).partial; -C -o \(name) goes on from there."]
    }
}

extension Call {
    var isConditional: Bool {
        ["If-None-Match", "If-Modified-Since"].contains { headers.contains(name: $0) }
    }

    /// For requests that are no uploads; without a body none, which would cost headers their order.
    var bodyModifier: RequestModifier? {
        guard let data = body.data else { return nil }
        return { $0.httpBody = data }
    }

    func stream(on session: Session, failing: Bool) async -> StreamRequest {
        let stream = session.stream(
            text, method: method, headers: headers, options: .init(modifier: bodyModifier))
        if let credential { stream.authenticate(with: credential) }
        if failing { stream.validate(statusCode: 0..<400) }
        return stream
    }
}
