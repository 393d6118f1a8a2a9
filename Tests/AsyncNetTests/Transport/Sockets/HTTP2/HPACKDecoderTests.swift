import Testing

@testable import AsyncNet

@Suite("HPACK decoder")
struct HPACKDecoderTests {
    @Test("The examples of RFC 7541 Appendix C decode to the RFC's fields and tables", arguments: HPACKExample.all)
    func examples(_ example: HPACKExample) throws {
        var decoder = HPACKDecoder(tableSize: example.tableSize)
        for block in example.blocks {
            let fields = try decoder.decode(hex(block.bytes))
            #expect(fields.texts == block.fields)
            #expect(!fields.exceedsLimits)
            #expect(decoder.table.texts == block.table)
            #expect(decoder.table.size == block.tableSize)
        }
    }

    @Test(
        "The integers of RFC 7541 C.1, and the largest one, are decoded",
        arguments: [
            (5, "0a", 10), (5, "ea", 10), (5, "1f9a0a", 1337), (8, "2a", 42), (7, "ff00", 127), (7, "7f808000", 127),
            (5, "1f80808000", 31), (5, "1fe0ffffff07", 2_147_483_647),
        ])
    func integers(prefix: Int, bytes: String, value: Int) throws {
        try hex(bytes).withUnsafeBytes { block in
            var input = HPACKInput(block)
            let read = try input.integer(prefix: prefix)
            #expect(read == value)
            #expect(input.first == nil)
        }
    }

    @Test(
        "A malformed header block is refused with the reason",
        arguments: [
            ("80", "the index 0"), ("be", "the index 62"), ("7e00", "the index 62"),
            ("ff00", "the index 127"), ("40", "ends inside a field"), ("4001", "longer than the rest"),
            ("ff", "ends inside a field"), ("ff80", "ends inside a field"), ("400161", "ends inside a field"),
            ("04", "ends inside a field"),
            ("0403 6161", "longer than the rest"), ("047f ffff ffff 07", "2^31 or more"),
            ("047f 80ff ffff 07", "longer than the rest"), ("ff80 8080 8080 00", "2^31 or more"),
            ("ff80 8080 8080 8080 8080 8000", "2^31 or more"), ("ffff ffff ffff ffff ffff 7f", "2^31 or more"),
            // `a` is 00011: with zeros after it, with a byte of padding, and cut.
            ("0481 18", "invalid padding"), ("0482 1fff", "invalid padding"), ("0481 1f", nil),
            ("0481 ff", "invalid padding"),
            ("0481 fe", "invalid padding"),
            ("0482 ffff", "invalid padding"), ("0484 ffff ffff", "contains EOS"),
            ("0485 1fff ffff ff", "contains EOS"), ("0483 ffff ff", "invalid padding"),
            ("8220", "after a field"), ("3fe2 1f", "the table size 4097"), ("3fe1 1f82", nil),
        ] as [(String, String?)])
    func malformed(bytes: String, reason: String?) {
        var decoder = HPACKDecoder()
        var thrown: HTTP2Violation?
        do { _ = try decoder.decode(hex(bytes)) } catch { thrown = error }
        #expect((thrown == nil) == (reason == nil))
        #expect(thrown?.text.contains(reason ?? "") ?? true)
    }

    @Test("A cut header block is refused, or decoded to the first fields of the whole one", arguments: HPACKExample.all)
    func prefixes(_ example: HPACKExample) throws {
        var before = HPACKDecoder(tableSize: example.tableSize)
        for block in example.blocks {
            let bytes = hex(block.bytes)
            for count in 0..<bytes.count {
                var decoder = before
                guard let fields = try? decoder.decode(Array(bytes[..<count])) else { continue }
                #expect(block.fields.starts(with: fields.texts))
            }
            _ = try before.decode(bytes)
        }
    }

    @Test("The dynamic table stays within its limit after each decoded block of random bytes")
    func randomBytes() {
        var random = Fuzzing.random(7541)
        for _ in 0..<Fuzzing.inputs(2000) {
            var decoder = HPACKDecoder(tableSize: 128)
            for _ in 0..<3 {
                let block = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                guard (try? decoder.decode(block)) != nil else { break }
                #expect(decoder.table.size <= 128)
                #expect(decoder.table.texts.count == decoder.table.entries.count)
            }
        }
    }

    @Test("Texts of all 256 byte values are the same after Huffman encoding and decoding")
    func huffman() throws {
        var random = Fuzzing.random(41)
        let all = Array(UInt8.min...UInt8.max)
        for text in [all, [], [0x61]] + (0..<100).map({ _ in all.filter { _ in Bool.random(using: &random) } }) {
            var encoded: [UInt8] = []
            text.withUnsafeBufferPointer { HPACKHuffman.code.encode($0, into: &encoded) }
            #expect(text.withUnsafeBufferPointer(HPACKHuffman.code.encodedCount) == encoded.count)
            let decoded = try [UInt8](unsafeUninitializedCapacity: HPACKHuffman.mostDecoded(encoded.count)) {
                buffer, count in
                count = try encoded.withUnsafeBytes { try HPACKHuffman.code.decode($0, into: buffer) }
            }
            #expect(decoded == text)
        }
    }

