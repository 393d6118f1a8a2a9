import AsyncNet
import Foundation

/// `--stream`: the body of one URL on standard output, as it arrives.
struct Streaming: Sendable {
    let session: Session
    let printing: Printing
    let options: TransferOptions

    func run(_ calls: [Call], _ mode: StreamMode) async throws(ExitError) {
        guard let call = calls.first, calls.count == 1 else {
            throw ExitError(ExitStatus.usage, "--stream takes one URL.")
        }
        let data = try call.dataForModifier()
        let stream = session.stream(
            call.text, method: call.method, headers: call.headers, modifier: { $0.httpBody = data })
        if let credential = call.credential { await stream.authenticate(with: credential) }
        if options.fail { await stream.validate(statusCode: ..<400) }
        let events = stream.events
        async let narration: Void = Narrator(printing.options, label: "").tell(events)
        let failure = await failure { try await print(stream, mode) }
        // A stream that ends before it began has events too, which end with it.
        if failure != nil { await stream.cancel() }
        await narration
        if printing.options.timing { Console.note(Timeline(stream.metrics).text("")) }
        await session.finish()
        if let failure { throw failure }
    }

    private func failure(_ work: () async throws -> Void) async -> ExitError? {
        do {
            try await work()
            return nil
        } catch let error as ExitError {
            return error
        } catch {
            return (error as? AsyncNetError).map { ExitError($0, "") } ?? ExitError(ExitStatus.other, "\(error)")
        }
    }

    private func print(_ stream: StreamRequest, _ mode: StreamMode) async throws {
        if printing.options.include { try Console.write(Data(try await stream.head.lines.utf8)) }
        switch mode {
        case .chunks: for try await chunk in stream.chunks { try Console.write(chunk) }
        case .lines: for try await line in stream.lines { try Console.write(Data("\(line)\n".utf8)) }
        case .json: for try await json in stream.decoding(JSON.self) { try Console.write(Data("\(json)\n".utf8)) }
        case .events:
            let reconnection: EventReconnection = options.retry > 0 ? .ifResumable(limit: options.retry) : .never
            for try await event in stream.serverSentEvents(reconnection: reconnection) {
                try Console.write(Data(event.text.utf8))
            }
        }
    }
}

extension ServerSentEvent {
    /// As a server writes it: what is printed can be read as events again.
    fileprivate var text: String {
        let id = id.map { "id: \($0)\n" } ?? ""
        let data = data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)\n" }.joined()
        return "\(id)event: \(event)\n\(data)\n"
    }
}
