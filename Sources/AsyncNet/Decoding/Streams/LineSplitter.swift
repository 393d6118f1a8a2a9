import Foundation

/// Cuts chunks of bytes into lines, wherever the chunks themselves are cut.
///
/// A line that lies in one chunk is handed out where it stands; only what a chunk leaves open is copied. Every byte is
/// looked at once for each kind of break, so that the work is linear also where a line comes byte by byte. A byte order
/// mark before the first line is dropped. A carriage return ends its line at once, without waiting for the line feed
/// that may follow it.
struct LineSplitter {
    enum Breaks {
        /// LF, CR, and both as one.
        case any
        /// LF only; a carriage return is a byte like any other.
        case lineFeed
    }

    /// Whether a line was longer than the limit; nothing comes out after that.
    private(set) var isTooLong = false
    private let breaks: Breaks
    private let limit: Int
    private var pending: [UInt8] = []
    private var skipsLineFeed = false
    private var isAtStart = true

    /// - Parameter limit: Bytes that a line may have, its break not counted.
    init(breaks: Breaks = .any, limit: Int) {
        self.breaks = breaks
        self.limit = limit
    }

    /// Takes a chunk and hands out the lines that end in it, without their breaks.
    mutating func receive(_ chunk: Data, _ take: (StreamBytes) -> Void) {
        guard !isTooLong, !chunk.isEmpty else { return }
        chunk.withUnsafeBytes { split($0.bindMemory(to: UInt8.self), take) }
    }

    /// Hands out what stands after the last break, if anything does.
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
            guard handOut(StreamBytes(rebasing: chunk[start..<end]), take) else { return }
            start = end + 1
            guard chunk[end] == Self.carriageReturn else { continue }
            if start == chunk.count { skipsLineFeed = true } else if chunk[start] == Self.lineFeed { start += 1 }
        }
        keep(StreamBytes(rebasing: chunk[start...]))
    }

    private mutating func handOut(_ end: StreamBytes, _ take: (StreamBytes) -> Void) -> Bool {
        if pending.isEmpty {
            isTooLong = end.count > limit
            if !isTooLong { take(Self.withoutMark(end, if: isAtStart)) }
        } else {
            keep(end)
            if !isTooLong { pending.withUnsafeBufferPointer { take(Self.withoutMark($0, if: isAtStart)) } }
            pending.removeAll(keepingCapacity: true)
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

/// Finds one break after another, and looks for each kind only beyond the last one found of that kind.
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
