/// Reads a field value from its front.
package protocol ByteScanner {
    var rest: Substring.UTF8View { get set }
}

extension ByteScanner {
    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    @discardableResult
    package mutating func skip(while belongs: (UInt8) -> Bool) -> Substring.UTF8View {
        let skipped = rest.prefix(while: belongs)
        rest = rest.dropFirst(skipped.count)
        return skipped
    }
}
