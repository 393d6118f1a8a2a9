/// The fields of a date in one of the three formats, checked as far as that needs no calendar.
struct HTTPDateFields {
    private(set) var year: Int64 = 0
    private(set) var month: Int64 = 0
    private(set) var day: Int64 = 0
    private var time: Substring = ""
    private(set) var hasShortYear = false

    static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    init?(_ text: String) {
        let words = text.lowercased().split(separator: " ")
        guard let first = words.first, Self.isWeekday(first) else { return nil }
        let isRead =
            switch words.count {
            case 6 where words[5] == "gmt": read(day: words[1], month: words[2], year: words[3], time: words[4])
            case 4 where words[3] == "gmt": readDashed(words[1], time: words[2])
            case 5: read(day: words[2], month: words[1], year: words[4], time: words[3])
            default: false
            }
        guard isRead else { return nil }
    }

    /// Seconds since midnight; `nil` if invalid. A leap second is the first second of the next minute.
    var secondOfDay: Int64? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
        guard let hour = Self.number(parts[0]), let minute = Self.number(parts[1]), let second = Self.number(parts[2])
        else { return nil }
        guard hour < 24, minute < 60, second <= 60 else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private mutating func readDashed(_ date: Substring, time: Substring) -> Bool {
        let parts = date.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return false }
        hasShortYear = parts[2].utf8.count == 2
        return read(day: parts[0], month: parts[1], year: parts[2], time: time)
    }

    private mutating func read(day: Substring, month: Substring, year: Substring, time: Substring) -> Bool {
        guard let index = Self.months.firstIndex(of: String(month)), let day = Self.number(day),
            let number = Self.number(year),
            year.utf8.count == 4 || hasShortYear, 1...31 ~= day
        else { return false }
        (self.day, self.month, self.year, self.time) = (day, Int64(index) + 1, number, time)
        return true
    }

    /// - Parameter word: A word in lower case.
    static func isWeekday(_ word: some StringProtocol) -> Bool {
        let name = word.last == "," ? word.dropLast() : word[...]
        return weekdays.contains { $0 == name || $0.prefix(3) == name }
    }

    /// A number of up to four digits.
    private static func number(_ digits: Substring) -> Int64? {
        digits.utf8.count <= 4 && digits.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(digits) : nil
    }
}
