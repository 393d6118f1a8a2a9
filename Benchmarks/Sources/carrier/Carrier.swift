import AsyncNet
import AsyncNetLibcurl
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One transfer, as `curl` would make it; a program of its own, so that its memory is AsyncNet's alone.
///
/// Prints how many seconds the transfer took, without the start of the program.
///
/// carrier download|download-urlsession|urlsession|upload|stream|form|sleep|sleep-urlsession|sleep-websocket URL FILE
/// FILE of `sleep-websocket` is the certificate that is trusted.
@main
struct Carrier {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else { throw Failure(description: "usage: carrier TASK URL FILE") }
        let (url, file) = (try arguments[2].asURL(), URL(filePath: arguments[3]))
        let start = ContinuousClock.now
        try await carry(arguments[1], url, file)
        if !arguments[1].hasPrefix("sleep") { print((ContinuousClock.now - start) / .seconds(1)) }
    }

    static func carry(_ task: String, _ url: URL, _ file: URL) async throws {
        switch task {
        case "download": try await download(Session(transport: .libcurl()), url, file)
        case "download-urlsession": try await download(Session(transport: .urlSession), url, file)
        case "urlsession": try await foundationDownload(url, file)
        case "upload": try await send(.file(file), url)
        case "stream": try await send(try stream(as: file), url)
        case "form":
            try await send(.multipart { form in for part in 0..<4 { form.append(file, name: "part\(part)") } }, url)
        case "sleep-urlsession": try await sleep(Session(transport: .urlSession), url)
        case "sleep-websocket": try await sleep(trusting: file, url)
        default: try await sleep(Session(transport: .libcurl()), url)
        }
    }

    static func send(_ body: RequestBody, _ url: URL) async throws {
        let session = Session(transport: .libcurl())
        _ = try await session.upload(body, to: url, method: .put).validate(statusCode: 200..<300).serializing(Data.self)
            .value
        await session.finish()
    }

    /// As many bytes as the file has, from an async sequence, whose making costs nothing.
    static func stream(as file: URL) throws -> RequestBody {
        let length = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        return .stream(
            Repeated(chunk: Data((0..<64 * 1024).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 4) }), length: length))
    }

    /// A chunk over and over, up to a length.
    struct Repeated: AsyncSequence, Sendable {
        let chunk: Data
        let length: Int

        func makeAsyncIterator() -> Iterator { Iterator(chunk: chunk, rest: length) }

        struct Iterator: AsyncIteratorProtocol {
            let chunk: Data
            var rest: Int

            mutating func next() async -> Data? {
                guard rest > 0 else { return nil }
                defer { rest -= Swift.min(rest, chunk.count) }
                return chunk.prefix(rest)
            }
        }
    }

    static func download(_ session: Session, _ url: URL, _ file: URL) async throws {
        _ = try await session.download(url, to: .file(file, options: .removePreviousFile)).validate().value
        await session.finish()
    }

    static func foundationDownload(_ url: URL, _ file: URL) async throws {
        let (temporary, _) = try await URLSession.shared.download(from: url)
        try? FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: temporary, to: file)
    }

    /// Sleeps over every 256 MiB and reads all of it in the end.
    static func sleep(_ session: Session, _ url: URL) async throws {
        var (total, next) = (0, 0)
        for try await chunk in session.stream(url).chunks {
            total += chunk.count
            guard total >= next else { continue }
            try await Task.sleep(for: .milliseconds(300))
            next += 256 << 20
        }
        print("\(total >> 20) MiB read")
    }

    /// Sleeps before the second message, and after every 16 MiB.
    static func sleep(trusting certificate: URL, _ url: URL) async throws {
        let session = Session(transport: .sockets(tls: TLSConfiguration(trust: .anchors(file: certificate))))
        var (count, total, next) = (0, 0, 0)
        for try await message in session.webSocket(url).messages {
            if count == 0 { try await Task.sleep(for: .seconds(3)) }
            (count, total) = (count + 1, total + message.size)
            guard total >= next else { continue }
            try await Task.sleep(for: .milliseconds(10))
            next += 16 << 20
        }
        await session.finish()
        print("\(count) messages, \(total >> 20) MiB read")
    }
}

extension WebSocketMessage {
    /// In bytes.
    fileprivate var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let data): data.count
        }
    }
}
