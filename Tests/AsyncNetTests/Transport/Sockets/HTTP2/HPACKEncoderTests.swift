import Testing

@testable import AsyncNet

@Suite("HPACK encoder")
struct HPACKEncoderTests {
    private static func block(
        _ encoder: inout HPACKEncoder, _ fields: [(String, String)], _ indexing: HPACKEncoder.Indexing = .indexed
    ) -> [UInt8] {
        var output: [UInt8] = []
        encoder.begin(into: &output)
        for (name, value) in fields { encoder.encode(name, value, indexing, into: &output) }
        return output
    }

    /// Splits `name: value` behind the name, which may begin with a colon.
    private static func split(_ text: String) -> (String, String) {
        let end = text.dropFirst().firstIndex(of: ":") ?? text.endIndex
        return (String(text[..<end]), String(text[end...].dropFirst(2)))
    }

    @Test(
        "Header lists of RFC 7541's examples are encoded to the bytes and tables of the RFC",
        arguments: ["C.2.4", "C.4", "C.6"])
    func examples(section: String) throws {
        let example = try #require(HPACKExample.all.first { $0.section == section })
        var encoder = HPACKEncoder()
        encoder.setTableLimit(UInt32(example.tableSize))
        var update = example.tableSize == 4096 ? [] : hex("3fe1 01")
        for block in example.blocks {
            // The RFC's encoder uses Huffman code for 307 as well, where it is not shorter.
            let bytes = block.bytes.replacing("4883 640e ff", with: "4803 3330 37")
            #expect(Self.block(&encoder, block.fields.map(Self.split)) == update + hex(bytes))
            #expect(encoder.table.texts == block.table)
            #expect(encoder.table.size == block.tableSize)
            update = []
        }
    }

    @Test("The indexing of a field decides its first bits, and whether it enters the table")
    func indexing() {
        let cases: [(HPACKEncoder.Indexing, String, [String])] = [
            (.indexed, "4003 7a7a 7a01 58", ["zzz: X"]), (.literal, "0003 7a7a 7a01 58", []),
            (.never, "1003 7a7a 7a01 58", []),
        ]
        for (indexing, bytes, table) in cases {
            var encoder = HPACKEncoder()
            #expect(Self.block(&encoder, [("zzz", "X")], indexing) == hex(bytes))
            #expect(encoder.table.texts == table)
        }
    }

    @Test("A field with .never is written with its value, although a table has the field")
    func neverIndexed() {
        var encoder = HPACKEncoder()
        #expect(Self.block(&encoder, [("authorization", "X")], .never) == hex("1f08 0158"))
        #expect(Self.block(&encoder, [("authorization", "")], .never) == hex("1f08 00"))
        _ = Self.block(&encoder, [("zzz", "X")])
        #expect(Self.block(&encoder, [("zzz", "X")], .never) == hex("1f2f 0158"))
    }

