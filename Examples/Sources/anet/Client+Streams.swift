import AsyncNet
import Foundation

/// `--stream`: the body of one URL on standard output, as it arrives.
extension Client {
    func streamed(_ call: Call) async -> Outcome {
        guard let mode = streamMode(of: call) else { return await inMemory(call) }
        let stream = await call.stream(on: session, failing: options.transfer.fail)
        let (failure, heads) = await listening(to: stream, call) {
            do {
                try await print(stream, mode, call)
                return ExitError?.none
            } catch {
                // A stream that ends before it began has events too, which end with it.
                await stream.cancel()
                return ExitError(caught: error)
            }
        }
        return Outcome(call, stream, heads, failure)
    }

    private func print(_ stream: StreamRequest, _ mode: StreamMode, _ call: Call) async throws {
        if options.output.include { try Console.write(Data(try await stream.head.lines.utf8)) }
        switch mode {
        case .chunks:
            for try await chunk in stream.chunks {
                if Terminal.isOutput, call.output == nil { try Terminal.check(chunk) }
                try Console.write(chunk)
            }
        case .lines: for try await line in stream.lines { try Console.write(Data("\(line)\n".utf8)) }
        case .json: for try await json in stream.decoding(JSON.self) { try write(json, call) }
        case .events:
            for try await event in stream.serverSentEvents(reconnection: reconnection) {
                try Console.write(Data(event.text.utf8))
            }
        }
    }

    /// A line for each value, but on a terminal, where a person reads it.
    private func write(_ json: JSON, _ call: Call) throws(ExitError) {
        let line = Data("\(json)\n".utf8)
        let isShown = Terminal.isOutput && call.output == nil
        try Console.write(isShown ? try Terminal.shown(line, type: nil) : line)
    }

    private var reconnection: EventReconnection {
        if options.transfer.noReconnect { return .never }
        let limit = options.retries.retry
        return limit > 0 ? .ifResumable(limit: limit) : .ifResumable()
    }
}

extension ExitError {
    /// An error of the library, or one of anet's own.
    init(caught error: any Error) {
        self =
            error as? ExitError ?? (error as? AsyncNetError).map { ExitError($0, "") }
            ?? (error is CancellationError
                ? ExitError(AsyncNetError(.cancelled), "") : ExitError(ExitStatus.other, "\(error)"))
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
