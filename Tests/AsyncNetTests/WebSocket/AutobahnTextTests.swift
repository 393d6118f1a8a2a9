import Foundation
import Testing

@testable import AsyncNet

/// The cases of Autobahn's test suite for UTF-8, section 6, by their numbers there.
@Suite("Autobahn: texts in UTF-8")
struct AutobahnTextTests {
    static let sample = "Hello-µ@ßöäüàá-UTF-8!!"

    static let fragments: [WebSocketCase] = [
        WebSocketCase("6.1.1", [.text("")], [.text("")]),
        WebSocketCase(
            "6.1.2", [.text("", isFinal: false), .more("", isFinal: false), .more("", isFinal: true)], [.text("")]),
        WebSocketCase(
            "6.1.3", [.text("", isFinal: false), .more("middle", isFinal: false), .more("", isFinal: true)],
            [.text("middle")]),
        WebSocketCase("6.2.1", [.text(sample)], [.text(sample)]),
        WebSocketCase(
            "6.2.2", [.text("Hello-µ@ßöä", isFinal: false), .more("üàá-UTF-8!!", isFinal: true)], [.text(sample)]),
        WebSocketCase("6.2.3", octets(Array(sample.utf8)), [.text(sample)]),
        WebSocketCase("6.2.4", octets(Array("κόσμε".utf8)), [.text("κόσμε")]),
        WebSocketCase("6.3.1", [RawFrame(opcode: 1, payload: wrong)], fails: .invalidPayload),
        WebSocketCase("6.3.2", octets(wrong), fails: .invalidPayload),
    ]

    /// κόσμε, a surrogate, and ASCII.
    private static let wrong = Array("κόσμε".utf8) + [0xED, 0xA0, 0x80] + Array("edited".utf8)

    /// Each byte in a frame of its own.
    private static func octets(_ bytes: [UInt8]) -> [RawFrame] {
        bytes.enumerated().map { place, byte in
            RawFrame(opcode: place == 0 ? 1 : 0, payload: [byte], isFinal: place == bytes.count - 1)
        }
    }

    @Test("6.1 to 6.3: A text in fragments is received, or fails if it is not UTF-8", arguments: fragments)
    func outcome(of example: WebSocketCase) {
        let faults = example.faults()
        #expect(faults.prefix(3) == [])
    }

    private static let start = Array("κόσμε".utf8)

    /// The bytes before which a text was possible, and the byte that makes it impossible.
    @Test(
        "6.4: A text fails at the first wrong byte, before its frame or message ends",
        arguments: [
            ("6.4.1", [0xF4], 0x90), ("6.4.2", [0xF4], 0x90), ("6.4.3", [], 0x80), ("6.4.4", [0xED], 0xA0),
        ])
    func failsFast(number: String, begun: [UInt8], wrong: UInt8) throws {
        for isOneFrame in [true, false] {
            var machine = WebSocketMachine(role: .client, limits: .init(frame: 1000, message: 1000))
            let valid = Self.start + begun
            machine.receive(
                isOneFrame ? Data([0x81, 100] + valid) : Data([0x01, UInt8(valid.count)] + valid + [0x00, 100]))
            let event = try machine.next()
            #expect(event == nil)
            machine.receive(Data([wrong]))
            let failure = #expect(throws: WebSocketFailure.self) { try next(&machine) }
            #expect(failure?.closeCode == .invalidPayload)
        }
    }

    /// Hexadecimal bytes of texts, by section.
    static let valid: [(String, [String])] = [
        ("6.5", ["cebae1bdb9cf83cebcceb5", "68656c6c6f24776f726c64", "68656c6c6fc2a2776f726c64"]),
        ("6.5.4", ["68656c6c6fe282ac776f726c64", "68656c6c6ff0a4ada2776f726c64"]),
        ("6.6", ["ceba", "cebae1bdb9", "cebae1bdb9cf83", "cebae1bdb9cf83cebc", "cebae1bdb9cf83cebcceb5"]),
        ("6.7", ["00", "c280", "e0a080", "f0908080"]), ("6.9", ["7f", "dfbf", "efbfbf", "f48fbfbf"]),
        ("6.11", ["ed9fbf", "ee8080", "efbfbd", "f48fbfbf"]),
        ("6.22", ["efbfbe", "efbfbf"] + (1...16).flatMap { [nonCharacter($0, 0xBE), nonCharacter($0, 0xBF)] }),
        ("6.23", ["efbfb9", "efbfba", "efbfbb", "efbfbc", "efbfbd", "efbfbe", "efbfbf"]),
    ]

