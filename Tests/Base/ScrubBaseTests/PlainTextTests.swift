import ScrubBase
import Testing

@Suite struct PlainTextTests {
    @Test func markupComesBack() {
        let text = "a<b>c&d\"e'f &amp; &#39; \u{E9}\u{1F4A9}\t\n"
        let markup = PlainText.markup(text)
        #expect(!markup.contains { "<>\"'".contains($0) })
        #expect(PlainText.text(ofMarkup: markup) == text)
    }

    @Test(arguments: [
        ("&lt;&gt;&quot;&apos;&amp;", "<>\"'&"), ("&#65;&#x41;&#x1F4a9;", "AA\u{1F4A9}"), ("&#0065;", "A"),
        // Once, not twice.
        ("&amp;lt;", "&lt;"), ("&#38;lt;", "&lt;"),
        // No references, or to no character: left alone.
        ("&", "&"), ("&;", "&;"), ("&lt", "&lt"), ("&LT;", "&LT;"), ("&nbsp;", "&nbsp;"), ("&#;", "&#;"),
        ("&#x;", "&#x;"), ("&#-65;", "&#-65;"), ("&#+65;", "&#+65;"), ("&#x+41;", "&#x+41;"), ("&#xD800;", "&#xD800;"),
        ("&#x110000;", "&#x110000;"), ("&#99999999999999999999;", "&#99999999999999999999;"), ("a & b; c", "a & b; c"),
    ]) func referencesAreResolved(_ markup: String, _ text: String) {
        #expect(PlainText.text(ofMarkup: markup) == text)
    }

    @Test func charactersThatXMLHasNoPlaceForAreReplaced() {
        #expect(PlainText.markup("a\u{0}\u{1B}\u{FFFE}b") == "a\u{FFFD}\u{FFFD}\u{FFFD}b")
    }

    @Test(arguments: [
        (0, "00:00:00.000", "0:00.000", "0:00"), (59_999, "00:00:59.999", "0:59.999", "0:59"),
        (60_000, "00:01:00.000", "1:00.000", "1:00"), (3_599_999, "00:59:59.999", "59:59.999", "59:59"),
        (3_600_000, "01:00:00.000", "1:00:00.000", "1:00:00"),
        (360_000_001, "100:00:00.001", "100:00:00.001", "100:00:00"), (-1, "00:00:00.000", "0:00.000", "0:00"),
        (.max, "2562047788015:12:55.807", "2562047788015:12:55.807", "2562047788015:12:55"),
    ]) func clocks(_ milliseconds: Int, _ full: String, _ short: String, _ whole: String) {
        #expect(PlainText.clock(milliseconds: milliseconds) == full)
        #expect(PlainText.shortClock(milliseconds: milliseconds) == short)
        #expect(PlainText.shortClock(milliseconds: milliseconds, isWhole: true) == whole)
    }
}
