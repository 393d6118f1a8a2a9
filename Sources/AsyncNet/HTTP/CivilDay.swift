/// A day of the Gregorian calendar without a time zone, converted to and from its number since 1970-01-01. Months and
/// days of a month begin with 1.
///
/// Uses eras of 400 years that begin in March, so that the leap day is the last day of a year.
struct CivilDay: Hashable {
    let year: Int64
    let month: Int64
    let day: Int64

    init(year: Int64, month: Int64, day: Int64) {
        (self.year, self.month, self.day) = (year, month, day)
    }

    init(days: Int64) {
        let shifted = days + Self.daysBefore1970
        let era = (shifted >= 0 ? shifted : shifted - (Self.daysPerEra - 1)) / Self.daysPerEra
        let dayOfEra = shifted - era * Self.daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01. February 30, which does not exist, is the day after February 29 and so on.
    var days: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * Self.daysPerEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - Self.daysBefore1970
    }

    var exists: Bool { CivilDay(days: days) == self }

    func addingYears(_ years: Int64) -> CivilDay { CivilDay(year: year + years, month: month, day: day) }

    private static let daysPerEra: Int64 = 146_097
    private static let daysBefore1970: Int64 = 719_468
}