    static let invalid: [(String, [String])] = [
        ("6.6", ["ce", "cebae1", "cebae1bd", "cebae1bdb9cf", "cebae1bdb9cf83ce", "cebae1bdb9cf83cebcce"]),
        ("6.8", ["f888808080", "fc8480808080"]), ("6.10", ["f7bfbfbf", "fbbfbfbfbf", "fdbfbfbfbfbf"]),
        ("6.11.5", ["f4908080"]),
        ("6.12", ["80", "bf", "80bf", "80bf80", "80bf80bf", "80bf80bf80", "80bf80bf80bf", hexadecimal(0x80...0xBF)]),
        ("6.13", [0xC0...0xDF, 0xE0...0xEF, 0xF0...0xF7, 0xF8...0xFB, 0xFC...0xFD].map(lonely)),
        ("6.14", ["c0", "e080", "f08080", "f8808080", "fc80808080", "df", "efbf", "f7bfbf", "fbbfbfbf", "fdbfbfbfbf"]),
        ("6.15", ["c0e080f08080f8808080fc80808080dfefbff7bfbffbbfbfbffdbfbfbfbf"]),
        ("6.16", ["fe", "ff", "fefeffff"]),
        ("6.17", ["c0af", "e080af", "f08080af", "f8808080af", "fc80808080af"]),
        ("6.18", ["c1bf", "e09fbf", "f08fbfbf", "f887bfbfbf", "fc83bfbfbfbf"]),
        ("6.19", ["c080", "e08080", "f0808080", "f880808080", "fc8080808080"]),
        ("6.20", ["eda080", "edadbf", "edae80", "edafbf", "edb080", "edbe80", "edbfbf"]),
        ("6.21", ["eda080edb080", "eda080edbfbf", "edadbfedb080", "edadbfedbfbf"]),
        ("6.21.5", ["edae80edb080", "edae80edbfbf", "edafbfedb080", "edafbfedbfbf"]),
    ]

    /// U+nFFFE or U+nFFFF.
    private static func nonCharacter(_ plane: Int, _ last: UInt8) -> String {
        let scalar = Unicode.Scalar(UInt32(plane << 16 | 0xFF00 | (last == 0xBE ? 0xFE : 0xFF)))
        return Array(String(scalar.map(Character.init) ?? " ").utf8).hexadecimal
    }

    private static func hexadecimal(_ bytes: ClosedRange<UInt8>) -> String { bytes.hexadecimal }

    /// First bytes of sequences, each with a space after it.
    private static func lonely(_ first: ClosedRange<UInt8>) -> String { first.flatMap { [$0, 0x20] }.hexadecimal }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test("6.5 to 6.23: A text of valid UTF-8 is received", arguments: valid)
    func accepts(section: String, texts: [String]) {
        for text in texts {
            let bytes = Self.bytes(text)
            let message = WebSocketEvent.text(String(decoding: bytes, as: UTF8.self))
            let example = WebSocketCase("\(section) \(text)", [RawFrame(opcode: 1, payload: bytes)], [message])
            let again = WebSocketCase("\(section) \(text), octets", Self.octets(bytes), [message])
            #expect(example.faults() + again.faults() == [])
        }
    }

    @Test("6.6 to 6.21: A text of invalid UTF-8 fails with close code 1007", arguments: invalid)
    func refuses(section: String, texts: [String]) {
        for text in texts {
            let bytes = Self.bytes(text)
            let frame = RawFrame(opcode: 1, payload: bytes)
            let example = WebSocketCase("\(section) \(text)", [frame], fails: .invalidPayload)
            let again = WebSocketCase("\(section) \(text), octets", Self.octets(bytes), fails: .invalidPayload)
            #expect(example.faults() + again.faults() == [])
        }
    }
}

/// For expectations, whose closures cannot call a mutating method of a value that is not copyable.
func next(_ machine: inout WebSocketMachine) throws(WebSocketFailure) -> WebSocketEvent? { try machine.next() }
