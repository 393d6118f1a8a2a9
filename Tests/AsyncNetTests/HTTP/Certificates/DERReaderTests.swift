import Foundation
import Testing

@testable import AsyncNet

@Suite("DER of certificates")
struct DERReaderTests {
    private func read(_ bytes: [UInt8]) -> Result<DERReader.Element, DERReader.Malformed> {
        var reader = DERReader(bytes[...])
        return Result { () throws(DERReader.Malformed) in try reader.next() }
    }

    @Test(
        "A DER element is parsed into tag, length and content",
        arguments: [
            ([0x05, 0x00], 0), ([0x04, 0x01, 0xAA], 1), ([0x30, 0x7F] + [UInt8](repeating: 1, count: 127), 127),
            ([0x04, 0x81, 0x80] + [UInt8](repeating: 1, count: 128), 128),
            ([0x04, 0x82, 0x01, 0x00] + [UInt8](repeating: 1, count: 256), 256),
            ([0x04, 0x83, 0x01, 0x00, 0x00] + [UInt8](repeating: 1, count: 65_536), 65_536),
        ] as [([UInt8], Int)])
    func elements(_ bytes: [UInt8], _ count: Int) throws {
        let element = try read(bytes + [0xFF]).get()
        #expect(element.tag == bytes[0])
        #expect(element.content.count == count)
        #expect(Array(element.encoding) == bytes)
    }

    @Test(
        "Malformed DER is refused",
        arguments: [
            [], [0x30], [0x04, 0x02, 0x00], [0x1F, 0x01, 0x00], [0x30, 0x80, 0x00, 0x00], [0x04, 0x81],
            [0x04, 0x81, 0x7F] + [UInt8](repeating: 0, count: 127), [0x04, 0x82, 0x00, 0xFF],
            [0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x04, 0x85, 1, 0, 0, 0, 0], [0x04, 0x88, 1, 0, 0, 0, 0, 0, 0, 0],
            [0x04, 0xFF],
        ] as [[UInt8]])
    func malformed(_ bytes: [UInt8]) {
        let result = read(bytes)
        #expect(throws: DERReader.Malformed.self) { try result.get() }
    }

    @Test("A DER element with another tag than requested is not consumed")
    func types() throws {
        var reader = DERReader([0x02, 0x01, 0x05, 0x30, 0x00])
        #expect(try reader.nextIf(DERReader.Tag.sequence) == nil)
        #expect(try reader.next(DERReader.Tag.integer).content == [5])
        #expect(throws: DERReader.Malformed.self) { try reader.next(DERReader.Tag.integer) }
        #expect(try reader.enter().isAtEnd)
        #expect(reader.isAtEnd)
    }

    @Test(
        "A DER object identifier is parsed into its arcs; a truncated arc or one beyond 64 bits is refused",
        arguments: [
            ([0x55, 0x04, 0x03], "2.5.4.3"), ([0x55, 0x1D, 0x11], "2.5.29.17"), ([0x2A, 0x86, 0x48], "1.2.840"),
            ([0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 0x01, 0x19], "0.9.2342.19200300.100.1.25"),
            ([0x88, 0x37], "2.999"), ([0x27], "0.39"), ([], nil), ([0x80], nil), ([0x55, 0x84], nil),
            ([0x2A] + [UInt8](repeating: 0xFF, count: 10) + [0x7F], nil),
        ] as [([UInt8], String?)])
    func identifiers(_ content: [UInt8], _ text: String?) {
        #expect(DERObjectIdentifier(content[...])?.text == text)
    }

    @Test(
        "UTCTime has years from 1950 to 2049, GeneralizedTime has years of four digits (RFC 5280 §4.1.2.5)",
        arguments: [
            (0x17, "260102030405Z", 1_767_323_045), (0x17, "491231235959Z", 2_524_607_999),
            (0x17, "500101000000Z", -631_152_000), (0x18, "20500101000000Z", 2_524_608_000),
            (0x18, "99991231235959Z", 253_402_300_799), (0x17, "240229000000Z", 1_709_164_800),
            (0x17, "230229000000Z", nil), (0x17, "261301000000Z", nil), (0x17, "260100000000Z", nil),
            (0x17, "260101240000Z", nil), (0x17, "260101006000Z", nil), (0x17, "260101000060Z", nil),
            (0x17, "260102030405", nil), (0x17, "260102030405+", nil), (0x17, "2601020304Z", nil),
            (0x17, "26010203040:Z", nil), (0x18, "260102030405Z", nil), (0x13, "260102030405Z", nil), (0x17, "", nil),
        ] as [(UInt8, String, Double?)])
    func times(_ tag: UInt8, _ text: String, _ seconds: Double?) {
        let content = Array(text.utf8)[...]
        let element = DERReader.Element(tag: tag, content: content, encoding: content)
        #expect((try? CertificateTime(element))?.date.timeIntervalSince1970 == seconds)
    }
}
