/// A hash of an origin (scheme, host, port). Two origins with the same hash share limits and a queue, nothing else.
package typealias OriginKey = UInt64

extension String {
    /// The key of the origin in a URL's text.
    package var originKey: OriginKey {
        var slashes = 0
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in utf8 {
            if byte == 0x2F || byte == 0x3F || byte == 0x23 {
                slashes += 1
                if slashes == 3 || byte != 0x2F { break }
            }
            hash = (hash ^ UInt64(byte.asciiLowercased)) &* 0x100_0000_01B3
        }
        return hash
    }
}
