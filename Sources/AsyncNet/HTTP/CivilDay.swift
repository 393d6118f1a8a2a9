import Foundation

/// A day of the Gregorian calendar without a time zone, converted to and from its number since 1970-01-01.
struct CivilDay: Hashable {
    let year: Int64
    /// The month, from 1.
    let month: Int64
    /// The day of the month, from 1.
    let day: Int64
}

extension CivilDay {
    init(days: Int64) {
        var (seconds, fields) = (time_t(days * 86_400), tm())
        gmtime_r(&seconds, &fields)
        self.init(year: Int64(fields.tm_year) + 1900, month: Int64(fields.tm_mon) + 1, day: Int64(fields.tm_mday))
    }

    /// Days since 1970-01-01. February 30, which does not exist, is the day after February 29 and so on.
    var days: Int64 {
        var fields = tm()
        fields.tm_year = Int32(clamping: year - 1900)
        fields.tm_mon = Int32(clamping: month - 1)
        fields.tm_mday = Int32(clamping: day)
        return Int64(timegm(&fields)) / 86_400
    }

    /// Whether the calendar contains this day.
    var exists: Bool { CivilDay(days: days) == self }
}
