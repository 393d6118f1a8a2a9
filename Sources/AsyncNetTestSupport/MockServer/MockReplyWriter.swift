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
        var headers = reply.headers
        if let length = reply.addedLength {
            headers.add(name: "Content-Length", value: "\(length)")
        } else if reply.isChunkCoded, !headers.contains(name: "Transfer-Encoding") {
            headers.add(name: "Transfer-Encoding", value: "chunked")
        }
        var bytes = head(reply.statusCode, reply.reason, headers)
        if reply.hasBody(method) {
            for piece in reply.pieces { try write(piece, of: reply, after: &bytes) }
            if let chunks = reply.streamed, try !write(chunks, of: reply, after: &bytes) { return .reset }
            if reply.isChunkCoded, !reply.isCut { bytes += lastChunk(reply.trailers) }
        }
        try socket.write(bytes)
        return try end(of: reply)
    }

    /// Adds a piece to the bytes that are to be written. If the piece has a pause, those bytes are written before it.
    private func write(_ piece: BodyPiece, of reply: MockResponse, after bytes: inout Data) throws {
        if piece.pause > .zero {
            try socket.write(bytes)
            bytes = Data()
            try socket.pause(piece.pause)
        }
        bytes += reply.isChunkCoded ? chunk(piece.bytes) : piece.bytes
    }

    /// Writes each chunk as soon as the sequence has made it.
    ///
    /// - Returns: Whether the sequence ended without an error.
    private func write(_ chunks: TransportBody, of reply: MockResponse, after bytes: inout Data) throws -> Bool {
        let wakeup = try Wakeup()
        let body = StreamedBody(chunks, reply.fault) { wakeup.set() }
        while true {
            try socket.write(bytes)
            bytes = Data()
            wakeup.clear()
            switch body.take() {
            case .piece(let piece): try write(piece, of: reply, after: &bytes)
            case .end(let error): return error == nil
            case nil: try socket.pause(until: wakeup)
            }
        }
    }

    /// Carries out the fault at the end of the body, if there is one.
    private func end(of reply: MockResponse) throws -> End {
        switch reply.fault {
        case .resetAfterHead, .resetMidBody, .resetStream(_, after: .some):
            // The client must read what was sent before the reset, which discards unread bytes.
            try socket.pause(.milliseconds(50))
            return .reset
        case .truncate: return .close
        case .stallMidBody:
            try socket.pause(nil)
            return .close
        default:
            let isLast = reply.headers["Connection"]?.lowercased() == "close" || reply.fault?.isLast == true
            return isLast ? .close : .keepAlive
        }
    }

    private func chunk(_ bytes: Data) -> Data {
        guard !bytes.isEmpty else { return Data() }
        return Data("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n".utf8)
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
