import Foundation

/// Splits chunks of bytes into lines, independently of where chunks end.
///
/// A line inside one chunk is passed on in place; only the incomplete rest of a chunk is copied. Every byte is searched
/// once for each kind of break, so the time is linear also if chunks are single bytes. A byte order mark before the
/// first line is removed. A carriage return ends its line at once, without waiting for a line feed.
struct LineSplitter {
    enum Breaks {
        /// LF, CR, or CRLF.
        case any
        /// LF only; a carriage return belongs to its line.
        case lineFeed
    }

    /// Whether a line exceeded the limit; no lines follow.
    private(set) var isTooLong = false
    private let breaks: Breaks
    private let limit: Int
    private(set) var pending: [UInt8] = []
    private var skipsLineFeed = false
    private var isAtStart = true

    init(breaks: Breaks = .any, limit: Int) {
        self.breaks = breaks
        self.limit = limit
    }

    mutating func receive(_ chunk: Data, _ take: (StreamBytes) -> Void) {
        guard !isTooLong, !chunk.isEmpty else { return }
        chunk.withUnsafeBytes { split($0.bindMemory(to: UInt8.self), take) }
    }

    /// Passes on the bytes after the last break as a line, unless there are none.
    mutating func finish(_ take: (StreamBytes) -> Void) {
        guard !isTooLong, !pending.isEmpty, !(isAtStart && pending == Self.byteOrderMark) else { return }
        pending.withUnsafeBufferPointer { take(Self.withoutMark($0, if: isAtStart)) }
        pending = []
    }

    private mutating func split(_ chunk: StreamBytes, _ take: (StreamBytes) -> Void) {
        var start = skipsLineFeed && chunk[0] == Self.lineFeed ? 1 : 0
        skipsLineFeed = false
        var search = BreakSearch(chunk, breaks)
        while let end = search.first(from: start) {
            guard emit(StreamBytes(rebasing: chunk[start..<end]), take) else { return }
            start = end + 1
            guard chunk[end] == Self.carriageReturn else { continue }
            if start == chunk.count { skipsLineFeed = true } else if chunk[start] == Self.lineFeed { start += 1 }
        }
        keep(StreamBytes(rebasing: chunk[start...]))
    }

    private mutating func emit(_ end: StreamBytes, _ take: (StreamBytes) -> Void) -> Bool {
        if pending.isEmpty {
            isTooLong = end.count > limit
            if !isTooLong { take(Self.withoutMark(end, if: isAtStart)) }
        } else {
            keep(end)
            if !isTooLong { pending.withUnsafeBufferPointer { take(Self.withoutMark($0, if: isAtStart)) } }
            pending.reuse()
        }
        isAtStart = false
        return !isTooLong
    }

    private mutating func keep(_ rest: StreamBytes) {
        isTooLong = pending.count + rest.count > limit
        if isTooLong { pending = [] } else { pending.append(contentsOf: rest) }
    }

    private static func withoutMark(_ line: StreamBytes, if isFirst: Bool) -> StreamBytes {
        isFirst && line.starts(with: byteOrderMark) ? StreamBytes(rebasing: line[byteOrderMark.count...]) : line
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    fileprivate static let lineFeed: UInt8 = 0x0A
    fileprivate static let carriageReturn: UInt8 = 0x0D
}

/// Finds the line breaks of a chunk in order. LF and CR are each searched only beyond their last match.
private struct BreakSearch {
    private let chunk: StreamBytes
    private var lineFeed = -1
    private var carriageReturn = -1

    init(_ chunk: StreamBytes, _ breaks: LineSplitter.Breaks) {
        self.chunk = chunk
        if breaks == .lineFeed { carriageReturn = chunk.count }
    }

    mutating func first(from start: Int) -> Int? {
        if lineFeed < start { lineFeed = index(of: LineSplitter.lineFeed, from: start) }
        if carriageReturn < start { carriageReturn = index(of: LineSplitter.carriageReturn, from: start) }
        let first = min(lineFeed, carriageReturn)
        return first < chunk.count ? first : nil
    }

    private func index(of byte: UInt8, from start: Int) -> Int {
        guard let base = chunk.baseAddress, start < chunk.count,
            let found = memchr(base + start, Int32(byte), chunk.count - start)
        else { return chunk.count }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}
