import Foundation

/// The memory of a body of known length that is delivered as a whole: bytes are received into it, and not copied again.
struct BodyMemory: ~Copyable {
    private var bytes: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0
    private let length: Int
    private let kept: KeptMemory
    /// How many bytes are reserved at most before a byte has arrived: a server may announce more than it sends.
    private static let firstCapacity = 1 << 20

    init(length: Int, _ kept: KeptMemory) { (self.length, self.kept) = (length, kept) }

    deinit { if let bytes { kept.give(bytes, capacity: capacity) } }

    mutating func room() -> UnsafeMutableRawBufferPointer? {
        if bytes == nil, let memory = kept.take(for: length) {
            (bytes, capacity) = (memory.baseAddress, memory.count)
        } else if count == capacity {
            let larger = min(length, max(Self.firstCapacity, capacity * 2))
            guard let moved = realloc(bytes, max(larger, 1)) else { return nil }
            (bytes, capacity) = (moved, larger)
        }
        guard let bytes else { return nil }
        return UnsafeMutableRawBufferPointer(start: bytes + count, count: capacity - count)
    }

    mutating func didFill(_ added: Int) { count += added }

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

    /// Moves the memory into `Data`, which returns it to `KeptMemory` when it is released.
    mutating func take() -> Data {
        guard let bytes, count > 0 else { return Data() }
        self.bytes = nil
        guard KeptMemory.sizes.contains(capacity) else {
            return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
        }
        let (kept, capacity) = (kept, capacity)
        return Data(
            bytesNoCopy: bytes, count: count,
            deallocator: .custom { memory, _ in kept.give(memory, capacity: capacity) })
    }
}
