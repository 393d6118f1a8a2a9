import CAsyncNetLibcurl
import Foundation

/// The responses that were unread when libcurl closed their connections, for the last few connections.
///
/// A server may send its response before it has read the whole request and close the connection, so that sending the
/// rest fails. libcurl then ends the transfer without reading what has arrived. These bytes are read from the socket
/// right before it is closed, and stored under the local address and port of the connection. Over TLS the bytes are
/// ciphertext, in which no response is found.
struct UnreadResponses {
    private var responses: [(name: String, bytes: Data)] = []

    private static let limit = 64 * 1024
    private static let mostConnections = 16

    var isEmpty: Bool { responses.isEmpty }

    /// Reads the socket's bytes and closes it.
    mutating func close(_ socket: Int32) {
        defer { lc_close(socket) }
        guard lc_has_answer(socket) != 0 else { return }
        var name = [CChar](repeating: 0, count: Int(LC_LOCAL_NAME_SIZE))
        var buffer = [UInt8](repeating: 0, count: Self.limit)
        let count = lc_drain(socket, &name, &buffer, buffer.count)
        if responses.count == Self.mostConnections { responses.removeFirst() }
        responses.append((Self.text(name), Data(buffer[..<count])))
    }

    /// The bytes that were unread on the connection of a transfer that is over.
    mutating func take(_ easy: OpaquePointer) -> Data? {
        guard !responses.isEmpty else { return nil }
        var name = [CChar](repeating: 0, count: Int(LC_LOCAL_NAME_SIZE))
        lc_local_name(easy, &name)
        return take(at: Self.text(name))
    }

    /// - Parameter name: The local address and port of the connection.
    mutating func take(at name: String) -> Data? {
        responses.firstIndex { $0.name == name }.map { responses.remove(at: $0).bytes }
    }

    private static func text(_ name: [CChar]) -> String {
        String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

// MARK: Reading a response

extension UnreadResponses {
    /// The final response in these bytes, if it is complete.
    static func response(in bytes: Data, to url: URL, limit: Int) -> (head: HTTPResponseHead, body: Data)? {
        var (parser, rest) = (HTTPHeadParser(limit: limit), bytes)
        while let end = rest.firstIndex(of: 0x0A) {
            let isBlock = rest[...end].withUnsafeBytes { line in try? parser.receive(line.bindMemory(to: UInt8.self)) }
            rest = rest[(end + 1)...]
            guard let isBlock else { return nil }
            guard isBlock else { continue }
            if 100..<200 ~= parser.statusCode {
                parser.beginBlock()
                continue
            }
            let head = parser.head(url: url)
            return body(of: head, in: rest).map { (head, $0) }
        }
        return nil
    }

    private static func body(of head: HTTPResponseHead, in bytes: Data) -> Data? {
        if head.statusCode == 204 || head.statusCode == 304 { return Data() }
        if let coding = head.value(for: "Transfer-Encoding") {
            return coding.lowercased() == "chunked" ? unchunked(bytes) : nil
        }
        // Without a length, only an orderly close shows that a body is complete (RFC 9112 §6.3); this connection broke.
        guard let length = head.contentLength else { return nil }
        return bytes.count >= length ? bytes.prefix(Int(length)) : nil
    }

    /// Decodes the chunked transfer coding (RFC 9112 §7.1) and drops trailers.
    private static func unchunked(_ bytes: Data) -> Data? {
        var (body, rest) = (Data(), bytes)
        while let end = rest.firstIndex(of: 0x0A) {
            let digits = rest[..<end].prefix { $0 != 0x0D && $0 != UInt8(ascii: ";") }
            guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0 else { return nil }
            guard size > 0 else { return body }
            rest = rest[(end + 1)...]
            guard rest.count >= 2, size <= rest.count - 2 else { return nil }
            body += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
        return nil
    }
}

extension HTTPResponseHead {
    /// Whether a response to a request other than HEAD is complete after this many bytes of its body, before any
    /// decoding; `false` if its length is not known before its end.
    func isComplete(afterBytes count: Int64) -> Bool {
        if statusCode == 204 || statusCode == 304 { return true }
        return !headers.contains(name: "Transfer-Encoding") && contentLength == count
    }
}