    @Test("Names are written in lower case, and found in the tables in any case")
    func lowerCase() {
        var encoder = HPACKEncoder()
        #expect(
            Self.block(&encoder, [("Accept-Encoding", "gzip, deflate"), ("ZZZ", "X"), ("zZz", "X")])
                == hex("90 4003 7a7a 7a01 58 be"))
    }

    @Test("Values that are canonically equivalent, but not equal as bytes, are separate entries")
    func canonicalEquivalence() {
        var encoder = HPACKEncoder()
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let first = Self.block(&encoder, [("zzz", composed), ("zzz", decomposed)])
        #expect(first == hex("4003 7a7a 7a02 c3a9 7e03 65cc 81"))
        #expect(Self.block(&encoder, [("zzz", composed), ("zzz", decomposed)]) == hex("bf be"))
    }

    @Test("A field above three quarters of the table's limit does not enter the table")
    func largeField() {
        for (count, entries) in [(3072 - 35, 1), (3072 - 34, 0)] {
            var encoder = HPACKEncoder()
            _ = Self.block(&encoder, [("zzz", String(repeating: "a", count: count))])
            #expect(encoder.table.entries.count == entries)
        }
    }

    @Test("An evicted field is written with its value again")
    func eviction() {
        var encoder = HPACKEncoder()
        encoder.setTableLimit(80)
        let (one, two, three) = (("z1z", "X"), ("z2z", "X"), ("z3z", "X"))
        _ = Self.block(&encoder, [one, two])
        #expect(Self.block(&encoder, [one, two]) == hex("bf be"))
        #expect(Self.block(&encoder, [three]) == hex("4003 7a33 7a01 58"))
        #expect(Self.block(&encoder, [two, one]) == hex("bf 4003 7a31 7a01 58"))
        #expect(encoder.table.texts == ["z1z: X", "z3z: X"])
    }

    // MARK: The table's limit

    @Test(
        "The next block begins with the size updates for changed limits, and the block after it does not",
        arguments: [
            ([], ""), ([4096], ""), ([65_536], ""), ([UInt32.max], ""), ([0], "20"), ([100], "3f45"),
            ([0, 4096], "203fe11f"), ([100, 0, 200], "203fa901"), ([100, 200], "3f453fa901"), ([200, 100], "3f45"),
            ([100, 100], "3f45"),
        ])
    func tableLimits(limits: [UInt32], update: String) {
        var encoder = HPACKEncoder()
        for limit in limits { encoder.setTableLimit(limit) }
        #expect(Self.block(&encoder, [(":method", "GET")]) == hex(update + "82"))
        #expect(Self.block(&encoder, [(":method", "GET")]) == hex("82"))
    }

    @Test("A table's raised limit is written as a size update of at most 4096")
    func risingLimit() {
        var encoder = HPACKEncoder()
        encoder.setTableLimit(0)
        _ = Self.block(&encoder, [("zzz", "X")])
        #expect(encoder.table.texts == [])
        encoder.setTableLimit(.max)
        #expect(Self.block(&encoder, [("zzz", "X")]) == hex("3fe11f 4003 7a7a 7a01 58"))
    }

    // MARK: Together

    @Test("Random fields are decoded as they were encoded, with equal tables, through changing limits")
    func roundTrip() throws {
        var random = Fuzzing.random(9113)
        for _ in 0..<Fuzzing.inputs(40) {
            var (encoder, decoder) = (HPACKEncoder(), HPACKDecoder())
            for _ in 0..<40 {
                while Int.random(in: 0..<5, using: &random) == 0 {
                    encoder.setTableLimit([0, 40, 100, 300, 4096, .max].randomElement(using: &random) ?? 0)
                }
                var block: [UInt8] = []
                encoder.begin(into: &block)
                let fields = (0..<Int.random(in: 1...12, using: &random)).map { _ in Self.field(&random) }
                for (name, value) in fields {
                    let indexing = [HPACKEncoder.Indexing.indexed, .literal, .never].randomElement(using: &random)
                    encoder.encode(name, value, indexing ?? .indexed, into: &block)
                }
                #expect(try decoder.decode(block).texts == fields.map { "\($0.0): \($0.1)" })
                #expect(decoder.table.texts == encoder.table.texts)
                #expect(decoder.table.limit == encoder.table.limit)
            }
        }
    }

    private static func field(_ random: inout SeededRandom) -> (String, String) {
        let names = [
            ":path", ":status", "accept-encoding", "vary", "a", "x-long-name-of-a-field", "x-long-nome-of-a-field",
        ]
        let own = "x-\(Int.random(in: 0..<150, using: &random))"
        let count = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 0..<400, using: &random) : 2
        let value = (0..<count).map { _ in Character(Unicode.Scalar(UInt8.random(in: 0x20...0x7E, using: &random))) }
        let name = Bool.random(using: &random) ? names.randomElement(using: &random) ?? own : own
        return (name, Bool.random(using: &random) ? "200" : String(value))
    }

    @Test(
        "Fields with secrets have .never, those that rarely repeat .literal, and others .indexed",
        arguments: [
            ("authorization", .never), ("proxy-authorization", .never), ("cookie", .never), ("set-cookie", .never),
            (":path", .literal), ("content-length", .literal), ("age", .literal), ("if-modified-since", .literal),
            ("idempotency-key", .literal), ("traceparent", .literal), (":authority", .indexed), ("accept", .indexed),
            ("user-agent", .indexed), ("host", .indexed), ("x-long-name-of-a-field-of-an-application", .indexed),
            ("", .indexed),
        ] as [(String, HPACKEncoder.Indexing)])
    func indexingByName(name: String, indexing: HPACKEncoder.Indexing) {
        #expect(HPACKEncoder.indexing(of: name) == indexing)
    }
}
