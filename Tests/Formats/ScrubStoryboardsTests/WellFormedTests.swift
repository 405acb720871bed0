import ScrubBase
import ScrubStoryboards
import Testing

/// A presentation that is not well-formed XML is an error with its place, in a time that is linear in its bytes.
@Suite struct WellFormedTests {
    private static let head = #"<?xml version="1.0"?><MPD mediaPresentationDuration="PT10S">"#
    private static func inside(_ text: String) -> String { head + text + "</MPD>" }

    private func sets(_ text: String) throws -> Int {
        let keys = try Storyboard.DASHKeyPictures.sets(parsing: text)
        return keys.count + (try Storyboard.DASHTiles.sets(parsing: text)).count
    }

    @Test(arguments: [
        inside(""), inside("<A/><B></B>"), inside("<A a='1' b=\"2\"\n/>"), inside("text &amp; &#228; &#xE4;"),
        inside("<!-- a - b --><?pi x?><![CDATA[<A>]]>"), "\u{FEFF}" + inside("<a:B c:d=\"e\"></a:B >"),
        "<!DOCTYPE MPD>" + inside("").dropFirst(21) + "\n<!-- end -->\n", inside("<A a=\"b > c\"/>"),
    ])
    func takes(_ text: String) throws { #expect(try sets(text) == 0) }

    @Test(arguments: [
        "", " ", "MPD", head, "<MPD>", "</MPD>", inside("<A>"), inside("</A>"), inside("<A></B>"),
        inside("<A><B></A></B>"),
        inside("") + "<MPD/>", inside("") + "</MPD>", inside("") + "text", "text" + inside(""), " " + inside(""),
        inside("<A a='1' a='2'/>"), inside("<A a='1'b='2'/>"), inside("<A a/>"), inside("<A a=1/>"),
        inside("<A a='1/>"),
        inside("<A a='<'/>"), inside("<A a='&none;'/>"), inside("&none;"), inside("a & b"), inside("&#x;"),
        inside("<A/ >"), inside("</A/>"), inside("<A></A a='1'>"), inside("< A/>"), inside("<1/>"),
        inside("<!-- a -- b -->"),
        inside("<!-- a"), inside("<![CDATA[ a"), inside("<?pi"), inside("<!ELEMENT a>"),
        inside("<?xml version='1.0'?>"),
        "<!DOCTYPE MPD [<!ENTITY a \"b\">]><MPD a=\"&a;\"/>", inside("\u{1}"), inside("<A a='\u{2}'/>"),
    ])
    func refuses(_ text: String) {
        let error = #expect(throws: ScrubError.self) { try sets(text) }
        #expect(error?.code == .badData && error?.place?.description.hasPrefix("byte ") == true)
    }

    /// Each as long as 1.5 MB: with a quadratic reader these take hours, not seconds.
    @Test(arguments: [
        ("</Representation>", 90_000), ("<Representation>", 90_000), ("<!-- ", 300_000), ("<A a='1' ", 150_000),
        ("&a", 700_000), ("<![CDATA[", 150_000), ("<A b=\"", 200_000), ("<", 1_500_000), ("<?", 700_000),
        ("--", 700_000),
    ])
    func longTextsAreRefusedAtOnce(_ part: String, _ count: Int) {
        #expect(throws: ScrubError.self) { try sets(Self.head + String(repeating: part, count: count)) }
    }

    /// A list of segments belongs to one representation, however deep it is inside others.
    @Test func nestedRepresentationsAreReadOnce() throws {
        let list = """
            <EssentialProperty schemeIdUri="http://dashif.org/guidelines/trickmode" value="0"/><SegmentList timescale="1">\
            <Initialization sourceURL="k.mp4" range="0-9"/><SegmentTimeline><S t="0" d="1" r="999"/></SegmentTimeline>
            """
        let urls = (0..<1000).map { "<SegmentURL media=\"k.mp4\" mediaRange=\"\(10 + $0)-\(10 + $0)\"/>" }.joined()
        let depth = 20_000
        let text = Self.inside(
            "<AdaptationSet codecs=\"avc1\" width=\"16\" height=\"16\">"
                + String(repeating: "<Representation>", count: depth) + list + urls + "</SegmentList>"
                + String(repeating: "</Representation>", count: depth) + "</AdaptationSet>")
        #expect(try Storyboard.DASHKeyPictures.sets(parsing: text).count == 1)
    }
}
