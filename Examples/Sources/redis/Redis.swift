import AsyncNet
import Foundation

/// Speaks to a redis server over a raw stream: `redis localhost 6379` sends three commands and prints the replies.
@main
struct Redis {
    let connection: StreamConnection
    var received = Data()

    static func main() async throws {
        let arguments = CommandLine.arguments
        let (host, port) = (
            arguments.dropFirst().first ?? "localhost", arguments.dropFirst(2).first.flatMap { Int($0) }
        )
        var redis = Redis(connection: try await Session().connect(to: host, port: port ?? 6379, tls: .none))
        for command in [["PING"], ["SET", "greeting", "hello\r\nthere"], ["GET", "greeting"]] {
            // A terminal would execute control characters.
            print(try await redis.reply(to: command).filter { $0.isNewline || !$0.isControl })
        }
        await redis.connection.close()
    }

    /// Sends an array of strings; replies are a line, or a string whose length is in the line before it.
    mutating func reply(to command: [String]) async throws -> String {
        let words = command.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
        try await connection.write(Data("*\(command.count)\r\n\(words)".utf8))
        while true {
            if let end = received.firstRange(of: Data("\r\n".utf8)) {
                let line = String(decoding: received[..<end.lowerBound], as: UTF8.self)
                let length = line.hasPrefix("$") ? Int(line.dropFirst()).flatMap { $0 < 0 ? nil : $0 } : nil
                let rest = received[end.upperBound...]
                guard length ?? 0 <= 1 << 20 else { throw AsyncNetError(.badServerResponse) }
                if let length, rest.count >= length + 2 {
                    received = Data(rest.dropFirst(length + 2))
                    return String(decoding: rest.prefix(length), as: UTF8.self)
                } else if length == nil {
                    received = Data(rest)
                    return line
                }
            }
            guard let bytes = try await connection.read() else { throw AsyncNetError(.connectionLost) }
            received += bytes
        }
    }
}

extension Character {
    fileprivate var isControl: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
