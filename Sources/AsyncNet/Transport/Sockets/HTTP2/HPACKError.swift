/// Why a field block cannot be decoded, which ends the connection with COMPRESSION_ERROR (RFC 9113 §4.3), as the
/// dynamic table's state is lost.
package enum HPACKError: Error, Equatable {
    case endsInsideField
    case integerTooLarge
    case indexZero
    case indexBeyondTables(Int)
    case stringBeyondBlock
    case huffmanPadding
    case huffmanEndOfString
    case sizeUpdateAfterField
    case sizeUpdateAboveLimit(Int)
    case tooManySizeUpdates
    /// The decoded list is far larger than the limit: a small block may repeat a large entry thousands of times.
    case listFarAboveLimit(Int)

    /// What the sender did, as the rest of a sentence, with the section that forbids it.
    package var reason: String {
        switch self {
        case .endsInsideField: "a field block that ends inside a field (RFC 7541 §6)"
        case .integerTooLarge: "an integer of 2^31 or more, or of more than 6 bytes (RFC 7541 §5.1)"
        case .indexZero: "a field with the index 0 (RFC 7541 §6.1)"
        case .indexBeyondTables(let index): "the index \(index), which no table has (RFC 7541 §2.3.3)"
        case .stringBeyondBlock: "a string that is longer than the rest of its field block (RFC 7541 §5.2)"
        case .huffmanPadding: "a Huffman-coded string with invalid padding (RFC 7541 §5.2)"
        case .huffmanEndOfString: "a Huffman-coded string that contains EOS (RFC 7541 §5.2)"
        case .sizeUpdateAfterField: "a table size update after a field (RFC 7541 §4.2)"
        case .sizeUpdateAboveLimit(let size): "the table size \(size), above its limit (RFC 7541 §6.3)"
        case .tooManySizeUpdates: "too many table size updates in one field block (RFC 7541 §4.2)"
        case .listFarAboveLimit(let bytes): "a field list of more than \(bytes) bytes (RFC 9113 §10.5.1)"
        }
    }
}
