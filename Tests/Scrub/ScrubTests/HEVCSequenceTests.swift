import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// HEVC sequences that end in their own way. Pictures that wait are discarded, sequences end in the wrong place,
/// pictures are called leading that are not. No frame is exact that is not the line of ffmpeg's linear decode with its
/// number.
@Suite struct HEVCSequenceTests {
    /// Makes a movie of groups of twelve pictures, each with a delimiter in front, and puts it into other containers.
    /// Before that, `edit` changes the type and the third byte of its units, which are counted by their types.
    private func movie(
        isOpen: Bool, in folder: TemporaryFolder, containers: [String] = ["265", "mkv", "ts"],
        edit: (_ type: UInt8, _ number: Int, _ next: UInt8?, _ third: inout UInt8) -> UInt8
    ) throws -> [String] {
        let source = folder.path(of: "source.mp4")
        let groups =
            "keyint=12:min-keyint=12:scenecut=0:bframes=3:b-adapt=0:rc-lookahead=12:open-gop=\(isOpen ? 1 : 0)"
        let units = ":aud=1:repeat-headers=1:info=0:log-level=none:pools=1:frame-threads=1"
        let input = ["-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=2"]
        try LinearLines.ffmpeg(
            input + ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", groups + units, source])
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: source)))
        func number(_ place: Int) -> Int { BoxPatching.number(bytes, at: place) }
        var (box, media) = (0, 0..<0)
        while box + 8 <= bytes.count, media.isEmpty {
            let size = number(box)
            try #require(size >= 8 && box + size <= bytes.count)
            if bytes[box + 4..<box + 8].elementsEqual("mdat".utf8) { media = box + 8..<box + size }
            box += size
        }
        var starts: [Int] = []
        var place = media.lowerBound
        while place + 7 <= media.upperBound {
            starts.append(place + 4)
            place += 4 + number(place)
        }
        try #require(place == media.upperBound && starts.count > 60)
        var counts: [UInt8: Int] = [:]
        let types = starts.map { bytes[$0] >> 1 & 63 }
        for (index, unit) in starts.enumerated() {
            let next = types[index...].first { $0 < 32 }
            let type = edit(types[index], counts[types[index], default: 0], next, &bytes[unit + 2])
            counts[types[index], default: 0] += 1
            bytes[unit] = bytes[unit] & 0x81 | type << 1
        }
        let path = try folder.write(Data(bytes), to: "edited.mp4")
        return try [path]
            + containers.map { container in
                let other = folder.path(of: "edited." + container)
                try LinearLines.ffmpeg(
                    ["-i", path, "-c", "copy"] + (container == "265" ? ["-f", "hevc"] : []) + [other])
                return other
            }
    }

    private static let flagBit: UInt8 = 0x40
    private static let endOfSequence: UInt8 = 36

    /// `no_output_of_prior_pics_flag`: pictures that wait have no number. A decode while the index is made says which.
    @Test(arguments: [1, 2]) func picturesThatAreNeverShown(period: Int) throws {
        let folder = try TemporaryFolder()
        let paths = try movie(isOpen: false, in: folder) { type, number, _, third in
            if type == 19 || type == 20, number % period == 0 { third |= Self.flagBit }
            return type
        }
        for path in paths {
            let found = try LinearLines.expectLines(path)
            #expect(found.lines < 50 && found.frames == found.lines && found.exact == found.lines, "\(path)")
        }
    }

    /// A CRA picture behind an end of sequence discards waiting pictures, and its RASL pictures are not shown.
    @Test func endsOfSequencesInFrontOfCleanPictures() throws {
        let folder = try TemporaryFolder()
        var isFirst = true
        let paths = try movie(isOpen: true, in: folder, containers: ["265", "mkv"]) { type, _, next, _ in
            guard type == 35, next == 21 else { return type }
            defer { isFirst = false }
            return isFirst ? type : Self.endOfSequence
        }
        for path in paths {
            let found = try LinearLines.expectLines(path)
            #expect(found.lines < 50 && found.frames == found.lines && found.exact == found.lines, "\(path)")
        }
    }

    /// Behind an end of sequence an IDR picture discards nothing: joined streams stay exact.
    @Test func endsOfSequencesInFrontOfOtherRestarts() throws {
        let folder = try TemporaryFolder()
        let paths = try movie(isOpen: false, in: folder, containers: ["265", "mkv"]) { type, number, next, _ in
            type == 35 && number > 0 && (next == 19 || next == 20) ? Self.endOfSequence : type
        }
        for path in paths {
            let found = try LinearLines.expectLines(path)
            #expect(found.lines == 50 && found.frames == 50 && found.exact == 50, "\(path)")
        }
    }

    /// Ends of sequences that are in front of other pictures, or among the units in front of a slice: no number
    /// behind is certain.
    @Test(arguments: [true, false]) func endsOfSequencesInOtherPlaces(isInFrontOfSlice: Bool) throws {
        let folder = try TemporaryFolder()
        // In place of the picture set, which is the first one's, or of the delimiter of a picture in the middle of a
        // group.
        let paths = try movie(isOpen: false, in: folder) { type, number, next, _ in
            if isInFrontOfSlice { return type == 34 && number == 2 ? Self.endOfSequence : type }
            return type == 35 && number == 17 && next != 19 && next != 20 ? Self.endOfSequence : type
        }
        for path in paths {
            let found = try LinearLines.expectLines(path)
            #expect(found.exact < found.lines, "\(path)")
        }
    }

    /// RASL pictures behind IDR pictures, where the standard has none, and such as are not leading: decoders show them.
    @Test(arguments: [false, true]) func picturesThatAreCalledLeading(isOpen: Bool) throws {
        let folder = try TemporaryFolder()
        let paths = try movie(isOpen: isOpen, in: folder) { type, number, _, _ in
            type == 0 && number % 5 == 4 ? 8 : type == 1 && number % 3 == 2 ? 9 : type
        }
        for path in paths { #expect(try LinearLines.expectLines(path).exact > 10, "\(path)") }
    }
}
