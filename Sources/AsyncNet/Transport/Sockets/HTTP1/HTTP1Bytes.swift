import Foundation

extension UInt8 {
    var hexadecimalDigit: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }
}

extension UnsafeRawBufferPointer {
    /// By the C library, which compares many bytes at a time.
    func firstIndex(ofByte byte: Int32, from start: Int) -> Int? {
        guard start < count, let base = baseAddress, let found = memchr(base + start, byte, count - start) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }
}
