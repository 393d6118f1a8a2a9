import AsyncNet
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Writes a response with its fault to a connection.
struct MockReplyWriter {
    let socket: ServerStream
    let method: String

    static let garbage = Data("\u{1}\u{2}this is no HTTP\r\n\r\n\u{0}".utf8)

    enum End { case keepAlive, close, reset }

    func write(_ reply: MockResponse) throws -> End {
        if reply.delay > .zero { try socket.pause(reply.delay) }
        if let bytes = reply.rawBytes {
            try socket.write(bytes)
            return .close
        }
        switch reply.fault {
        case .refuse, .resetBeforeHead, .resetStream(_, after: nil): return .reset
        case .closeBeforeHead, .goAway(_, lastStream: .some): return .close
        case .stall: try socket.pause(nil)
        case .garbage:
            try socket.write(Self.garbage)
            return .close
        default: break
        }
        for (status, headers) in reply.informational { try socket.write(head(status, nil, headers)) }
        return try writeResponse(reply)
    }

    private func writeResponse(_ reply: MockResponse) throws -> End {
        let hasBody = reply.hasBody(method)
        var headers = reply.headers
        let isFramed = headers.contains(name: "Content-Length") || headers.contains(name: "Transfer-Encoding")
        if reply.chunks != nil, !isFramed {
            headers.add(name: "Transfer-Encoding", value: "chunked")
        } else if !isFramed, reply.statusCode != 204 {
            headers.add(name: "Content-Length", value: "\(reply.announcedLength)")
        }
        let head = head(reply.statusCode, reply.reason, headers)
        let end: End =
            headers["Connection"]?.lowercased() == "close" || reply.fault?.isLast == true ? .close : .keepAlive
        if hasBody, let chunks = reply.chunks, reply.pauses.contains(where: { $0 > .zero }) {
            try socket.write(head)
            return try writeSlowly(chunks, of: reply) ?? end
        }
        let body = hasBody ? written(reply) : Data()
        switch reply.fault {
        case .resetAfterHead:
            try socket.write(head)
            // The client must read the head before the reset, which discards unread bytes.
            try socket.pause(.milliseconds(50))
            return .reset
        case .resetMidBody(let count), .resetStream(_, after: .some(let count)):
            try socket.write(head + body.prefix(count))
            try socket.pause(.milliseconds(50))
            return .reset
        case .truncate(let count):
            try socket.write(head + body.prefix(count))
            return .close
        case .stallMidBody(let count):
            try socket.write(head + body.prefix(count))
            try socket.pause(nil)
            return .close
        case .drip(let count, let pause):
            try socket.write(head)
            for start in stride(from: 0, to: body.count, by: max(1, count)) {
                try socket.write(body.dropFirst(start).prefix(count))
                try socket.pause(pause)
            }
            return end
        default:
            try socket.write(head + body)
            return end
        }
    }

    /// Writes the chunks with the pauses before them.
    ///
    /// - Returns: How the connection goes on after a fault; `nil` without one.
    private func writeSlowly(_ chunks: [Data], of reply: MockResponse) throws -> End? {
        for (index, chunk) in chunks.enumerated() {
            if reply.pauses.indices.contains(index) { try socket.pause(reply.pauses[index]) }
            try socket.write(chunked([chunk]))
        }
        switch reply.fault {
        case .resetMidBody, .resetStream:
            try socket.pause(.milliseconds(50))
            return .reset
        case .truncate: return .close
        case .stallMidBody:
            try socket.pause(nil)
            return .close
        default:
            try socket.write(lastChunk(reply.trailers))
            return nil
        }
    }

    /// The body as it is written; without the last chunk, which would end it, if a fault does so.
    private func written(_ reply: MockResponse) -> Data {
        guard let chunks = reply.chunks else { return reply.body }
        return chunked(chunks) + (reply.fault?.end == nil ? lastChunk(reply.trailers) : Data())
    }

    private func chunked(_ chunks: [Data]) -> Data {
        var bytes = Data()
        for chunk in chunks where !chunk.isEmpty {
            bytes += Data("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Data("\r\n".utf8)
        }
        return bytes
    }

    private func lastChunk(_ trailers: HTTPHeaders) -> Data {
        let lines = trailers.map { "\($0.name): \($0.value)\r\n" }
        return Data("0\r\n\(lines.joined())\r\n".utf8)
    }

    private func head(_ status: Int, _ reason: String?, _ headers: HTTPHeaders) -> Data {
        var text = "HTTP/1.1 \(status) \(reason ?? Self.reason(status))\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        return Data((text + "\r\n").utf8)
    }

    private static func reason(_ status: Int) -> String {
        HTTPURLResponse.localizedString(forStatusCode: status)
    }
}
