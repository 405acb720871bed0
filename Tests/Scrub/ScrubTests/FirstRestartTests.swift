import Foundation
import ScrubTestSupport
import Testing

/// Movies whose sync samples leave out the first one, which restarts all the same: a decoder goes by the pictures'
/// headers.
@Suite struct FirstRestartTests {
    private static let codings = [
        "h264": ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "10"],
        "hevc": ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error:keyint=10:min-keyint=10"],
        "vp9": ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "10"],
    ]

    private func makeMovie(_ codec: String, in folder: TemporaryFolder) throws -> String {
        let path = folder.path(of: "plain.mp4")
        let coding = try #require(FirstRestartTests.codings[codec])
        try LinearLines.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=1"] + coding + [path])
        return path
    }

    @Test(arguments: ["h264", "hevc", "vp9"]) func tables(codec: String) throws {
        let folder = try TemporaryFolder()
        var bytes = try Data(contentsOf: URL(filePath: try makeMovie(codec, in: folder)))
        let count = try #require(bytes.range(of: Data("stss".utf8))).upperBound + 4
        let rows = count + 4
        try #require(BoxPatching.number(bytes, at: count) == 3 && BoxPatching.number(bytes, at: rows) == 1)
        bytes[count + 3] = 2
        bytes.replaceSubrange(rows..<rows + 12, with: bytes[rows + 4..<rows + 12] + Data(count: 4))
        let path = try folder.write(bytes, to: "made.mp4")
        #expect(try LinearLines.exactFrames(of: path) == Array(0..<25))
    }

    @Test(arguments: ["h264", "hevc", "vp9"]) func fragments(codec: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "fragments.mp4")
        try LinearLines.ffmpeg([
            "-i", try makeMovie(codec, in: folder), "-c", "copy", "-movflags", "frag_keyframe+empty_moov", path,
        ])
        var bytes = try Data(contentsOf: URL(filePath: path))
        // Version and flags, the number of samples, an offset, the first sample's flags: first in the first fragment,
        // then in all.
        let first = try #require(bytes.range(of: Data("trun".utf8)))
        try #require(BoxPatching.number(bytes, at: first.upperBound) & 5 == 5)
        bytes.replaceSubrange(first.upperBound + 12..<first.upperBound + 16, with: [1, 1, 0, 0])
        let made = try folder.write(bytes, to: "made.mp4")
        #expect(try LinearLines.exactFrames(of: made) == Array(0..<25))

        var place = first.upperBound
        while let next = bytes.range(of: Data("trun".utf8), in: place..<bytes.count) {
            place = next.upperBound
            bytes.replaceSubrange(place + 12..<place + 16, with: [1, 1, 0, 0])
        }
        let bare = try folder.write(bytes, to: "bare.mp4")
        #expect(try LinearLines.exactFrames(of: bare) == Array(0..<25))
    }

    /// A film that begins within a group: pictures before its first restart belong to no group, though a later sync
    /// sample is left out too.
    @Test func beginningsWithinAGroup() throws {
        let folder = try TemporaryFolder()
        var bytes = try Data(contentsOf: URL(filePath: try makeMovie("vp9", in: folder)))
        let count = try #require(bytes.range(of: Data("stss".utf8))).upperBound + 4
        // The first sample gets an invalid frame marker, and only the third key frame is called a sync sample.
        let media = try #require(bytes.range(of: Data("mdat".utf8))).upperBound
        bytes[media] = 0
        bytes[count + 3] = 1
        bytes.replaceSubrange(count + 4..<count + 8, with: bytes[count + 12..<count + 16])
        let path = try folder.write(bytes, to: "made.mp4")
        let lines = try LinearLines.all(of: path)
        #expect(try LinearLines.exactFrames(of: path) == Array(lines.indices))
    }
}
