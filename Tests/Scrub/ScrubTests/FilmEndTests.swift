import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Films as a person with a stop watch sees them end.
@Suite struct FilmEndTests {
    private static let source = ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=25,format=yuv420p"]

    private func open(_ path: String) throws -> VideoAsset {
        try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
    }

    /// One picture lasts a picture's time, and is every thumbnail's.
    @Test(arguments: [
        ("a.wmv", ["-c:v", "wmv2"]), ("a.flv", ["-c:v", "flv"]), ("a.mp4", ["-c:v", "libx264"]), ("a.gif", []),
        ("a.ts", ["-c:v", "mpeg2video"]), ("a.mkv", ["-c:v", "ffv1"]), ("a.ogv", ["-c:v", "libtheora"]),
    ]) func onePicture(_ name: String, _ codec: [String]) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: name)
        try LinearLines.ffmpeg(Self.source + ["-frames:v", "1"] + codec + [path])
        let asset = try open(path)
        #expect(asset.frames.count == 1)
        // A GIF's picture without a duration has a tenth of a second, as browsers give it.
        #expect(asset.duration == (name == "a.gif" ? Rational(1, 10) : Rational(1, 25)))
        let plan = try asset.thumbnailPlan(for: ThumbnailPlan.Request(.count(9)))
        #expect(plan.slots.map(\.frameNumber) == [Int](repeating: 0, count: 9))
        #expect(try asset.presentedFrame(at: .fraction(.one)).number == 0)
    }

    /// Still pictures that are packets without bytes, or times in a header, or chunks.
    @Test(arguments: [
        ("held.avi", Rational(301, 5)), ("held.asf", Rational(301, 5)), ("held.mkv", Rational(301, 5)),
        ("held.mov", Rational(301, 5)), ("fragments.mp4", Rational(301, 5)),
    ]) func lastPictureIsHeld(_ name: String, _ duration: Rational) throws {
        let folder = try TemporaryFolder()
        let (plain, held) = (folder.path(of: "plain.mp4"), folder.path(of: "held.mp4"))
        try LinearLines.ffmpeg(Self.source + ["-frames:v", "6", "-c:v", "mpeg4", "-bitexact", plain])
        try Data(try holding(Array(try Data(contentsOf: URL(filePath: plain))))).write(to: URL(filePath: held))
        let path = folder.path(of: name)
        let fragments = name == "fragments.mp4" ? ["-movflags", "empty_moov+frag_keyframe"] : []
        try LinearLines.ffmpeg(["-i", held, "-c", "copy"] + fragments + [path])
        for path in [held, path] {
            let asset = try open(path)
            #expect(asset.frames.count == 6)
            #expect(asset.duration == duration, "\(path)")
            #expect(try asset.presentedFrame(at: .time(Rational(60))).number == 5)
            let plan = try asset.thumbnailPlan(for: ThumbnailPlan.Request(.every(Rational(10))))
            #expect(plan.slots.map(\.frameNumber) == [0, 5, 5, 5, 5, 5, 5])
        }
    }

    /// The movie whose last sample lasts a minute: its time table gets a run more.
    private func holding(_ movie: [UInt8]) throws -> [UInt8] {
        var made = movie
        func place(_ name: String) throws -> Int {
            try #require((4..<made.count - 4).first { Array(made[$0..<$0 + 4]) == Array(name.utf8) }) - 4
        }
        func number(_ place: Int) -> Int { made[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        func set(_ place: Int, _ number: Int) {
            for byte in 0..<4 { made[place + byte] = UInt8(truncatingIfNeeded: number >> (24 - 8 * byte)) }
        }
        // The boxes that grow follow all media.
        try #require(try place("moov") > place("mdat"))
        let (table, media) = (try place("stts"), try place("mdhd"))
        let scale = number(media + 20)
        try #require(number(table + 12) == 1 && number(table + 16) == 6)
        set(table + 12, 2)
        set(table + 16, 5)
        made.insert(
            contentsOf: [0, 0, 0, 1] + (0..<4).map { UInt8(truncatingIfNeeded: (scale * 60) >> (24 - 8 * $0)) },
            at: table + 24)
        for name in ["moov", "trak", "mdia", "minf", "stbl", "stts"] {
            let box = try place(name)
            set(box, number(box) + 8)
        }
        set(try place("mdhd") + 24, scale / 25 * 5 + scale * 60)
        for (name, field) in [("mvhd", 24), ("tkhd", 28), ("elst", 16)] { set(try place(name) + field, 60_200) }
        return made
    }

    /// Theora repeats a picture by a packet without bytes, which no demuxer hands out.
    @Test func repeatedPicturesAreTime() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "held.ogv")
        let hold = ["-vf", "tpad=stop_mode=clone:stop_duration=3"]
        try LinearLines.ffmpeg(["-t", "0.24"] + Self.source + hold + ["-c:v", "libtheora", path])
        #expect(try open(path).duration == Rational(81, 25))
    }

    /// Writers of field pairs that count fields give the last picture the time of one.
    @Test(arguments: ["paff.mov", "paff.avi", "paff.flv", "paff.asf"]) func fieldsOfOtherWriters(_ name: String) throws
    {
        let folder = try TemporaryFolder()
        let path = folder.path(of: name)
        try LinearLines.ffmpeg(["-i", Clip.folder + "/clips/h264-paff.mp4", "-c", "copy", path])
        let asset = try open(path)
        #expect(asset.frames.count == 32)
        #expect(asset.duration == Rational(32, 25))
    }

    /// Promised pictures that are not there have no number: the last picture is the linear decode's.
    @Test func aFragmentOfZerosHasNoPictures() throws {
        let folder = try TemporaryFolder()
        let path = Clip.folder + "/clips/frag.mp4"
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        let places = (0..<bytes.count - 4).filter { Array(bytes[$0..<$0 + 4]) == Array("mdat".utf8) }
        let last = try #require(places.last)
        let size = bytes[last - 4..<last].reduce(0) { $0 << 8 | Int($1) }
        for place in last + 4..<last - 4 + size { bytes[place] = 0 }
        let cut = try folder.write(bytes, to: "zeros.mp4")
        let lines = try LinearLines.all(of: cut)
        let asset = try open(cut)
        #expect(asset.frames.count == lines.count)
        let exact = try LinearLines.exactFrames(of: cut)
        #expect(exact == Array(lines.indices))
    }
}