    @Test(
        "A field that is not UTF-8 is read as Latin-1, and Location's bytes are percent-encoded",
        arguments: [
            ("0002 7661 02c3 a9", "va: é"), ("0002 7661 02e9 21", "va: é!"), ("0f1f 032f e921", "location: /%E9!"),
            ("0002 7661 030a 000d", "va: \n\0\r"), ("0001 e901 61", "é: a"),
        ])
    func texts(bytes: String, field: String) throws {
        var decoder = HPACKDecoder()
        #expect(try decoder.decode(hex(bytes)).texts == [field])
    }

    @Test("The size of a table's entry counts the received bytes, not the bytes of its text in UTF-8")
    func sizeOfLatin1() throws {
        var decoder = HPACKDecoder()
        // The name é as Latin-1, indexed, and then named by the index 62.
        let fields = try decoder.decode(hex("4001 e901 e9 7e01 61"))
        #expect(fields.texts == ["é: é", "é: a"])
        #expect(decoder.table.size == 34 + 34)
    }

    // MARK: The table

    @Test("A field that takes its name from a table entry is decoded, even if adding it evicts that entry")
    func evictedName() throws {
        var decoder = HPACKDecoder(tableSize: 40)
        #expect(try decoder.decode(hex("4002 7661 0161 7e01 62")).texts == ["va: a", "va: b"])
        #expect(decoder.table.texts == ["va: b"])
    }

    @Test("An entry above the table's limit empties the table (RFC 7541 §4.4)")
    func largeEntry() throws {
        var decoder = HPACKDecoder(tableSize: 40)
        #expect(
            try decoder.decode(hex("4002 7661 0161 4002 7662 0731 3233 3435 3637")).texts == ["va: a", "vb: 1234567"])
        #expect(decoder.table.texts == [])
        #expect(decoder.table.size == 0)
    }

    @Test("A smaller size update evicts entries, and after a larger one entries are stored again")
    func sizeUpdates() throws {
        var decoder = HPACKDecoder()
        _ = try decoder.decode(hex("4002 7661 0161 4002 7662 0162"))
        #expect(try decoder.decode(hex("3f05 be")).texts == ["vb: b"])
        #expect(decoder.table.texts == ["vb: b"])
        #expect(throws: HTTP2Violation.undecodable("the index 62, which no table has (RFC 7541 §2.3.3)")) {
            try decoder.decode(hex("20 3fe1 1f be"))
        }
        #expect(try decoder.decode(hex("4002 7661 0161 be")).texts == ["va: a", "va: a"])
    }

    // MARK: Limits

    @Test("Fields beyond the limit of bytes or fields are not returned, but enter the dynamic table")
    func limits() throws {
        for (bytes, count) in [(70, 1000), (256 * 1024, 2)] {
            var decoder = HPACKDecoder(listBytes: bytes, fields: count)
            let fields = try decoder.decode(hex("4002 7661 0161 4002 7662 0162 4002 7663 0163"))
            #expect(fields.texts == ["va: a", "vb: b"])
            #expect(fields.exceedsLimits)
            #expect(decoder.table.texts == ["vc: c", "vb: b", "va: a"])
        }
    }

    @Test("A header list exactly at its limits is returned whole")
    func atLimits() throws {
        var decoder = HPACKDecoder(listBytes: 70, fields: 2)
        let fields = try decoder.decode(hex("4002 7661 0161 be"))
        #expect(fields.texts == ["va: a", "va: a"])
        #expect(!fields.exceedsLimits)
    }

    @Test("A small field after a field beyond the limit is not returned either")
    func afterLimit() throws {
        var decoder = HPACKDecoder(listBytes: 37)
        let fields = try decoder.decode(hex("4002 7661 0561 6161 6161 82"))
        #expect(fields.texts == [])
        #expect(fields.exceedsLimits)
    }

    @Test("A block that repeats a large entry is refused beyond four times the limit of bytes")
    func bomb() throws {
        let block = hex("4004 626f 6d62 7fb9 16") + [UInt8](repeating: 0x61, count: 3000)
        var decoder = HPACKDecoder()
        _ = try decoder.decode(block)
        let most = 1024 * 1024 / 3036
        let tooLong = HTTP2Violation.undecodable("a field list of more than 1048576 bytes (RFC 9113 §10.5.1)")
        #expect(try decoder.decode(Array(repeating: 0xBE, count: most)).exceedsLimits)
        #expect(throws: tooLong) {
            try decoder.decode(Array(repeating: 0xBE, count: most + 1))
        }
        #expect(throws: tooLong) {
            try decoder.decode(Array(repeating: 0xBE, count: 16_000))
        }
    }
}
