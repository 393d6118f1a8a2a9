/// Reads integers and strings of a field block (RFC 7541 §5).
struct HPACKInput {
    private let block: UnsafeRawBufferPointer
    private var position = 0

    init(_ block: UnsafeRawBufferPointer) { self.block = block }

    var first: UInt8? { position < block.count ? block[position] : nil }

    /// An integer, of which this many bits are in the first byte.
    mutating func integer(prefix: Int) throws(HPACKError) -> Int {
        let most = 1 << prefix - 1
        var value = UInt64(try byte()) & UInt64(most)
        guard value == most else { return Int(value) }
        // No more bytes than a 32-bit integer needs: an endless number of zeros could follow.
        for shift: UInt64 in [0, 7, 14, 21, 28] {
            let byte = try byte()
            value += UInt64(byte & 0x7F) << shift
            guard byte & 0x80 != 0 else {
                guard value <= Int32.max else { throw .integerTooLarge }
                return Int(value)
            }
        }
        throw .integerTooLarge
    }

    /// A string, and its number of bytes after decoding. `name` is the field's name if the string is a value.
    mutating func string(of name: String = "") throws(HPACKError) -> (String, Int) {
        guard let first else { throw .endsInsideField }
        let count = try integer(prefix: 7)
        guard count <= block.count - position else { throw .stringBeyondBlock }
        let bytes = UnsafeRawBufferPointer(rebasing: block[position..<position + count])
        position += count
        guard first & 0x80 != 0 else { return (Self.text(bytes, of: name), count) }
        return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: HPACKHuffman.mostDecoded(count)) {
            buffer throws(HPACKError) in
            let count = try HPACKHuffman.code.decode(bytes, into: buffer)
            return (
                Self.text(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]), of: name), count
            )
        }
    }

    private mutating func byte() throws(HPACKError) -> UInt8 {
        guard let first else { throw .endsInsideField }
        position += 1
        return first
    }

    private static func text(_ bytes: UnsafeRawBufferPointer, of name: String) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let isURI = name == "location" || name == "content-location"
        return bytes.map { byte in
            isURI && byte >= 0x80 ? "%" + String(byte, radix: 16, uppercase: true) : String(Unicode.Scalar(byte))
        }.joined()
    }
}
