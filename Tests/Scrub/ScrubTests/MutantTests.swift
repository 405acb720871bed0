import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Damaged files that once had pictures called exact which ffmpeg's linear decode of the same file does not make; found
/// by `Fuzz/mutants/mutants.sh`.
@Suite struct MutantTests {
    struct Mutant: Sendable, CustomTestStringConvertible {
        let clip: String
        /// The fault in it, for people.
        let testDescription: String
        let damage: @Sendable (inout [UInt8]) -> Void
    }

    /// Gives a unit behind a length the bytes of another one, as many as it has room for.
    private static func replaceUnit(at place: Int, withThatAt other: Int, in bytes: inout [UInt8]) {
        let lengths = [place, other].map { BoxPatching.number(bytes, at: $0) }
        let count = min(lengths[0], lengths[1])
        bytes.replaceSubrange(place + 4..<place + 4 + count, with: Array(bytes[other + 4..<other + 4 + count]))
    }

    /// Puts bytes there once more, before other ones.
    private static func repeatBytes(_ range: Range<Int>, before place: Int, in bytes: inout [UInt8]) {
        bytes.insert(contentsOf: Array(bytes[range]), at: place)
    }

    /// Returns the beginning of a box; the last one of its type.
    private static func box(_ type: String, in bytes: [UInt8]) -> Int {
        let type = Array(type.utf8)
        return (bytes.indices.dropLast(7).last { bytes[$0 + 4..<$0 + 8].elementsEqual(type) }) ?? 0
    }

    /// Puts a box into the one behind it, as its first child.
    private static func nest(_ type: String, in bytes: inout [UInt8]) {
        let place = box(type, in: bytes)
        let size = BoxPatching.number(bytes, at: place)
        let next = place + size
        let header =
            BoxPatching.bigEndian(UInt32(BoxPatching.number(bytes, at: next) + size)) + bytes[next + 4..<next + 8]
        bytes.replaceSubrange(place..<next + 8, with: header + Array(bytes[place..<next]))
    }

