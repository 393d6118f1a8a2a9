import AsyncNet
import Foundation

/// One transfer over the transport, as `curl` would make it; a program of its own, so that its memory is AsyncNet's alone.
///
/// carrier download|upload|sleep URL FILE
@main
struct Carrier {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else { throw Failure(description: "usage: carrier download|upload|sleep URL FILE") }
        let (transport, url, file) = (LibcurlTransport(), try arguments[2].asURL(), URL(filePath: arguments[3]))
        switch arguments[1] {
        case "download": try await download(transport, url, file)
        case "upload": try await upload(transport, url, file)
        default: try await sleep(transport, url)
        }
        await transport.shutdown()
    }

    static func upload(_ transport: LibcurlTransport, _ url: URL, _ file: URL) async throws {
        let response = try await transport.send(TransportRequest(head: HTTPRequestHead(method: .put, url: url), body: .file(file)))
        guard 200..<300 ~= response.head.statusCode else { throw Failure(description: "status \(response.head.statusCode)") }
        for try await _ in response.body {}
    }

    static func download(_ transport: LibcurlTransport, _ url: URL, _ file: URL) async throws {
        FileManager.default.createFile(atPath: file.path, contents: nil)
        let handle = try FileHandle(forWritingTo: file)
        for try await chunk in try await transport.send(TransportRequest(head: HTTPRequestHead(url: url))).body {
            try handle.write(contentsOf: chunk)
        }
        try handle.close()
    }

    /// Sleeps over every 256 MiB and reads all of it in the end.
    static func sleep(_ transport: LibcurlTransport, _ url: URL) async throws {
        var (total, next) = (0, 0)
        for try await chunk in try await transport.send(TransportRequest(head: HTTPRequestHead(url: url))).body {
            total += chunk.count
            guard total >= next else { continue }
            try await Task.sleep(for: .milliseconds(300))
            next += 256 << 20
        }
        print("\(total >> 20) MiB read")
    }
}
