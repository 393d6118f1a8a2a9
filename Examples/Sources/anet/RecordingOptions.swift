import ArgumentParser
import AsyncNet
import AsyncNetTestSupport
import Foundation

/// Recording exchanges to a file, and responses from such a file.
struct RecordingOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Records all exchanges to FILE for --replay: HAR 1.2, secrets redacted.", valueName: "FILE"))
    var record: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Responses come from FILE, a HAR file, and none from the network.", valueName: "FILE"))
    var replay: String?

    @Option(
        help: ArgumentHelp(
            "With --replay: serves FILE on this port of 127.0.0.1, 0 for any, until Ctrl-C.", valueName: "PORT"))
    var serve: Int?

    func validate() throws {
        if record != nil, replay != nil { throw ValidationError("--record and --replay exclude each other") }
        guard let serve else { return }
        if replay == nil { throw ValidationError("--serve needs --replay") }
        guard 0...65535 ~= serve else { throw ValidationError("--serve needs a port from 0 to 65535") }
    }

    private var file: URL? { replay.map { URL(file: $0) } }

    /// The transport that records, or that replays.
    func transport(over transport: any Transport) throws(ExitError) -> any Transport {
        if record != nil { return RecordingTransport(over: transport) }
        guard let file else { return transport }
        return ReplayTransport(try recording(file))
    }

    /// Writes what the transport has recorded.
    func write(_ transport: any Transport) throws(ExitError) {
        guard let record, let transport = transport as? RecordingTransport else { return }
        let name = AtomicFile.resolved(record)
        if AtomicFile.isSpecial(name) { throw AtomicFile.unwritable(name, "--record needs a regular file") }
        _ = try AtomicFile.mode(of: name)
        do throws(AsyncNetError) { try transport.recording.write(to: URL(file: name)) } catch {
            throw ExitError(error, "")
        }
    }

    private func recording(_ file: URL) throws(ExitError) -> Recording {
        do throws(AsyncNetError) { return try Recording(contentsOf: file) } catch { throw ExitError(error, "") }
    }

    /// Serves the file until the task is cancelled; a line on standard error for each request.
    ///
    /// - Returns: `false` without --serve.
    func servedUntilCancelled() async throws(ExitError) -> Bool {
        guard let file, let serve else { return false }
        let recording = try recording(file)
        let server: MockServer
        do {
            server = try await MockServer.start(replaying: recording, file: file, port: serve) { request in
                Console.note("\(request)")
                if let mismatch = request.mismatch { Console.note("\(mismatch)") }
            }
        } catch {
            throw ExitError(ExitStatus.other, "Port \(serve) cannot be listened on: \(error)")
        }
        Console.note("Serving \(recording.exchanges.count) exchanges on \(server.url("/")) until Ctrl-C")
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        withExtendedLifetime(end) {}
        await server.stop()
        let unused = server.unusedExchanges
        if !unused.isEmpty { Console.note("\(unused.count) exchanges were not requested:") }
        for exchange in unused { Console.note("\(exchange)") }
        return true
    }
}