    static let mutants: [Mutant] = [
        // Left out, it did not lead the decoder's frame_num astray, as it does in a linear decode.
        Mutant(clip: "elst-beyond.mp4", testDescription: "frame_num of a picture that nothing refers to") {
            $0[2930] ^= 0x80
            $0[2941] ^= 0x80
        },
        Mutant(clip: "frag.mp4", testDescription: "a picture that nothing refers to in the place of another") {
            replaceUnit(at: 8462, withThatAt: 10543, in: &$0)
        },
        // The second of the two comes too late: the decoder drops it, unless it is told to wait for more.
        Mutant(clip: "rotate-0.mp4", testDescription: "a picture twice, the last one lost") {
            replaceUnit(at: 2770, withThatAt: 2330, in: &$0)
        },
        Mutant(clip: "rotate-90.mp4", testDescription: "a picture twice, the second one lost") {
            replaceUnit(at: 1457, withThatAt: 2770, in: &$0)
        },
        // Pictures that come too late: which ones behind them a decoder drops its headers alone don't tell.
        Mutant(clip: "order-h264.asf", testDescription: "the number of a packet within its object") {
            $0.replaceSubrange(2756..<2764, with: [0, 0x10, 7, 0, 0, 0, 0xd0, 0x16])
        },
        Mutant(clip: "h264-b.flv", testDescription: "a picture of a later group in an earlier one, another one twice") {
            repeatBytes(10602..<11124, before: 30988, in: &$0)
            repeatBytes(32448..<32895, before: 2260, in: &$0)
        },
        Mutant(clip: "h264-b.flv", testDescription: "eight pictures twice, one of an earlier group again") {
            repeatBytes(10602..<11124, before: 30988, in: &$0)
            repeatBytes(18807..<21668, before: 18807, in: &$0)
        },
        // libavcodec takes bits behind a picture for padding, until it has seen that this encoder pads as it should.
        Mutant(clip: "order-mpeg4.asf", testDescription: "a key picture that ends too early") { $0[46379] ^= 1 },
        // Few bits too many behind pictures, which a decoder that was opened just now takes for padding.
        Mutant(clip: "order-none-mpeg4.mp4", testDescription: "pictures that end too early") {
            $0[11058] ^= 0x80
            $0[44969] ^= 0x10
        },
        Mutant(clip: "order-mpeg4.asf", testDescription: "the stream's second picture to show ends too early") {
            $0[9557] ^= 0x40
        },
        // Such a block keeps what its memory held, and libavcodec says so in a message for debugging.
        Mutant(clip: "mpeg2-closed.mpg", testDescription: "a vector that leads out of the picture") { $0[59784] ^= 1 },
        // A packet of hidden frames is gone, so commands show the key frame again. The damaged frames behind them do
        // not take it out of its slots: the next command makes all of them that key frame.
        Mutant(clip: "damaged-av1.mkv", testDescription: "a block that is none") { $0[16814] = 0xEC },
        // Its order count is that of another one, which is left out for it: then no decoder sees that it is there
        // twice.
        Mutant(clip: "hevc-temporal.mp4", testDescription: "HEVC: a picture in the place of the next one") {
            replaceUnit(at: 7152, withThatAt: 7123, in: &$0)
        },
        // A restart with the order count of a picture before it, which a decoder that comes from there drops.
        Mutant(clip: "hevc-inband.mp4", testDescription: "HEVC: a restart twice") {
            replaceUnit(at: 8503, withThatAt: 7760, in: &$0)
        },
        // A decoder that begins at the key picture reads a plane that is not coded, which others do not see, and
        // reckons times from it.
        Mutant(clip: "order-vfw-mpeg4-packed.mkv", testDescription: "packed planes of a second are lost") {
            $0.replaceSubrange(43997..<46859, with: Array($0[20302..<23164]))
        },
        // Behind a packet that cannot be read, decoders drop late pictures as ever.
        Mutant(clip: "film-h264-p.flv", testDescription: "pictures twice, and the last one is cut") {
            repeatBytes(8062..<9410, before: 9410, in: &$0)
            $0.removeSubrange(32000...)
        },
        Mutant(clip: "film-h264-p.flv", testDescription: "a header that looks like a configuration") {
            $0.removeSubrange(28619..<28817)
        },
        // A mark of eight samples is not all that a decoder may leave out.
        Mutant(clip: "film-ljpeg.avi", testDescription: "lossless JPEG without its last samples") {
            $0.replaceSubrange(36812..<36815, with: [0x82, 0x46, 0xCC])
        },
        Mutant(clip: "film-magicyuv.mkv", testDescription: "a picture that ends before its last sample") {
            $0[37848] ^= 1
        },
        // libavformat reads edit lists wherever they are.
        Mutant(clip: "elst-starts-in-b.mp4", testDescription: "edits within the media box") { nest("edts", in: &$0) },
        Mutant(clip: "frag-every.mp4", testDescription: "a track fragment that ends behind its header") {
            let place = box("traf", in: $0)
            $0.replaceSubrange(place..<place + 4, with: [0, 0, 0, 8])
        },
        // libavformat reads the parts of a fragment also where they stand alone.
        Mutant(clip: "frag-every.mp4", testDescription: "a fragment that ends behind its header") {
            $0.replaceSubrange(8770..<8774, with: [0, 0, 0, 8])
        },
    ]

