import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// Edit lists whose numbers are not those of the tables: joints of open groups, and hidden pictures that ffmpeg shows
/// all the same.
@Suite struct EditJointTests {
    private static let codings = [
        "h264": ["-c:v", "libx264", "-x264-params", "keyint=12:min-keyint=12:scenecut=0:bframes=2:open-gop=1"],
        "h264-closed": ["-c:v", "libx264", "-x264-params", "keyint=12:min-keyint=12:scenecut=0:bframes=2"],
        "hevc": [
            "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
            "log-level=error:keyint=12:min-keyint=12:scenecut=0:bframes=2:open-gop=1",
        ],
    ]

    /// One film of 40 frames for each coding, 25 a second.
    private func makeFilm(_ codec: String, in folder: TemporaryFolder) throws -> Data {
        let path = folder.path(of: "plain.mp4")
        let coding = try #require(EditJointTests.codings[codec])
        try LinearLines.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=1.6"] + coding + [path])
        return try Data(contentsOf: URL(filePath: path))
    }

    /// Plays parts of a film instead of all of it: the movie box is the file's last, so that no sample moves.
    private func edit(_ film: Data, _ parts: [(first: Int, count: Int)]) throws -> Data {
        var bytes = film
        let list = try #require(bytes.range(of: Data("elst".utf8)))
        let rows = list.upperBound + 8
        try #require(
            BoxPatching.number(bytes, at: list.upperBound) == 0
                && BoxPatching.number(bytes, at: list.upperBound + 4) == 1)
        let media = BoxPatching.number(bytes, at: rows + 4)
        let scale = try #require(bytes.range(of: Data("mdhd".utf8))).upperBound + 12
        let frame = BoxPatching.number(bytes, at: scale) / 25
        var written = Data()
        for part in parts {
            for value in [part.count * 40, media + part.first * frame, 1 << 16] {
                written += BoxPatching.bigEndian(UInt32(value))
            }
        }
        bytes.replaceSubrange(rows..<rows + 12, with: written)
        put(parts.count, at: list.upperBound + 4, of: &bytes)
        for name in ["elst", "edts", "trak", "moov"] {
            let size = try #require(bytes.range(of: Data(name.utf8))).lowerBound - 4
            put(BoxPatching.number(bytes, at: size) + written.count - 12, at: size, of: &bytes)
        }
        return bytes
    }

    private func put(_ value: Int, at place: Int, of bytes: inout Data) {
        bytes.replaceSubrange(place..<place + 4, with: BoxPatching.bigEndian(UInt32(value)))
    }

    /// A part cut out, one played again, one that was before, three parts, parts that go on where the one before ended.
    static let cuts: [[(first: Int, count: Int)]] = [
        [(0, 12), (24, 12)], [(0, 9), (14, 9)], [(0, 30), (24, 10)], [(26, 8), (14, 8)], [(0, 6), (18, 3), (30, 6)],
        [(0, 12), (12, 12)],
    ]

    @Test(arguments: ["h264", "h264-closed", "hevc"], cuts.indices)
    func joinedGroups(codec: String, cut: Int) throws {
        let folder = try TemporaryFolder()
        let film = try edit(try makeFilm(codec, in: folder), EditJointTests.cuts[cut])
        let path = try folder.write(film, to: "joined.mp4")
        let lines = try LinearLines.all(of: path)
        #expect(try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none)).frames.count == lines.count)
        let exact = try LinearLines.exactFrames(of: path)
        // Pictures before the first joint are whole at any rate; of H.264 33 pictures on either side of one are not
        // certain.
        if codec == "hevc" { #expect(exact.prefix(3) == [0, 1, 2], "\(exact)") }
        if codec == "h264-closed" { #expect(exact == Array(lines.indices)) }
    }

    /// Broken links instead of clean ones: their leading pictures are never shown.
    @Test(arguments: [nil, 0, 3, 4]) func brokenLinks(cut: Int?) throws {
        let folder = try TemporaryFolder()
        var film = try makeFilm("hevc", in: folder)
        // Samples are units behind their lengths; a clean access picture has type 21, BLA_W_LP 16 (H.265 table 7-1).
        var place = try #require(film.range(of: Data("mdat".utf8))).upperBound
        let end = place - 8 + BoxPatching.number(film, at: place - 8)
        var found = 0
        while place + 6 <= end {
            if film[place + 4] >> 1 == 21 {
                found += 1
                if found > 1 { film[place + 4] = 16 << 1 }
            }
            place += 4 + BoxPatching.number(film, at: place)
        }
        try #require(found >= 3)
        if let cut { film = try edit(film, EditJointTests.cuts[cut]) }
        let movie = try folder.write(film, to: "broken.mp4")
        let copied = folder.path(of: "broken.mkv")
        if cut == nil { try LinearLines.ffmpeg(["-i", movie, "-c", "copy", copied]) }
        for path in cut == nil ? [movie, copied] : [movie] {
            let lines = try LinearLines.all(of: path)
            #expect(
                try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none)).frames.count == lines.count)
            #expect(try LinearLines.exactFrames(of: path).count > 2)
        }
    }

    /// Motion JPEG's decoder fetches its packets itself, as dav1d does, and shows pictures that an edit hides; decoders
    /// of others do not.
    @Test(arguments: ["mjpeg", "prores", "png", "mpeg4"]) func hiddenPicturesOfOthers(codec: String) throws {
        let folder = try TemporaryFolder()
        let whole = folder.path(of: "whole.mov")
        try LinearLines.ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=1", "-c:v", codec, "-pix_fmt",
            codec == "prores" ? "yuv422p10le" : codec == "png" ? "rgb24" : codec == "mjpeg" ? "yuvj420p" : "yuv420p",
            whole,
        ])
        let path = folder.path(of: "cut.mov")
        try LinearLines.ffmpeg(["-ss", "0.3", "-t", "0.2", "-i", whole, "-c", "copy", path])
        let lines = try LinearLines.all(of: path)
        #expect(try LinearLines.exactFrames(of: path) == Array(lines.indices))
    }

    /// A film cut by its copied packets begins within a group, and an edit hides the pictures before the cut. Before
    /// FFmpeg 7 they do not get to dav1d: ffmpeg shows those pictures, and counts them.
    @Test func hiddenPicturesOfAV1() throws {
        let folder = try TemporaryFolder()
        let whole = folder.path(of: "whole.mp4")
        try LinearLines.ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=1", "-c:v", "libaom-av1", "-usage", "realtime", "-cpu-used",
            "8",
            "-g", "25", whole,
        ])
        let path = folder.path(of: "cut.mp4")
        try LinearLines.ffmpeg(["-ss", "0.4", "-i", whole, "-c", "copy", path])
        let lines = try LinearLines.all(of: path)
        #expect(try LinearLines.exactFrames(of: path) == Array(lines.indices))
        #expect(try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none)).frames.count == lines.count)
        // The same by packets alone.
        let copied = folder.path(of: "cut.mkv")
        try LinearLines.ffmpeg(["-i", path, "-c", "copy", copied])
        #expect(try LinearLines.exactFrames(of: copied) == Array(try LinearLines.all(of: copied).indices))
    }

    /// Smooth Streaming's files have a box in each fragment that PIFF's encryption has too.
    @Test func smoothStreaming() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "film.ismv")
        try LinearLines.ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=1.2", "-c:v", "libx264", "-preset", "ultrafast", "-g", "10",
            path,
        ])
        #expect(try LinearLines.exactFrames(of: path) == Array(0..<30))
    }
}
