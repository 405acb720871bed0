import ScrubBase
import ScrubTestSupport
import Testing

/// Names of files stand for their bytes in both directions.
@Suite struct SystemNameTests {
    @Test func anyBytesComeBack() {
        var random = SplitMix(13)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                // Often the bytes of the private planes' end, whose characters stand for other bytes.
                Bool.random(using: &random)
                    ? UInt8.random(in: 1...255, using: &random)
                    : [0xF4, 0x8F, 0xBE, 0xBF, 0x80].randomElement(using: &random)!
            }
            #expect(SystemName.bytes(SystemName.text(bytes)) == bytes)
        }
        for scalar in (0...0x10FFFF).compactMap({ Unicode.Scalar(UInt32($0)) }) where scalar.value % 97 == 0 {
            let bytes = Array(String(scalar).utf8)
            #expect(SystemName.bytes(SystemName.text(bytes)) == bytes)
        }
    }

    @Test func utf8IsItself() {
        for text in ["film.mp4", "日本語/é.mkv", "e\u{301}", "a\tb\nc", "\u{10FF7F}", ""] {
            #expect(SystemName.text(Array(text.utf8)) == text)
            #expect(!SystemName.isEscaped(text))
        }
    }

    @Test func invalidUTF8IsShownAsHexadecimal() {
        let name = SystemName.text([0x61, 0xE9, 0x0A, 0x1B, 0x5B, 0x62, 0xF4, 0x8F, 0xBF, 0xBF])
        #expect(name.shown == "a\\xe9\\n\\x1b[b\\xf4\\x8f\\xbf\\xbf")
        #expect(name.shownLines.contains("\n"))
        #expect("日本語 é\u{202E}".shown == "日本語 é\\u{202e}")
    }

    @Test func programsGetUnicode() {
        #expect(SystemName.unicode(SystemName.text([0x61, 0xE9])) == "a\u{FFFD}")
        #expect(SystemName.unicode("é\n") == "é\n")
    }
}
