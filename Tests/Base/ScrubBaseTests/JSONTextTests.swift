import Foundation
import ScrubBase
import Testing

/// The writer against Foundation's reader.
@Suite struct JSONTextTests {
    private func read(_ json: JSONText) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any], "\(json.text)")
    }

    @Test func everyCharacterComesBack() throws {
        // All that must be written otherwise (RFC 8259, section 7), characters that may stay as they are, and both
        // sides of the surrogates.
        let scalars =
            (0..<0x250).map { UInt32($0) } + [
                0x2028, 0x2029, 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x1_0000, 0x1_F4A9, 0x10_FFFF,
            ]
        for scalar in scalars.compactMap(Unicode.Scalar.init) {
            let text = "a\(scalar)b"
            var json = JSONText()
            json.add(text, text)
            let found = try read(json)
            #expect(found.count == 1)
            #expect((found[text] as? String).map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
        }
    }

    @Test func controlCharactersAreNeverWrittenAsTheyAre() {
        var json = JSONText()
        json.add("text", String(String.UnicodeScalarView((0..<0x20).compactMap { Unicode.Scalar($0) })))
        #expect(json.text.utf8.allSatisfy { $0 >= 0x20 })
        #expect(json.text.contains(#"\u0000\u0001"#) && json.text.contains(#"\t\n\u000b\u000c\r"#))
    }

    /// Printed text is made harmless for terminals; nothing of JSON may need that, or it would not be JSON any more.
    @Test func nothingOfItIsReplacedOnTheWayToATerminal() throws {
        var json = JSONText()
        for scalar in (0..<0x3000).map({ UInt32($0) }) + [0xFEFF, 0x1_F4A9, 0x10_FF7F, 0x10_FF80, 0x10_FFFF] {
            if let scalar = Unicode.Scalar(scalar) { json.add("key", "\(scalar)") }
        }
        #expect(json.text.shownLines == json.text)
    }

    @Test(
        arguments: [
            [0xFF], [0xC3], [0xC0, 0xAF], [0xE2, 0x82], [0xF4, 0x90, 0x80, 0x80],
            // A lone surrogate, and a pair of them, as CESU-8 has it.
            [0xED, 0xA0, 0x80], [0xED, 0xA0, 0xBD, 0xED, 0xB2, 0xA9],
        ] as [[UInt8]]) func invalidUTF8BecomesReplacementCharacters(_ bytes: [UInt8]) throws
    {
        var json = JSONText()
        json.add("name", String(decoding: Array("a".utf8) + bytes + Array("b".utf8), as: UTF8.self))
        let name = try #require(try read(json)["name"] as? String)
        #expect(name.hasPrefix("a\u{FFFD}") && name.hasSuffix("\u{FFFD}b"))
        #expect(String(validating: json.text.utf8, as: UTF8.self) != nil)
    }

    @Test(arguments: [.min, -1, 0, 1, 1 << 53 + 1, .max] as [Int64]) func wholeNumbersKeepEveryDigit(_ number: Int64) {
        var json = JSONText()
        json.add("a", number)
        json.add("b", Int(number))
        #expect(json.text == "{\"a\":\(number),\"b\":\(number)}")
    }

    @Test(arguments: [0.0, -0.0, 0.1, -1.5, 1e16, 1e-7, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude])
    func finiteNumbersComeBack(_ number: Double) throws {
        var json = JSONText()
        json.add("number", number)
        #expect(try read(json)["number"] as? Double == number)
    }

    @Test(arguments: [.nan, .signalingNaN, .infinity, -.infinity] as [Double]) func othersAreNull(_ number: Double) {
        var json = JSONText()
        json.add("number", number)
        #expect(json.text == #"{"number":null}"#)
    }

    @Test func membersKeepTheirOrder() {
        var part = JSONText()
        part.add("z", decimal: "0.033366667")
        var json = JSONText()
        json.add("b", true)
        json.add("a", String?.none)
        json.add("none", Int?.none)
        json.add("parts", .array([.object(part), .object(JSONText()), .null, .string(""), .array([])]))
        json.add("c", false)
        #expect(
            json.text
                == #"{"b":true,"a":null,"none":null,"parts":[{"z":0.033366667},{},null,"",[]],"c":false}"#)
    }

    @Test func filesHaveLines() {
        var part = JSONText()
        part.add("x", 1)
        part.add("y", 2)
        var json = JSONText()
        json.add("name", "n")
        json.add("parts", lines: [part, part])
        json.add("none", lines: [])
        #expect(
            json.file
                == "{\n\"name\":\"n\",\n\"parts\":[\n{\"x\":1,\"y\":2},\n{\"x\":1,\"y\":2}\n],\n\"none\":[]\n}\n")
        #expect(JSONText.file([part]) == "[\n{\"x\":1,\"y\":2}\n]\n")
        #expect(JSONText.file([]) == "[]\n")
    }
}
