import ScrubBase
import ScrubStoryboards
import ScrubTestSupport
import Testing

/// Broken input is a typed error, or reads as something; it never takes the process down.
@Suite struct DamageTests {
    private func head() throws -> [UInt8] {
        let bif = try Storyboard.BIF(multiplier: 10_000, timestamps: [0, 1, 2, 5], byteCounts: [3, 1, 4, 2])
        return bif.header + (0..<10).map { UInt8($0) }
    }

    @Test func everyTruncationOfABIFFileIsFound() throws {
        let file = try head()
        for count in file.indices {
            let error = #expect(throws: ScrubError.self) { try Storyboard.BIF(parsing: Array(file[..<count])) }
            #expect(error?.code == .badData)
            #expect(error?.place?.description.hasPrefix("byte ") == true)
        }
    }

    /// All 255 wrong values of each byte; entries that are read all the same lie inside the file and ascend.
    @Test func noWrongByteOfABIFFileIsBelievedBeyondTheFile() throws {
        let file = try head()
        var readable = 0
        for place in file.indices {
            for flip in UInt8(1)...255 {
                var broken = file
                broken[place] ^= flip
                guard let bif = try? Storyboard.BIF(parsing: broken) else { continue }
                let isInside = bif.entries.allSatisfy { $0.byteRange.upperBound <= file.count }
                let ascends = zip(bif.entries, bif.entries.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp }
                if !isInside || !ascends { Issue.record("byte \(place) ^ \(flip)") }
                readable += 1
            }
        }
        #expect(readable > 255)
    }

    @Test func aPictureCountBeyondTheFileIsFoundWithoutMemoryForIt() throws {
        var file = try head()
        file.replaceSubrange(12..<16, with: [0xFF, 0xFF, 0xFF, 0xFF])
        let error = #expect(throws: ScrubError.self) { try Storyboard.BIF(parsing: file, byteCount: .max) }
        #expect(error?.place?.description == "byte 12")
    }

    private static let readers: [@Sendable (String) throws -> Void] = [
        { _ = try Storyboard.WebVTT(parsing: $0) }, { _ = try Storyboard.JSON.storyboard(parsing: $0) },
        { _ = try Storyboard.Tiles(parsing: $0) }, { _ = try Storyboard.HLSImagePlaylist(parsing: $0) },
        { _ = try Storyboard.HLSIFramePlaylist(parsing: $0) }, { _ = try Storyboard.HLSStream.streams(parsing: $0) },
        { for set in try Storyboard.DASHTiles.sets(parsing: $0) { _ = (set.sheetCount, set.url(ofSheet: 1)) } },
        { _ = try Storyboard.JSONImages(parsing: $0) },
    ]

    private func texts() throws -> [String] {
        let set = try SampleSets.set(
            count: 4, columns: 2, rows: 2, duration: Rational(35), starts: [0, 10, 20, 30].map { Rational($0) })
        let frames = try Storyboard.HLSIFramePlaylist(
            path: "v.mp4", initialization: 0..<9, segments: [.init(duration: .one, byteRange: 9..<20)])
        return [
            try Storyboard.WebVTT(set).text, try Storyboard.JSON.manifest(set),
            try Storyboard.Tiles(set, baseURL: "https://a.example").text, try Storyboard.HLSImagePlaylist(set).text,
            frames.text,
            Storyboard.HLSStream.master([try Storyboard.HLSStream(set, playlist: "a.m3u8")]),
            Storyboard.DASHTiles.presentation([try Storyboard.DASHTiles(set)]), try Storyboard.JSONImages(set).text,
        ]
    }

    /// Bytes removed, doubled, replaced, and the end cut off, 1500 times for each format.
    @Test(arguments: 0..<8)
    func damagedTextsAreErrorsOrTexts(number: Int) throws {
        let bytes = Array(try texts()[number].utf8)
        var random = SplitMix(UInt64(number))
        let spice = Array("0123456789-.,:x#=\"<>/&%$@\n {}[]\\eE".utf8) + [0, 0x80, 0xFF]
        for _ in 0..<1500 {
            var broken = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) where !broken.isEmpty {
                let place = Int.random(in: broken.indices, using: &random)
                let byte = try #require(spice.randomElement(using: &random))
                switch Int.random(in: 0..<6, using: &random) {
                case 0: broken.remove(at: place)
                case 1: broken.insert(byte, at: place)
                case 2: broken.insert(contentsOf: [UInt8](repeating: broken[place], count: 20), at: place)
                case 3 where random.isOne(in: 5): broken.removeSubrange(place...)
                default: broken[place] = byte
                }
            }
            do {
                try Self.readers[number](String(decoding: broken, as: UTF8.self))
            } catch {
                #expect((error as? ScrubError)?.code == .badData)
            }
        }
    }

    /// Every reader says of every other format's text, and of none, that it is not its own.
    @Test func textsOfOtherFormatsAreErrors() throws {
        let texts = try texts()
        for (number, read) in Self.readers.enumerated() {
            // A master playlist without pictures is one with none.
            for (other, text) in texts.enumerated() where other != number && !(number == 5 && (3...4).contains(other)) {
                let error = #expect(throws: ScrubError.self) { try read(text) }
                #expect(error?.code == .badData)
            }
            #expect(throws: ScrubError.self) { try read("") }
        }
    }
}
