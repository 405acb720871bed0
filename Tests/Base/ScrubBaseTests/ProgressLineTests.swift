import ScrubBase
import Testing

/// Progress on one line, whatever the terminal's width.
@Suite struct BarLineTests {
    private let line = ProgressLine("thumbnails", 0.5, [" 50 of 100", ", 12.5/s", ", 0:04.000 left"])

    @Test func aWideTerminalShowsEverything() {
        let text = line.text(columns: 120)
        #expect(text.hasPrefix("thumbnails ███████████████░░░░░░░░░░░░░░░ 50 of 100, 12.5/s, 0:04.000 left"))
    }

    @Test(arguments: 0...120)
    func itNeverWraps(_ columns: Int) {
        #expect(line.text(columns: columns).count <= max(0, columns - 1))
        #expect(
            ProgressLine("a label that is longer than many terminals", 1, []).text(columns: columns).count
                < max(1, columns))
    }

    @Test func aNarrowOneShowsTheMostImportant() {
        #expect(line.text(columns: 20) == "50 of 100")
        #expect(line.text(columns: 40).hasSuffix(" 50 of 100, 12.5/s"))
    }

    @Test(arguments: [-1.0, 0, 1, 2, .infinity])
    func anyFractionFits(_ fraction: Double) { #expect(ProgressLine("x", fraction, []).text(columns: 80).count == 32) }
}
