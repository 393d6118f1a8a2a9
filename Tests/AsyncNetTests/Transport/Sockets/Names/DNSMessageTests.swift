import Foundation
import Testing

@testable import AsyncNet

/// Messages of DNS as bytes, which name servers may write as they like.
@Suite("DNS messages")
struct DNSMessageTests {
    private static func question(_ name: String = "a.example", _ kind: DNSQuestion.Kind = .a) throws -> DNSQuestion {
        DNSQuestion(name: try #require(DNSName(name)), kind: kind)
    }

    private static func read(_ message: [UInt8], _ kind: DNSQuestion.Kind = .a) throws -> [String] {
        try question("a.example", kind).addresses(in: message).map { "\($0.text) \($0.timeToLive / .seconds(1))" }
    }

    @Test("A DNS query has ID 0 and the flag for recursion")
    func query() throws {
        let bytes: [UInt8] =
            [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1] + Array("a".utf8) + [7] + Array("example".utf8) + [0, 0, 28, 0, 1]
        #expect(try Self.question("A.Example.", .aaaa).message == bytes)
    }

    @Test(
        "A name that DNS cannot have is refused",
        arguments: [
            ("a", true), ("a.", true), ("_a-b.c", true), ("", false), (".", false), ("a..b", false), (".a", false),
            (String(repeating: "a", count: 63), true), (String(repeating: "a", count: 64), false),
            (Array(repeating: "abcdefg", count: 31).joined(separator: ".") + ".abcde", true),
            (Array(repeating: "abcdefg", count: 31).joined(separator: ".") + ".abcdef", false),
        ])
    func names(_ text: String, _ isValid: Bool) {
        #expect((DNSName(text) != nil) == isValid)
        if let name = DNSName(text) { #expect(name.bytes.count <= 255) }
    }

    // MARK: Answers

    @Test(
        "An address has the shortest time to live of its record and the aliases that lead to it",
        arguments: [
            (
                [.address("a.example", [192, 0, 2, 1], 60), .address("A.EXAMPLE", [192, 0, 2, 2], 30)],
                ["192.0.2.1 60.0", "192.0.2.2 30.0"]
            ),
            ([.alias("a.example", to: "b.example", 5), .address("b.example", [192, 0, 2, 1], 60)], ["192.0.2.1 5.0"]),
            // Aliases in any order, two of them in a row.
            (
                [
                    .address("c.example", [192, 0, 2, 1], 60), .alias("b.example", to: "c.example", 70),
                    .alias("a.example", to: "b.example", 80),
                ], ["192.0.2.1 60.0"]
            ),
            // Records of other names, and of another type, are left out.
            (
                [.address("evil.example", [6, 6, 6, 6], 60), .address("a.example", [192, 0, 2, 1], 60)],
                ["192.0.2.1 60.0"]
            ),
            (
                [
                    .address("a.example", [UInt8](repeating: 1, count: 16), 60),
                    .address("a.example", [192, 0, 2, 1], 0),
                ],
                ["192.0.2.1 0.0"]
            ),
            // A time whose highest bit is set is none (RFC 2181 §8).
            ([.address("a.example", [192, 0, 2, 1], 0x8000_0000)], ["192.0.2.1 0.0"]),
            ([.address("a.example", [192, 0, 2, 1], 0x7FFF_FFFF)], ["192.0.2.1 2147483647.0"]),
        ] as [([DNSAnswer.Record], [String])])
    func answers(_ records: [DNSAnswer.Record], _ expected: [String]) throws {
        #expect(try Self.read(DNSAnswer(records: records).message(to: Self.question())) == expected)
    }

    @Test("The addresses of an AAAA answer are in canonical form")
    func ipv6() throws {
        let data: [UInt8] = [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
        let answer = DNSAnswer(records: [.address("a.example", data, 60)])
        #expect(try Self.read(answer.message(to: Self.question("a.example", .aaaa)), .aaaa) == ["2001:db8::1 60.0"])
    }

    @Test(
        "An answer without addresses is a failure with its reason",
        arguments: [
            (DNSAnswer(code: 3), .noSuchName), (DNSAnswer(), .noData), (DNSAnswer(code: 2), .refused(2)),
            (DNSAnswer(code: 5), .refused(5)), (DNSAnswer(code: 15), .refused(15)),
            (DNSAnswer(records: [.alias("a.example", to: "b.example", 5)]), .noData),
            (
                DNSAnswer(records: [.alias("a.example", to: "a.example", 5)]),
                .malformed("it has more than 16 aliases in a row")
            ),
            (
                DNSAnswer(records: [.alias("a.example", to: "b.example", 5), .alias("b.example", to: "a.example", 5)]),
                .malformed("it has more than 16 aliases in a row")
            ),
            (
                DNSAnswer(records: [.bytes([0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 3, 1, 2, 3])]),
                .malformed("an address has a wrong length")
            ),
            (DNSAnswer(records: [.bytes([0xC0, 12, 0, 5, 0, 1, 0, 0, 0, 1, 0, 3, 1, 97, 0, 0])]), .noData),
            (
                DNSAnswer(records: [.bytes([0xC0, 12, 0, 5, 0, 1, 0, 0, 0, 1, 0, 4, 1, 97, 0, 0])]),
                .malformed("an alias has a wrong length")
            ),
            // Of class CHAOS.
            (DNSAnswer(records: [.bytes([0xC0, 12, 0, 1, 0, 3, 0, 0, 0, 1, 0, 4, 1, 2, 3, 4])]), .noData),
            (DNSAnswer(records: [.bytes([0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0xFF, 0xFF, 1, 2, 3, 4])]), .truncated),
            (DNSAnswer(records: [.bytes([])]), .truncated),
            // Pointers forward, to themselves, and in a circle of two.
            (DNSAnswer(records: [.bytes([0xC0, 200])]), .malformed("a name's pointer does not lead backwards")),
            (DNSAnswer(records: [.bytes([0xC0, 27])]), .malformed("a name's pointer does not lead backwards")),
            (DNSAnswer(records: [.bytes([1, 97, 0xC0, 27])]), .malformed("a name's pointer does not lead backwards")),
            (DNSAnswer(records: [.bytes([0xC0])]), .truncated), (DNSAnswer(records: [.bytes([63, 97])]), .truncated),
            (DNSAnswer(records: [.bytes([0x40, 97])]), .malformed("a label has an unknown form")),
            (DNSAnswer(records: [.bytes([0x80, 97])]), .malformed("a label has an unknown form")),
        ] as [(DNSAnswer, DNSFailure)])
    func failures(_ answer: DNSAnswer, _ expected: DNSFailure) throws {
        let message = try answer.message(to: Self.question())
        #expect(throws: expected) { try Self.read(message) }
    }

    @Test("An answer with a name of pointers and labels above 255 bytes is malformed")
    func longNames() throws {
        let label = [UInt8(63)] + [UInt8](repeating: 97, count: 63)
        // Four labels at the end of the question's name are too many with the pointer to it.
        let answer = DNSAnswer(records: [.bytes(label + label + label + label + [0xC0, 12])])
        let message = try answer.message(to: Self.question())
        #expect(throws: DNSFailure.malformed("a name is longer than 255 bytes")) { try Self.read(message) }
    }

    @Test(
        "A message that does not answer the question is a failure",
        arguments: [
            (2, 0x01, DNSFailure.malformed("it is no response to a query")),
            (2, 0xA1, .malformed("it is no response to a query")), (2, 0x83, .truncated),
            (5, 0, .malformed("it answers another question")), (5, 2, .malformed("it answers another question")),
            (13, 98, .malformed("it answers another question")), (24, 28, .malformed("it answers another question")),
            (26, 3, .malformed("it answers another question")), (7, 2, .truncated),
        ] as [(Int, UInt8, DNSFailure)])
    func otherMessages(_ place: Int, _ byte: UInt8, _ expected: DNSFailure) throws {
        var message = try DNSAnswer(records: [.address("a.example", [192, 0, 2, 1], 60)]).message(to: Self.question())
        message[place] = byte
        #expect(throws: expected) { try Self.read(message) }
    }

    // MARK: Anything

    @Test("A DNS answer that is cut at any byte throws .truncated")
    func cut() throws {
        let records: [DNSAnswer.Record] = [
            .alias("a.example", to: "b.example", 5), .address("b.example", [192, 0, 2, 1], 60),
        ]
        let message = try DNSAnswer(records: records).message(to: Self.question())
        #expect(try Self.read(message) == ["192.0.2.1 5.0"])
        for length in 0..<message.count {
            #expect(throws: DNSFailure.truncated) { try Self.read(Array(message[..<length])) }
        }
    }

    @Test("Mutated DNS answers are read as addresses or a failure")
    func fuzz() throws {
        var random = Fuzzing.random(37)
        let records: [DNSAnswer.Record] = [
            .alias("a.example", to: "b.a.example", 5), .address("b.a.example", [192, 0, 2, 1], 60),
            .address("a.example", [192, 0, 2, 2], 60),
        ]
        let message = try DNSAnswer(records: records).message(to: Self.question())
        for _ in 0..<Fuzzing.inputs(2000) {
            var changed = message
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 12..<changed.count, using: &random)
                changed[place] = Bool.random(using: &random) ? 0xC0 : .random(in: 0...255, using: &random)
            }
            do {
                let found = try Self.read(changed)
                #expect(!found.isEmpty)
            } catch { #expect(error is DNSFailure) }
        }
    }
}
