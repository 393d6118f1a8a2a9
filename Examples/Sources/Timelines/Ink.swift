/// How text is coloured on a terminal; elsewhere it stays plain.
package struct Ink: Sendable {
    package enum Colour: String, Sendable {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case blue = "34"
        case brightBlue = "94"
        case magenta = "35"
        case cyan = "36"
        case grey = "90"
        case bold = "1"
    }

    package let isColoured: Bool
    /// Whether bars are blocks, which need colours and Unicode, instead of letters.
    package let drawsBlocks: Bool

    package static let plain = Ink(isTerminal: false, environment: [:])

    /// Colours on a terminal, unless `NO_COLOR` is set (no-color.org) or the terminal has none.
    package init(isTerminal: Bool, environment: [String: String]) {
        isColoured = isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        drawsBlocks = isColoured && locale.uppercased().replacing("-", with: "").hasSuffix("UTF8")
    }

    package func paint(_ text: String, _ colour: Colour?) -> String {
        guard isColoured, let colour else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }

    /// Blocks of two halves each, with an escape sequence for each change of colour.
    func blocks(_ cells: [(left: Phase?, right: Phase?)]) -> String {
        var (text, colour) = ("", "")
        for cell in cells {
            let (block, next) = Self.block(cell.left, cell.right)
            if next != colour { text += (colour.isEmpty ? "" : "\u{1B}[0m") + (next.isEmpty ? "" : "\u{1B}[\(next)m") }
            text += block
            colour = next
        }
        return colour.isEmpty ? text : "\(text)\u{1B}[0m"
    }

    private static func block(_ left: Phase?, _ right: Phase?) -> (String, colour: String) {
        switch (left?.colour, right?.colour) {
        case (nil, nil): (" ", "")
        case (let left?, nil): ("▌", left.rawValue)
        case (nil, let right?): ("▐", right.rawValue)
        case (let left?, let right?) where left == right: ("█", left.rawValue)
        case (let left?, let right?): ("▌", "\(left.rawValue);\(right.background)")
        }
    }

    /// The phases with the sign that bars have for each, in lines of at most so many columns.
    package func legend(of phases: [Phase] = Phase.allCases, columns: Int) -> [String] {
        let names = phases.map { "\($0.letter) \($0.title)" }
        guard drawsBlocks else { return Texts.lines(of: names, columns) }
        let blocks = phases.map { "\(paint("█", $0.colour)) \($0.title)" }
        return Texts.lines(of: blocks, widths: names.map(\.count), columns)
    }

    /// The colour of a status: success, redirect, error of the client, error of the server.
    package static func colour(ofStatus status: Int) -> Colour {
        switch status {
        case ..<300: .green
        case 300..<400: .cyan
        case 400..<500: .yellow
        default: .red
        }
    }
}

extension Ink.Colour {
    fileprivate var background: String {
        rawValue.hasPrefix("9") ? "10\(rawValue.suffix(1))" : "4\(rawValue.suffix(1))"
    }
}

extension Phase {
    package var title: String { self == .delay ? "retry delay" : rawValue }

    /// What a bar without colours shows.
    package var letter: String { self == .delay ? "." : String(rawValue.prefix(1)) }

    package var colour: Ink.Colour {
        switch self {
        case .delay: .red
        case .queue: .grey
        case .dns: .cyan
        case .connect: .yellow
        case .tls: .magenta
        case .send: .brightBlue
        case .wait: .green
        case .receive: .blue
        }
    }
}
