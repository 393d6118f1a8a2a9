import AsyncNet
import Foundation

/// A connection of a mock server, which reads requests and sends a response to each. Runs on a thread of its own, which
/// it blocks, so that servers take no Swift threads from the code under test.
struct MockConnection {
    let socket: ServerStream
    let number: Int
    private var buffer = Data()

    init(socket: ServerStream, number: Int) {
        self.socket = socket
        self.number = number
    }

    /// The head of a request.
    struct Head {
        var method: String
        var target: String
        var version: String
        var headers = HTTPHeaders()

        /// Whether the connection ends after this request (RFC 9112 §9.3).
        var closesConnection: Bool {
            let options = headers.values(for: "Connection").flatMap { $0.lowercased().split(separator: ",") }
                .map { $0.trimmingCharacters(in: .whitespaces) }
            return options.contains("close") || version == "HTTP/1.0" && !options.contains("keep-alive")
        }
    }

    struct Malformed: Error {}

    /// Sends a 400 in response to bytes that are not HTTP.
    func refuse() {
        try? socket.write(Data("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
    }

    /// Whether the client begins with the preface of HTTP/2 (RFC 9113 §3.4).
    mutating func startsHTTP2() throws -> Bool {
        while buffer.count < HTTP2Frame.preface.count {
            guard HTTP2Frame.preface.starts(with: buffer) else { return false }
            let more = try socket.read(64 * 1024)
            if more.isEmpty { return false }
            buffer.append(more)
        }
        return buffer.starts(with: HTTP2Frame.preface)
    }

    /// The next request's head, or `nil` if the client has closed the connection.
    mutating func readHead() throws -> Head? {
        let end = Data("\r\n\r\n".utf8)
        while true {
            if let range = buffer.range(of: end) {
                let text = String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
                buffer.removeSubrange(..<range.upperBound)
                return try Self.parse(text)
            }
            // Bytes that cannot begin a method, such as those of a TLS client, will not become a request.
            if let first = buffer.first, !(UInt8(ascii: "!")...UInt8(ascii: "~") ~= first) { throw Malformed() }
            let more = try socket.read(64 * 1024)
            if more.isEmpty { return nil }
            buffer.append(more)
        }
    }

    static func parse(_ text: String) throws -> Head {
        var lines = text.components(separatedBy: "\r\n")[...]
        let parts = lines.removeFirst().split(separator: " ").map(String.init)
        guard parts.count == 3 else { throw Malformed() }
        var head = Head(method: parts[0], target: parts[1], version: parts[2])
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { throw Malformed() }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            head.headers.add(name: String(line[..<colon]), value: value)
        }
        return head
    }

    /// Reads the body that the head announces.
    mutating func readBody(of head: Head) throws -> Data {
        if head.headers["Expect"]?.lowercased() == "100-continue" {
            try socket.write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        if head.headers["Transfer-Encoding"]?.lowercased() == "chunked" { return try readChunks() }
        guard let length = head.headers["Content-Length"] else { return Data() }
        guard let count = Int(length), count >= 0 else { throw Malformed() }
        return try take(count)
    }

    private mutating func readChunks() throws -> Data {
        var body = Data()
        while true {
            guard let size = Int(try takeLine().prefix { $0 != ";" }, radix: 16), size >= 0 else { throw Malformed() }
            if size == 0 {
                while try !takeLine().isEmpty {}
                return body
            }
            body.append(try take(size))
            _ = try takeLine()
        }
    }

    private mutating func takeLine() throws -> String {
        let end = Data("\r\n".utf8)
        while true {
            if let range = buffer.range(of: end) {
                let line = String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
                buffer.removeSubrange(..<range.upperBound)
                return line
            }
            try fill()
        }
    }

    private mutating func take(_ count: Int) throws -> Data {
        while buffer.count < count { try fill() }
        let taken = Data(buffer.prefix(count))
        buffer.removeFirst(count)
        return taken
    }

    /// What was received after the last request.
    mutating func takeRest() -> Data {
        defer { buffer = Data() }
        return buffer
    }

    private mutating func fill() throws {
        let more = try socket.read(64 * 1024)
        guard !more.isEmpty else { throw Malformed() }
        buffer.append(more)
    }

    /// Reads until the client closes: closing with unread bytes would reset the connection, and the client could lose
    /// the response.
    func drain() throws {
        while try !socket.read(64 * 1024).isEmpty {}
    }
}
