import Foundation

/// The HTTP/2 streams that servers will not process (GOAWAY, RFC 9113 §6.8), read from libcurl's verbose output.
///
/// libcurl has no function for this. Without this log, a request on such a stream could not be distinguished from a
/// request whose connection broke, which must not be sent again unless it is idempotent. Lines of unknown text are
/// ignored: the request then ends with an error.
struct GoAwayLog: Equatable {
    /// A line of the verbose output that decides whether a request may be sent again.
    enum Message: Equatable {
        /// The transfer's stream.
        case stream(UInt32)
        /// The last stream that the server may have processed on the connection.
        case goAway(lastStream: UInt32)
        /// The transfer's stream was refused (REFUSED_STREAM, RFC 9113 §8.7).
        case refused
        /// libcurl has given up the transfer's connection; later lines may be about another connection.
        case connectionDied

        /// Reads a line as libcurl 7.83 to 8.23 write it; `nil` for any other line. Lines with URLs and headers can
        /// contain any text, so a message must match from the line's start.
        init?(_ text: UnsafeRawBufferPointer) {
            guard text.count < 200 else { return nil }
            let line = String(decoding: text, as: UTF8.self)
            if line.hasPrefix("recveived GOAWAY, error=") || line.hasPrefix("received GOAWAY, error="),
                let last = Self.number(in: line, after: ", last_stream=")
            {
                self = .goAway(lastStream: last)
            } else if line.hasPrefix("REFUSED_STREAM, retrying") {
                self = .refused
            } else if line.hasPrefix("Connection died, retrying") {
                self = .connectionDied
            } else if line.hasPrefix("Using Stream ID: "), let stream = Self.number(in: line, after: "ID: ") {
                self = .stream(stream)
            } else if line.hasPrefix("[HTTP/2] ["), let stream = Self.number(in: line, after: "2] ["),
                line.hasPrefix("[HTTP/2] [\(stream)] OPENED stream for ")
            {
                self = .stream(stream)
            } else {
                return nil
            }
        }

        private static func number(in line: String, after mark: String) -> UInt32? {
            line.range(of: mark).flatMap { UInt32(line[$0.upperBound...].prefix { $0.isASCII && $0.isNumber }) }
        }
    }

    private static let mostConnections = 64
    private var lastStreams: [Int32: UInt32] = [:]

    /// A server may send several GOAWAY frames; each can only lower the last stream.
    mutating func note(lastStream: UInt32, onPort port: Int32) {
        guard port > 0 else { return }
        if lastStreams.count == Self.mostConnections { lastStreams = [:] }
        lastStreams[port] = min(lastStream, lastStreams[port] ?? .max)
    }

    /// Called when a new connection has this local port: messages about the former connection are removed.
    mutating func forget(port: Int32) {
        if !lastStreams.isEmpty { lastStreams[port] = nil }
    }

    func isUnprocessed(_ stream: UInt32, onPort port: Int32) -> Bool { lastStreams[port].map { stream > $0 } ?? false }
}
