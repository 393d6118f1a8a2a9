import Foundation

/// As much of a request as a server of this kind wants to know.
struct HTTPRequest {
    let method: String
    let target: String
    private let lines: [String]

    /// Reads one, and its body to the end. `nil` if none comes, or none that makes sense.
    init?(from socket: Socket) {
        guard let head = socket.receiveHead() else { return nil }
        var lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines.removeFirst().split(separator: " ")
        guard words.count == 3 else { return nil }
        (method, target) = (String(words[0]), String(words[1]))
        self.lines = lines
        guard readBody(from: socket) else { return nil }
    }

    func value(_ name: String) -> String? {
        let prefix = name.lowercased() + ":"
        return lines.first { $0.lowercased().hasPrefix(prefix) }.map {
            $0.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces)
        }
    }

    /// What `Range: bytes=…` asks for of a file of that size.
    func range(of size: Int) -> Range<Int>? {
        guard let value = value("Range"), value.hasPrefix("bytes=") else { return nil }
        let ends = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]), first < size else { return nil }
        let last = Int(ends[1]) ?? size - 1
        return last >= first ? first..<(min(last, size - 1) + 1) : nil
    }

    private func readBody(from socket: Socket) -> Bool {
        if value("Expect") != nil { socket.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        if let length = value("Content-Length").flatMap(Int.init) {
            return length == 0 || socket.receive(exactly: length) != nil
        }
        guard value("Transfer-Encoding") != nil else { return true }
        var size = -1
        while size != 0 {
            var line = Data()
            while line.suffix(2) != Data("\r\n".utf8) {
                guard line.count < 100, let byte = socket.receive(exactly: 1) else { return false }
                line += byte
            }
            size = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16) ?? 0
            guard socket.receive(exactly: size + 2) != nil else { return false }
        }
        return true
    }
}
