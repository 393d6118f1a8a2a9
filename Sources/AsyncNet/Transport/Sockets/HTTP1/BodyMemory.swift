import Foundation

/// The memory of a body of known length that is delivered as a whole: received into its place, and not copied again.
struct BodyMemory: ~Copyable {
    private var bytes: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0
    private let length: Int
    /// What is reserved before a byte has arrived: a server that names a length has not sent it yet.
    private static let firstCapacity = 1 << 20

    init(length: Int) { self.length = length }

    deinit { free(bytes) }

    /// Room for the next bytes; `nil` without memory.
    mutating func room() -> UnsafeMutableRawBufferPointer? {
        if count == capacity {
            let larger = min(length, max(Self.firstCapacity, capacity * 2))
            guard let moved = realloc(bytes, max(larger, 1)) else { return nil }
            (bytes, capacity) = (moved, larger)
        }
        guard let bytes else { return nil }
        return UnsafeMutableRawBufferPointer(start: bytes + count, count: capacity - count)
    }

    mutating func didFill(_ added: Int) { count += added }

    /// - Returns: `false` without memory.
    mutating func append(_ more: UnsafeRawBufferPointer) -> Bool {
        var rest = more[...]
        while !rest.isEmpty {
            guard let room = room(), !room.isEmpty else { return false }
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(room.count))
            room.copyMemory(from: part)
            didFill(part.count)
            rest = rest.dropFirst(part.count)
        }
        return true
    }

    /// Moves the memory into `Data`, which frees it.
    mutating func take() -> Data {
        guard let bytes, count > 0 else { return Data() }
        self.bytes = nil
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }
}
