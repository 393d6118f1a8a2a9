/// A text in UTF-16 or UTF-32, which JSON may be sent in (RFC 4627 §3).
struct WideText {
    private let width: Int
    private let isBigEndian: Bool
    private let scalars: String
    private let tail: ArraySlice<UInt8>

    /// Recognizes a text by the zero bytes of its first characters, or a byte order mark; `nil` for UTF-8 and for what
    /// is no text.
    init?(_ bytes: ArraySlice<UInt8>) {
        let zeros = bytes.prefix(4).map { $0 == 0 }
        switch zeros {
        case [true, true, true, false]: self.init(bytes, width: 4, isBigEndian: true)
        case [false, true, true, true]: self.init(bytes, width: 4, isBigEndian: false)
        case [true, false, true, false]: self.init(bytes, width: 2, isBigEndian: true)
        case [false, true, false, true]: self.init(bytes, width: 2, isBigEndian: false)
        default:
            if bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
                self.init(bytes, width: 4, isBigEndian: true)
            } else if bytes.starts(with: [0xFF, 0xFE, 0, 0]) {
                self.init(bytes, width: 4, isBigEndian: false)
            } else if bytes.starts(with: [0xFE, 0xFF]) {
                self.init(bytes, width: 2, isBigEndian: true)
            } else if bytes.starts(with: [0xFF, 0xFE]) {
                self.init(bytes, width: 2, isBigEndian: false)
            } else {
                return nil
            }
        }
    }

    private init(_ bytes: ArraySlice<UInt8>, width: Int, isBigEndian: Bool) {
        (self.width, self.isBigEndian) = (width, isBigEndian)
        let end = bytes.startIndex + bytes.count / width * width
        tail = bytes[end...]
        let units = stride(from: bytes.startIndex, to: end, by: width).map { start in
            let unit = bytes[start..<start + width]
            return (isBigEndian ? Array(unit) : unit.reversed()).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        scalars =
            width == 2
            ? String(decoding: units.map(UInt16.init(truncatingIfNeeded:)), as: UTF16.self)
            : String(decoding: units, as: UTF32.self)
    }

    /// The text after this change of its UTF-8, in its own encoding; `nil` if that changes nothing.
    func changed(_ change: ([UInt8]) -> [UInt8]) -> [UInt8]? {
        let before = Array(scalars.utf8)
        let after = change(before)
        guard after != before else { return nil }
        let text = String(decoding: after, as: UTF8.self)
        let units = width == 2 ? text.utf16.map(UInt32.init) : text.unicodeScalars.map(\.value)
        return units.flatMap { unit in
            let bytes = (0..<width).map { UInt8(truncatingIfNeeded: unit >> (8 * UInt32($0))) }
            return isBigEndian ? bytes.reversed() : bytes
        } + tail
    }
}
