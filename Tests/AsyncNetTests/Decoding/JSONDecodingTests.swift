import Foundation
import Testing

@testable import AsyncNet

/// The dates that `.json(dates: .iso8601)` reads (RFC 3339 §5.6).
@Suite("Dates in JSON")
struct JSONDecodingTests {
    @Test(
        "RFC 3339 dates with whole or fractional seconds and any zone are parsed",
        arguments: [
            ("2026-01-31T12:00:00Z", 1_769_860_800), ("2026-01-31T12:00:00.5Z", 1_769_860_800.5),
            ("2026-01-31T12:00:00.123456789012345Z", 1_769_860_800.123456789),
            ("2026-01-31T14:00:00+02:00", 1_769_860_800),
            ("2026-01-31T14:00:00+0200", 1_769_860_800), ("2026-01-31T14:00:00.5+02", 1_769_860_800.5),
            ("2026-01-31T10:30:00.25-01:30", 1_769_860_800.25),
        ])
    func dates(_ text: String, _ seconds: Double) throws {
        let date = try #require(ISO8601.date(text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.000_001)
    }

    @Test(
        "A text that is not an RFC 3339 date is not parsed",
        arguments: [
            "", "2026-01-31", "2026-01-31T12:00:00", "2026-01-31T12:00:00Zjunk", "2026-01-31T12:00:00.5Z1",
            "2026-01-31T12:00:00+02:00x", "2026-01-31T12:00:00+020", "2026-01-31T12:00:00+",
            "2026-01-31T12:00:00+02:00:00", "2026-01-31T12:00:00..5Z",
            "2026-13-31T12:00:00Z", "now",
        ])
    func others(_ text: String) {
        #expect(ISO8601.date(text) == nil)
    }

    @Test("A text that is not a date is a DecodingError with dates: .iso8601")
    func error() {
        let decoder: JSONDecoder = .json(dates: .iso8601)
        #expect(throws: DecodingError.self) { try decoder.decode([Date].self, from: Data(#"["now"]"#.utf8)) }
    }
}
