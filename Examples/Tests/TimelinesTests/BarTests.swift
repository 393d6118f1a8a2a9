import Testing
import Timelines

/// Bars, their scale and their colours.
@Suite("Bars")
struct BarTests {
    private let scale = Scale(from: .zero, to: .ms(10))

    @Test(
        "A cell has the phase that has most of its time",
        arguments: [
            ([Segment(.wait, 0, 10)], "wwwwwwwwww"),
            ([Segment(.queue, 0, 3), Segment(.wait, 3, 7)], "qqqwwww   "),
            ([Segment(.queue, 2.2, 2.6), Segment(.wait, 2.6, 4)], "  qw      "),
            ([Segment(.queue, 2.2, 2.4), Segment(.wait, 2.4, 4)], "  ww      "),
            ([Segment(.wait, 4.5, 4.501)], "    w     "),
            ([Segment(.wait, 9.999, 10)], "         w"),
            ([Segment(.wait, -5, 2), Segment(.receive, 8, 50)], "ww      rr"),
            ([Segment(.delay, 0, 2), Segment(.wait, 3, 3)], "..        "),
            ([], "          "),
        ])
    func cells(_ segments: [Segment], _ text: String) {
        #expect(Bar(scale, columns: 10).text(of: segments, .plain) == text)
    }

    @Test("Blocks show two cells each, and change their colour once for each change of phase")
    func blocks() {
        let ink = Ink(isTerminal: true, environment: ["LANG": "en_US.UTF-8", "TERM": "xterm"])
        let segments = [Segment(.queue, 0, 2), Segment(.wait, 2, 5), Segment(.receive, 5, 7)]
        let text = Bar(scale, columns: 5).text(of: segments, ink)
        let plain = text.replacing("\u{1B}[", with: "<").replacing("<0m", with: "</>")
        #expect(plain == "<90m█</><32m█</><32;44m▌</><34m▌</> ")
    }

    struct InkCase: Sendable {
        let isTerminal: Bool
        let environment: [String: String]
        let isColoured: Bool
        let drawsBlocks: Bool
    }

    @Test(
        "Colours need a terminal that has them, and blocks Unicode",
        arguments: [
            InkCase(isTerminal: false, environment: ["LANG": "C.UTF-8"], isColoured: false, drawsBlocks: false),
            InkCase(isTerminal: true, environment: ["LANG": "C.UTF-8"], isColoured: true, drawsBlocks: true),
            InkCase(isTerminal: true, environment: ["LANG": "de_DE.utf8"], isColoured: true, drawsBlocks: true),
            InkCase(isTerminal: true, environment: [:], isColoured: true, drawsBlocks: false),
            InkCase(
                isTerminal: true, environment: ["LANG": "C.UTF-8", "LC_ALL": "C"], isColoured: true, drawsBlocks: false),
            InkCase(
                isTerminal: true, environment: ["LANG": "C.UTF-8", "NO_COLOR": "1"], isColoured: false,
                drawsBlocks: false),
            InkCase(isTerminal: true, environment: ["NO_COLOR": ""], isColoured: true, drawsBlocks: false),
            InkCase(isTerminal: true, environment: ["TERM": "dumb"], isColoured: false, drawsBlocks: false),
        ])
    func ink(_ test: InkCase) {
        let ink = Ink(isTerminal: test.isTerminal, environment: test.environment)
        #expect(ink.isColoured == test.isColoured && ink.drawsBlocks == test.drawsBlocks)
        #expect(ink.paint("a", .red) == (test.isColoured ? "\u{1B}[31ma\u{1B}[0m" : "a"))
    }

    @Test(
        "The ticks of a scale are at round times",
        arguments: [(10.0, 6, [0.0, 2, 4, 6, 8, 10]), (288.7, 8, [0, 50, 100, 150, 200, 250]), (0.5, 2, [0, 0.5])])
    func ticks(_ end: Double, _ limit: Int, _ expected: [Double]) {
        #expect(Scale(from: .ms(7), to: .ms(7 + end)).ticks(limit: limit) == expected.map { .ms($0) })
    }

    @Test("A scale of no time has a length")
    func emptyScale() {
        let scale = Scale(from: .ms(5), to: .ms(5))
        #expect(scale.fraction(of: .ms(5)) == 0 && scale.fraction(of: .ms(6)) == 1 && !scale.ticks(limit: 5).isEmpty)
    }
}
