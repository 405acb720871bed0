import ScrubBase
import Testing

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("a%20b", "a b"), ("%41%5a", "AZ"), ("%e2%82%AC", "€"), ("%2F%2e%2e", "/.."), ("%2541", "%41"),
        ("ü", "ü"), ("a+b", "a+b"),
        ("%00", "\0"),
    ])
    func sequencesBecomeBytes(text: String, meaning: String) {
        #expect(PercentEncoding.bytes(of: text, keepsBroken: false) == Array(meaning.utf8))
        #expect(PercentEncoding.bytes(of: text, keepsBroken: true) == Array(meaning.utf8))
    }

    /// A sign and a digit are a number to Swift's own reader, and no sequence.
    @Test(arguments: [
        ("42%", "42%"), ("%4", "%4"), ("%+1", "%+1"), ("%-1", "%-1"), ("%g0", "%g0"), ("%%41", "%A"), ("%４１", "%４１"),
    ])
    func brokenSequencesAreKeptOrDropped(text: String, meaning: String) {
        #expect(PercentEncoding.bytes(of: text, keepsBroken: false) == nil)
        #expect(PercentEncoding.bytes(of: text, keepsBroken: true) == Array(meaning.utf8))
    }

    @Test func bytesNeedNotBeText() {
        #expect(PercentEncoding.bytes(of: "%ff%80", keepsBroken: false) == [0xFF, 0x80])
    }

    @Test func everyByteComesBack() {
        let all = (0...255).map { UInt8($0) }
        for digits in ["0123456789abcdef", "0123456789ABCDEF"].map(Array.init) {
            let text = all.map { "%\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
            #expect(PercentEncoding.bytes(of: text, keepsBroken: false) == all)
        }
    }
}
