import AsyncNet
import CAsyncNetLibcurl
import Foundation

/// The headers of one request as a `curl_slist`, in memory that the next request reuses.
///
/// libcurl reads the list until the transfer ends and does not change it.
struct HeaderList: ~Copyable {
    private var nodes: UnsafeMutablePointer<lc_list>
    private var nodeCapacity = 16
    private var bytes: UnsafeMutablePointer<CChar>
    private var byteCapacity = 1024

    init() {
        nodes = .allocate(capacity: nodeCapacity)
        bytes = .allocate(capacity: byteCapacity)
    }

    deinit {
        nodes.deallocate()
        bytes.deallocate()
    }

    /// - Parameter own: Further lines in libcurl's syntax, such as `Expect:`, which omits a header that libcurl would
    ///   add.
    mutating func fill(
        _ headers: HTTPHeaders, except isLeftOut: (HTTPHeader) -> Bool, own: [StaticString]
    ) -> UnsafeMutablePointer<lc_list>? {
        reserve(
            headers.count + own.count,
            headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 }
                + own.reduce(0) { $0 + $1.utf8CodeUnitCount + 1 })
        var (count, end) = (0, bytes)
        for header in headers where !isLeftOut(header) {
            add(&count, at: end)
            Self.append(header.name, to: &end)
            // For "Name;" libcurl sends an empty value; for "Name:" it omits a header that it would add itself.
            Self.append(header.value.isEmpty ? ";" : header.isOmission ? ":" : ": ", to: &end)
            if !header.isOmission { Self.append(header.value, to: &end) }
            Self.end(&end)
        }
        for line in own {
            add(&count, at: end)
            end.update(
                from: UnsafeRawPointer(line.utf8Start).assumingMemoryBound(to: CChar.self),
                count: line.utf8CodeUnitCount)
            end += line.utf8CodeUnitCount
            Self.end(&end)
        }
        return count > 0 ? nodes : nil
    }

    private func add(_ count: inout Int, at text: UnsafeMutablePointer<CChar>) {
        nodes[count] = lc_list(data: text, next: nil)
        if count > 0 { nodes[count - 1].next = nodes + count }
        count += 1
    }

    private static func end(_ end: inout UnsafeMutablePointer<CChar>) {
        end.pointee = 0
        end += 1
    }

    private static func append(_ text: String, to end: inout UnsafeMutablePointer<CChar>) {
        for byte in text.utf8 {
            end.pointee = CChar(bitPattern: byte)
            end += 1
        }
    }

    private mutating func reserve(_ nodeCount: Int, _ byteCount: Int) {
        if nodeCount > nodeCapacity {
            nodes.deallocate()
            nodeCapacity = nodeCount
            nodes = .allocate(capacity: nodeCount)
        }
        if byteCount > byteCapacity {
            bytes.deallocate()
            byteCapacity = byteCount
            bytes = .allocate(capacity: byteCount)
        }
    }
}

/// Collects the pieces of at most 16 KiB in which libcurl delivers a body into larger chunks.
///
/// A large chunk keeps the buffer, which saves copying it. A small chunk is copied, and the buffer is reused.
struct BodyBuffer: ~Copyable {
    /// Less than the 128 KiB from which glibc's malloc maps memory anew: its pages would fault for each chunk.
    static let capacity = 64 * 1024
    private static let copyLimit = 32 * 1024

    private var bytes: UnsafeMutableRawPointer?
    private(set) var count = 0

    deinit { free(bytes) }

    var isEmpty: Bool { count == 0 }
    var room: Int { Self.capacity - count }

    /// `false` if there is no memory.
    mutating func append(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard let base = piece.baseAddress, piece.count <= room else { return piece.isEmpty }
        guard let bytes = bytes ?? malloc(Self.capacity) else { return false }
        self.bytes = bytes
        (bytes + count).copyMemory(from: base, byteCount: piece.count)
        count += piece.count
        return true
    }

    mutating func take() -> Data? {
        guard let bytes, count > 0 else { return nil }
        defer { count = 0 }
        if count <= Self.copyLimit { return Data(bytes: bytes, count: count) }
        self.bytes = nil
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }

    mutating func removeAll() { count = 0 }
}
