/// Reads integers and strings of a field block (RFC 7541 §5).
struct HPACKInput {
    private let block: UnsafeRawBufferPointer
    private var position = 0

    init(_ block: UnsafeRawBufferPointer) { self.block = block }

    var first: UInt8? { position < block.count ? block[position] : nil }

    /// An integer, of which this many bits are in the first byte.
    mutating func integer(prefix: Int) throws(HTTP2Violation) -> Int {
        let most = 1 << prefix - 1
        var value = UInt64(try byte()) & UInt64(most)
        guard value == most else { return Int(value) }
        // No more bytes than a 32-bit integer needs: an endless number of zeros could follow.
        for shift: UInt64 in [0, 7, 14, 21, 28] {
            let byte = try byte()
            value += UInt64(byte & 0x7F) << shift
            guard byte & 0x80 != 0 else {
                guard value <= Int32.max else { break }
                return Int(value)
            }
        }
        throw .undecodable("an integer of 2^31 or more, or of more than 6 bytes (RFC 7541 §5.1)")
    }

    /// A string, and its number of bytes after decoding. `name` is the field's name if the string is a value.
    mutating func string(of name: String = "") throws(HTTP2Violation) -> (String, Int) {
        let isCoded = (first ?? 0) & 0x80 != 0
        let count = try integer(prefix: 7)
        guard count <= block.count - position else {
            throw .undecodable("a string that is longer than the rest of its field block (RFC 7541 §5.2)")
        }
        let bytes = UnsafeRawBufferPointer(rebasing: block[position..<position + count])
        position += count
        guard isCoded else { return (HTTPHeadParser.decoded(bytes, of: name), count) }
        return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: HPACKHuffman.mostDecoded(count)) {
            buffer throws(HTTP2Violation) in
            let count = try HPACKHuffman.code.decode(bytes, into: buffer)
            return (HTTPHeadParser.decoded(buffer[..<count], of: name), count)
        }
    }

    private mutating func byte() throws(HTTP2Violation) -> UInt8 {
        guard let first else { throw .undecodable("a field block that ends inside a field (RFC 7541 §6)") }
        position += 1
        return first
    }
}
