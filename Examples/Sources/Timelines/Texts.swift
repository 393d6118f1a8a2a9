import Foundation

/// Numbers and foreign text as both views show them.
package enum Texts {
    /// Such as `12.3 ms`, `1.23 s`.
    package static func time(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        if milliseconds < 999.95 { return String(format: "%.1f ms", milliseconds) }
        let seconds = duration / .seconds(1)
        return String(format: seconds < 99.995 ? "%.2f s" : "%.0f s", seconds)
    }

    /// A round time, such as `50 ms`, `0.2 ms`, `1.5 s`.
    package static func tick(_ duration: Duration) -> String {
        if duration == .zero { return "0" }
        let isShort = duration < .seconds(1)
        return String(format: isShort ? "%g ms" : "%g s", duration / (isShort ? .milliseconds(1) : .seconds(1)))
    }

    /// Such as `1234.5`.
    package static func milliseconds(_ duration: Duration) -> String {
        String(format: "%.1f", duration / .milliseconds(1))
    }

    /// Such as `512 B`, `12.3 kB`, `4.0 MB`.
    package static func size(_ bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        let units = ["kB", "MB", "GB", "TB"]
        var (value, unit) = (Double(bytes) / 1000, 0)
        while value >= 999.95, unit + 1 < units.count { (value, unit) = (value / 1000, unit + 1) }
        return String(format: "%.1f \(units[unit])", value)
    }

    /// `1 hop`, `2 hops`.
    package static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// Without characters that would move a terminal's cursor or the text around them, as foreign text may contain.
    package static func printable(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { shown.append(isPrintable(scalar) ? scalar : "\u{FFFD}") }
        return String(shown)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// At most so many characters, with dots in place of the middle.
    package static func shortened(_ text: String, to width: Int) -> String {
        guard text.count > width else { return text }
        guard width > 4 else { return String(text.prefix(max(0, width))) }
        let tail = (width - 2) / 2
        return "\(text.prefix(width - 2 - tail))..\(text.suffix(tail))"
    }

    /// Items in lines of at most so many columns, with two spaces between them.
    ///
    /// - Parameter widths: How many columns each item has on a terminal, if not one for each character.
    package static func lines(of items: [String], widths: [Int]? = nil, _ columns: Int) -> [String] {
        var lines: [String] = []
        var used = 0
        for (item, width) in zip(items, widths ?? items.map(\.count)) {
            if let last = lines.last, used + 2 + width <= columns {
                lines[lines.count - 1] = "\(last)  \(item)"
                used += 2 + width
            } else {
                lines.append(item)
                used = width
            }
        }
        return lines
    }

    package static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    package static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
