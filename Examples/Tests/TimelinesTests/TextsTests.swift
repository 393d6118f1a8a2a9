import Testing
import Timelines

@Suite("Texts")
struct TextsTests {
    @Test(
        "Times are written with a fitting unit",
        arguments: [(0.0, "0.0 ms"), (12.34, "12.3 ms"), (999.96, "1.00 s"), (1234, "1.23 s"), (125_000, "125 s")])
    func times(_ milliseconds: Double, _ text: String) { #expect(Texts.time(.ms(milliseconds)) == text) }

    @Test(
        "Sizes are written with a fitting unit",
        arguments: [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_950, "1.0 MB"), (4_200_000_000, "4.2 GB")])
    func sizes(_ bytes: Int64, _ text: String) { #expect(Texts.size(bytes) == text) }

    @Test(
        "Ticks are written without needless digits",
        arguments: [(0.0, "0"), (0.2, "0.2 ms"), (50, "50 ms"), (1000, "1 s"), (1500, "1.5 s")])
    func ticks(_ milliseconds: Double, _ text: String) { #expect(Texts.tick(.ms(milliseconds)) == text) }

    @Test(
        "Characters that steer a terminal are replaced",
        arguments: [
            ("a b ü 日", "a b ü 日"), ("\u{1B}[2J", "\u{FFFD}[2J"), ("a\r\nb", "a\u{FFFD}\u{FFFD}b"),
            ("\u{9B}31m", "\u{FFFD}31m"), ("a\u{202E}b", "a\u{FFFD}b"), ("a\u{2028}b", "a\u{FFFD}b"),
        ])
    func printable(_ text: String, _ shown: String) { #expect(Texts.printable(text) == shown) }

    @Test(
        "Long text loses its middle",
        arguments: [(8, "abcdefgh"), (7, "abc..gh"), (6, "ab..gh"), (4, "abcd"), (0, ""), (-1, "")])
    func shortened(_ width: Int, _ text: String) { #expect(Texts.shortened("abcdefgh", to: width) == text) }

    @Test(
        "Items are wrapped into lines",
        arguments: [(20, ["aa  bb  cc"]), (6, ["aa  bb", "cc"]), (5, ["aa", "bb", "cc"]), (1, ["aa", "bb", "cc"])])
    func lines(_ columns: Int, _ lines: [String]) { #expect(Texts.lines(of: ["aa", "bb", "cc"], columns) == lines) }
}
