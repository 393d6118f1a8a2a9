import Testing

@testable import AsyncNet

@Suite("Validation of UTF-8 in pieces")
struct UTF8ValidatorTests {
    private static func accepts(_ pieces: [[UInt8]]) -> Bool {
        var validator = UTF8Validator()
        let isPossible = pieces.allSatisfy { piece in piece.withUnsafeBytes { validator.accept($0) } }
        return isPossible && validator.isComplete
    }

    @Test("Each pair of bytes, alone or with bytes behind it, is valid exactly if String(validating:) accepts it")
    func allShort() {
        var wrong: [[UInt8]] = []
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                for bytes in [[first, second], [first, second, 0x80], [first, second, 0xBF, 0x41]] {
                    let isValid = String(validating: bytes, as: UTF8.self) != nil
                    if Self.accepts([bytes]) != isValid { wrong.append(bytes) }
                }
            }
        }
        #expect(wrong == [])
    }

    @Test("The first and last code points of each length are valid, those beyond are not")
    func limits() {
        let scalars: [UInt32] = [0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]
        for scalar in scalars.compactMap(Unicode.Scalar.init) {
            let bytes = Array(String(Character(scalar)).utf8)
            #expect(Self.accepts([bytes]), "\(scalar)")
            for cut in bytes.indices.dropFirst() {
                #expect(Self.accepts([Array(bytes[..<cut]), Array(bytes[cut...])]), "\(scalar)")
                #expect(!Self.accepts([Array(bytes[..<cut])]), "\(scalar)")
            }
        }
        #expect(!Self.accepts([[0xF4, 0x90, 0x80, 0x80]]))
        #expect(!Self.accepts([[0xF0, 0x8F, 0xBF, 0xBF]]))
    }

    @Test("A wrong byte is found after any number of ASCII bytes", arguments: 0...20)
    func places(count: Int) {
        let ascii = [UInt8](repeating: 0x61, count: count)
        #expect(Self.accepts([ascii]))
        #expect(!Self.accepts([ascii + [0xFF]]))
        #expect(!Self.accepts([ascii + [0x80] + ascii]))
        #expect(Self.accepts([ascii + [0xC3, 0xA9] + ascii]))
        #expect(Self.accepts([ascii + [0xC3], [0xA9] + ascii]))
    }
}
