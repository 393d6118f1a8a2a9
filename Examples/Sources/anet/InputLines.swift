import Foundation

/// Lines of bytes that come in pieces. Without I/O: pieces go in, lines come out.
struct InputLines {
    private var rest = Data()
    /// How many bytes of the rest have no line end.
    private var searched = 0
    private var count = 0

    /// The longest line, in bytes, as the longest message that anet receives by default.
    static let longest = 16 << 20

    /// A slice of data keeps what is before it: that is given back first.
    mutating func append(_ piece: Data) {
        if rest.startIndex > 0 { rest = Data(rest) }
        rest.append(piece)
    }

    /// The next line without its end (LF, CR LF); `nil` if there is no whole one.
    ///
    /// - Throws: ``ExitError`` for a line that is too long, or not UTF-8.
    mutating func next() throws(ExitError) -> String? {
        guard let end = rest.dropFirst(searched).firstIndex(of: 0x0A) else {
            searched = rest.count
            guard searched <= Self.longest else { throw Self.tooLong(count + 1) }
            return nil
        }
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        searched = 0
        return try text(line.last == 0x0D ? line.dropLast() : line)
    }

    /// What follows the last line end; `nil` if that is nothing.
    mutating func last() throws(ExitError) -> String? {
        defer { rest = Data() }
        return rest.isEmpty ? nil : try text(rest)
    }

    private mutating func text(_ line: Data) throws(ExitError) -> String {
        count += 1
        guard let text = String(validating: line, as: UTF8.self) else {
            throw ExitError(
                ExitStatus.cannotRead,
                "Line \(count) of standard input is not UTF-8, which a text message must be. --binary sends any bytes.")
        }
        return text
    }

    private static func tooLong(_ number: Int) -> ExitError {
        ExitError(
            ExitStatus.cannotRead, "Line \(number) of standard input is longer than \(longest >> 20) MiB.")
    }
}
