import Foundation

/// A time in a certificate (RFC 5280 §4.1.2.5): `YYMMDDHHMMSSZ` in the years 1950 to 2049, or `YYYYMMDDHHMMSSZ`.
struct CertificateTime: Equatable {
    let date: Date

    init(_ element: DERReader.Element) throws(DERReader.Malformed) {
        guard let date = Self.date(element) else { throw DERReader.Malformed(reason: "a time is not valid") }
        self.date = date
    }

    private static func date(_ element: DERReader.Element) -> Date? {
        let yearDigits = element.tag == DERReader.Tag.generalizedTime ? 4 : 2
        guard [DERReader.Tag.utcTime, DERReader.Tag.generalizedTime].contains(element.tag),
            element.content.count == yearDigits + 11, element.content.last == UInt8(ascii: "Z"),
            element.content.dropLast().allSatisfy({ $0 &- 0x30 < 10 })
        else { return nil }
        let digits = element.content.dropLast().map { Int64($0 - 0x30) }
        let pairs = stride(from: digits.count - 10, to: digits.count, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
        var year = digits.prefix(yearDigits).reduce(0) { $0 * 10 + $1 }
        if yearDigits == 2 { year += year < 50 ? 2000 : 1900 }
        let day = CivilDay(year: year, month: pairs[0], day: pairs[1])
        guard (1...12).contains(pairs[0]), day.exists, pairs[2] < 24, pairs[3] < 60, pairs[4] < 60 else { return nil }
        return Date(timeIntervalSince1970: Double(day.days * 86_400 + pairs[2] * 3600 + pairs[3] * 60 + pairs[4]))
    }
}