    @Test(arguments: mutants) func noPictureIsExactThatALinearDecodeLacks(_ mutant: Mutant) throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/" + mutant.clip)))
        mutant.damage(&bytes)
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: mutant.clip)
        let linear = Set(try Corpus.linearDecode(path, stream: 0))
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        var exact = 0
        var alone: [Verdict] = []
        for number in asset.frames.indices {
            // Each alone, and all in one go.
            var reader = FrameReader(asset)
            let answer = try reader.frame(at: .frame(number))
            alone.append(answer.verdict)
            guard answer.verdict == .exact else { continue }
            exact += 1
            #expect(linear.contains(try answer.picture?.streamMD5() ?? ""), "#\(number)")
        }
        #expect(exact > 0)
        var reader = FrameReader(asset)
        try reader.frames(numbered: Set(asset.frames.indices)) { (answer) throws(ScrubError) in
            #expect(answer.verdict == alone[answer.frame.number], "#\(answer.frame.number) together with others")
            guard answer.verdict == .exact else { return }
            let hash = try answer.picture?.streamMD5() ?? ""
            #expect(linear.contains(hash), "#\(answer.frame.number) together with others")
        }
    }

    /// A frame in the middle of an AV1 group is damaged, and with it the frames that show later. A command that shows a
    /// lost frame then keeps dav1d from decoding anything that follows. Frames on which another does not depend must
    /// not decide about it.
    @Test func lostFramesDamageNoOthers() throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/av1-svt.obu")))
        bytes[25683] ^= 4
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "damaged.obu")
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        var together: [Int: (Verdict, String?)] = [:]
        var reader = FrameReader(asset)
        try reader.frames(numbered: Set(asset.frames.indices)) { (answer) throws(ScrubError) in
            together[answer.frame.number] = (answer.verdict, try answer.picture?.streamMD5())
        }
        #expect(together.values.contains { $0.0 != .exact })
        // Of the group with the damage: what shows alone, and after all that does not come out.
        for number in stride(from: 88, to: 120, by: 4) {
            var alone = FrameReader(asset)
            let answer = try alone.frame(at: .frame(number))
            #expect(answer.verdict == together[number]?.0, "#\(number)")
            #expect(try answer.picture?.streamMD5() == together[number]?.1, "#\(number)")
        }
        #expect(together[108]?.0 == .exact)
    }

    /// A B picture among the first of an MPEG-4 stream is damaged. Others do not need it, but libavcodec's experience
    /// of it may decide how it takes their ends. They have one verdict, whichever later frame is asked for with them,
    /// and whatever came out on the way to one.
    @Test func beginningsHaveOneVerdict() throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/order-none-mpeg4.mp4")))
        bytes.replaceSubrange(8067..<8071, with: [0xFF, 0xFF, 0xFF, 0xFF])
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "damaged.mp4")
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        var alone: [Verdict] = []
        for number in 0..<13 {
            var reader = FrameReader(asset)
            alone.append(try reader.frame(at: .frame(number)).verdict)
        }
        #expect(alone.filter { $0 == .exact }.count == 7)
        for number in 0..<13 {
            for later in 7..<13 where later != number {
                var together = FrameReader(asset)
                try together.frames(numbered: [number, later]) { (answer) throws(ScrubError) in
                    #expect(answer.verdict == alone[answer.frame.number], "#\(answer.frame.number) with #\(later)")
                }
                // One after the other, with the pictures that the reader keeps of the way to the first.
                var reader = FrameReader(asset)
                #expect(try reader.frame(at: .frame(later)).verdict == alone[later])
                #expect(try reader.frame(at: .frame(number)).verdict == alone[number], "#\(number) after #\(later)")
            }
        }
    }

    /// Two of an MPEG-4 stream's first pictures are damaged, in such a way that libavcodec takes a sound key picture
    /// behind them for damaged too. Decoded from that key picture it would be exact.
    @Test(arguments: ["m4v", "avi", "mkv", "mov"])
    func soundPicturesBehindADamagedBeginning(_ suffix: String) throws {
        let folder = try TemporaryFolder()
        let (sound, damaged) = (folder.path(of: "sound.m4v"), folder.path(of: "damaged." + suffix))
        try LinearLines.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=12,format=yuv420p", "-frames:v", "24", "-threads", "1"]
                + ["-fflags", "+bitexact", "-flags:v", "+bitexact", "-c:v", "mpeg4", "-g", "8", "-bf", "2", sound])
        var bytes = Array(try Data(contentsOf: URL(filePath: sound)))
        bytes[5246] ^= 2
        bytes[12001] ^= 8
        let rewritten = try folder.write(bytes, to: "rewritten.m4v")
        try LinearLines.ffmpeg(["-i", rewritten, "-c", "copy", damaged])
        let asked = try LinearLines.expectLines(damaged, aloneEach: 1)
        #expect(asked.lines == 24 && asked.frames == 24)
        // The first, and the two groups at the end.
        #expect(asked.exact == 10)
    }

    /// A unit whose forbidden_zero_bit is 1 does not exist for libavcodec. The pictures that refer to its picture get a
    /// made-up one, which differs from run to run.
    @Test(arguments: [("hevc-layers.hevc", [5, 53]), ("h264-bf3.ts", [41, 83])])
    func unitsWithAForbiddenBitAreNotThere(_ clip: String, _ pictures: [Int]) throws {
        let sound = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/" + clip)))
        // Bytes behind start codes that begin a slice.
        let slices = sound.indices.dropLast(3).filter { place in
            guard sound[place..<place + 3] == [0, 0, 1] else { return false }
            let header = sound[place + 3]
            return clip.hasPrefix("hevc") ? header >> 1 < 22 && header & 0x81 == 0 : [1, 5].contains(header & 31)
        }
        let folder = try TemporaryFolder()
        for picture in pictures {
            var bytes = sound
            bytes[slices[picture] + 3] |= 0x80
            let asked = try LinearLines.expectLines(folder.write(bytes, to: "\(picture)-" + clip), aloneEach: 1)
            #expect(asked.frames == asked.lines && asked.exact > 0)
        }
    }

    /// Ends of sequence before pictures that refer to earlier ones: the tables of MP4 do not show them, and the decoder
    /// lacks these references though nothing was left out.
    @Test func endsOfSequenceBeforeReferences() throws {
        let folder = try TemporaryFolder()
        let (raw, movie) = (folder.path(of: "sound.hevc"), folder.path(of: "ended.mp4"))
        try LinearLines.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=12,format=yuv420p", "-frames:v", "24", "-c:v", "libx265"]
                + ["-preset", "ultrafast", "-x265-params", "keyint=8:bframes=0:log-level=none:pools=1", raw])
        var bytes = Array(try Data(contentsOf: URL(filePath: raw)))
        let slices = bytes.indices.dropLast(3).filter { place in
            bytes[place..<place + 3] == [0, 0, 1] && bytes[place + 3] >> 1 < 22
        }
        try #require(slices.count == 24)
        // end_of_seq_rbsp (H.265 7.3.2.6).
        for picture in [20, 10] { bytes.insert(contentsOf: [0, 0, 1, 36 << 1, 1], at: slices[picture]) }
        try LinearLines.ffmpeg(["-i", folder.write(bytes, to: "ended.hevc"), "-c", "copy", movie])
        let asked = try LinearLines.expectLines(movie, aloneEach: 1)
        #expect(asked.frames == 24 && asked.lines == 24 && asked.exact == 14)
    }

    /// Film grain is seeded with the whole order count, which a decoder that begins at an open restart does not know.
    @Test func grainBehindAnOpenRestart() throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/h264-starts-open.h264")))
        let place = try #require(bytes.indices.last { bytes[$0...].starts(with: [0, 0, 1, 0x01]) })
        // A message of seven bytes: one component, one interval (H.264 D.1.21).
        bytes.insert(
            contentsOf: [0, 0, 1, 6, 19, 7, 0x01, 0xA0, 0, 0, 0xFF, 3, 0xE0, 0x80], at: place)
        let folder = try TemporaryFolder()
        let asked = try LinearLines.expectLines(folder.write(bytes, to: "grain.h264"), aloneEach: 1)
        #expect(asked.frames == 52 && asked.exact == 52)
    }

    /// A leading picture of an open group that comes a group late: decoders output it where it comes, so that the
    /// frames between its place and that one have other numbers than by their order counts.
    @Test(arguments: [("hevc", 60, 21), ("mp4", 58, 19)])
    func pictureOfHEVCThatComesLate(container: String, frames: Int, exact: Int) throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/hevc-raw.hevc")))
        let units = bytes.indices.dropLast(3).filter { bytes[$0..<$0 + 3] == [0, 0, 1] }
        try #require(units.count == 72 && bytes[units[32] + 3] >> 1 == 8)
        bytes.insert(contentsOf: Array(bytes[units[32]..<units[33]]), at: units[63])
        bytes.removeSubrange(units[32]..<units[33])
        let folder = try TemporaryFolder()
        let raw = try folder.write(bytes, to: "late.hevc")
        let film = container == "hevc" ? raw : folder.path(of: "late." + container)
        if film != raw { try LinearLines.ffmpeg(["-i", raw, "-c", "copy", film]) }
        let asked = try LinearLines.expectLines(film, aloneEach: 1)
        #expect(asked.frames == frames && asked.exact == exact)
    }

    /// MPEG-4 Part 2: a group header behind its key plane, at the next one. A decoder that begins at the key plane
    /// counts its time from 0, and the group header makes the distance to it another one, by which B planes scale
    /// vectors.
    @Test(arguments: ["m4v", "mov", "avi"]) func groupHeaderBehindItsKeyPlane(container: String) throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/mpeg4-raw.m4v")))
        // The last header of a group sets the film's second second, and is put before the next plane.
        let codes = bytes.indices.dropLast(3).filter { bytes[$0..<$0 + 3] == [0, 0, 1] }
        let group = try #require(codes.last { bytes[$0 + 3] == 0xB3 })
        let plane = try #require(codes.first { $0 > group + 8 })
        #expect(bytes[group + 7..<group + 11] == [0, 0, 1, 0xB6])
        bytes.insert(contentsOf: Array(bytes[group..<group + 7]), at: plane)
        bytes.removeSubrange(group..<group + 7)
        let folder = try TemporaryFolder()
        let raw = try folder.write(bytes, to: "group.m4v")
        let film = container == "m4v" ? raw : folder.path(of: "group." + container)
        if film != raw { try LinearLines.ffmpeg(["-fflags", "+genpts", "-i", raw, "-c", "copy", film]) }
        let asked = try LinearLines.expectLines(film, aloneEach: 1)
        #expect(asked.frames == 60 && asked.exact == 60)
    }
}
