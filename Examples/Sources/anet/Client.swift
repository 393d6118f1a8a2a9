import AsyncNet
import Foundation

/// Makes the requests, several at a time, and has their outcomes printed in the order of the arguments.
struct Client: Sendable {
    let session: Session
    let options: Options
    /// Whether the transport tells of heads as they are sent.
    let knowsSentHeads: Bool
    let recorder: Recorder?

    /// The options that are asked for while requests run.
    struct Options: Sendable {
        let output: OutputOptions
        let transfer: TransferOptions
        let retries: RetryOptions
        let isHead: Bool
        let showsCertificates: Bool
        let count: Int
        /// Of the names in front of progress lines.
        let labelWidth: Int

        /// With several URLs, lines on standard error say which one they are about.
        func label(_ number: Int) -> String { count > 1 ? "[\(number + 1)] " : "" }

        /// What the cache did for the last hop; with --verbose that was shown for each hop.
        func cacheNotes(_ outcome: Outcome) -> [String] {
            guard !output.silent, !output.verbose, let cached = outcome.metrics.cacheOutcome else { return [] }
            let place = count > 1 ? outcome.call.place.map { ": \($0)" } ?? "" : ""
            return ["* \(label(outcome.call.number))cache: \(cached)\(Console.harmless(place))"]
        }
    }

    /// - Throws: The first failure, once every outcome has been printed; at once if standard output takes no more.
    func run(_ calls: [Call], _ printer: Printer) async throws(ExitError) {
        var printer = printer
        await withTaskGroup { group in
            var waiting = calls.makeIterator()
            for call in waiting.take(options.transfer.atATime) { group.addTask { await outcome(of: call) } }
            while !printer.isClosed, let outcome = await group.next() {
                printer.take(outcome)
                for call in waiting.take(1) { group.addTask { await self.outcome(of: call) } }
            }
            group.cancelAll()
        }
        if let failure = printer.failure { throw failure }
    }

    private func outcome(of call: Call) async -> Outcome {
        var outcome = await received(call)
        if let recorder {
            // In a task of its own, which Ctrl-C does not cancel: the end of a cancelled request is an event too.
            await Task { await session.monitorsReceivedEvents() }.value
            outcome.timeline = recorder.take(call)
        }
        if options.showsCertificates {
            outcome.notes =
                CertificateText.notes(of: outcome.metrics, label: options.label(call.number)) + outcome.notes
        }
        outcome.notes += options.cacheNotes(outcome)
        if options.transfer.failWithBody { outcome.failOnStatus() }
        guard outcome.failure == nil else { return outcome }
        do throws(ExitError) { try Afterwards(options.output).keep(outcome) } catch { outcome.failure = error }
        return outcome
    }

    private func received(_ call: Call) async -> Outcome {
        do throws(ExitError) {
            if let target = try Target(call, options.output) { return await received(call, in: target) }
        } catch {
            return Outcome(call, failure: error)
        }
        return streamMode(of: call) == nil ? await inMemory(call) : await streamed(call)
    }

    /// What is not printed whole; -N is heeded where there is something to print early.
    func streamMode(of call: Call) -> StreamMode? {
        if let mode = options.transfer.stream { return mode }
        let isUnbuffered = options.transfer.noBuffer && options.count == 1 && call.hasSimpleBody && !options.isHead
        return isUnbuffered ? .chunks : nil
    }

    /// The body in memory, to be printed in its turn.
    func inMemory(_ call: Call) async -> Outcome {
        let request = await call.request(on: session)
        if options.transfer.fail { request.validate(statusCode: 0..<400) }
        let (response, heads) = await listening(to: request, call) { await request.serializing(Data.self).response }
        var outcome = Outcome(call, response, heads)
        outcome.body = options.isHead ? nil : response.value
        return outcome
    }

    /// The result of the work, and the heads that came meanwhile.
    func listening<Kind: Request, Result: Sendable>(
        to request: Kind, _ call: Call, _ work: () async -> Result
    ) async -> (Result, [HTTPResponseHead]) {
        // All are read before the request starts, so that nothing is missed.
        let listener = Listener(
            options.output, label: options.label(call.number), knowsSentHeads: knowsSentHeads)
        let events = request.events
        recorder?.begin(request.id, of: call, label: options.label(call.number))
        let line = showsProgress(of: call) ? ProgressLine(of: call, width: options.labelWidth, options.output) : nil
        let (sent, received) = (request.uploadProgress, request.downloadProgress)
        if options.output.curl { Console.note(await request.curlDescription()) }
        async let heads = listener.listen(to: events)
        async let sending: Void? = call.isUpload ? line?.follow(sent) : nil
        async let receiving: Void? = call.isUpload ? nil : line?.follow(received)
        let result = await work()
        _ = await (sending, receiving)
        return (result, await heads)
    }

    private func showsProgress(of call: Call) -> Bool {
        guard options.output.showsProgress, streamMode(of: call) == nil else { return false }
        return options.count == 1 || call.output != nil && call.output != .standardOutput
    }
}

extension IteratorProtocol {
    /// The next elements, fewer at the end.
    fileprivate mutating func take(_ count: Int) -> [Element] {
        var taken: [Element] = []
        while taken.count < count, let element = next() { taken.append(element) }
        return taken
    }
}
