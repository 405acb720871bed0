import Foundation
import ScrubMedia
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Videos that are in no file.
@Suite struct ByteSourceTests {
    static let clips = [
        "h264-bf3.mp4", "hevc-open-gop.mp4", "vp9-altref.webm", "mpeg2-open.ts", "anim.gif", "av1-svt.obu", "vfr.mp4",
    ]

    /// A source that gives few bytes at a time, counts, and fails on request.
    final class Slow: ByteSource {
        struct Unreachable: Error, CustomStringConvertible {
            var description: String { "the server is gone" }
        }

        let bytes: [UInt8]
        let identifier: String?
        let reads = Locked(0)
        let failsAfter: Int
        /// Told before each read.
        let onRead: @Sendable (Int) -> Void

        init(
            _ clip: String, identifier: String? = nil, failsAfter: Int = .max,
            onRead: @escaping @Sendable (Int) -> Void = { _ in }
        ) throws {
            bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/" + clip)))
            (self.identifier, self.failsAfter, self.onRead) = (identifier, failsAfter, onRead)
        }

        var byteCount: Int64 { Int64(bytes.count) }
        var contentIdentifier: String? { identifier }

        func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            onRead(number)
            guard number <= failsAfter else { throw Unreachable() }
            let part = bytes[Int(offset)...].prefix(min(buffer.count, 4097))
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    private func check(_ video: VideoAsset, _ clip: String) throws {
        let known = try KnownClip(clip)
        #expect(video.frames.count == known.hashes.count)
        var reader = FrameReader(video)
        for number in stride(from: known.hashes.count - 1, through: 0, by: -7) {
            let answer = try reader.frame(numbered: number)
            #expect(answer.verdict == .exact)
            #expect(try answer.picture?.md5() == known.hashes[number], "\(clip) #\(number)")
        }
    }

    @Test(arguments: clips) func aSourceGivesTheSameFrames(_ clip: String) throws {
        try check(VideoAsset(source: Slow(clip), name: clip), clip)
    }

    @Test(arguments: clips) func bytesGiveTheSameFrames(_ clip: String) throws {
        let bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/" + clip)))
        try check(VideoAsset(bytes: bytes), clip)
    }

    /// Without a content identifier nothing is kept; with one the next opening reads the index.
    @Test func anIdentifiedSourceIsIndexedOnce() throws {
        let folder = try TemporaryFolder()
        let options = VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: folder.path))
        _ = try VideoAsset(source: Slow("mpeg2-open.ts"), name: "a.ts", options: options)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        let first = try VideoAsset(source: Slow("mpeg2-open.ts", identifier: "etag 1"), name: "a.ts", options: options)
        #expect(first.openReport.indexOrigin == .built)
        let again = try VideoAsset(source: Slow("mpeg2-open.ts", identifier: "etag 1"), name: "b.ts", options: options)
        #expect(again.openReport.indexOrigin == .saved)
        let other = try VideoAsset(source: Slow("mpeg2-open.ts", identifier: "etag 2"), name: "a.ts", options: options)
        #expect(other.openReport.indexOrigin == .built)
    }

    /// A read that fails is told with the source's own words, at whatever read it happens.
    @Test(arguments: ["h264-bf3.mp4", "mpeg2-open.ts", "vp9-altref.webm"])
    func failuresHaveTheSourcesWords(_ clip: String) throws {
        let whole = try Slow(clip)
        let video = try VideoAsset(source: whole, name: clip)
        #expect(video.frames.count > 2)
        for limit in stride(from: 0, to: min(whole.reads.withLock { $0 }, 40), by: 3) {
            let error = #expect(throws: ScrubError.self) {
                let video = try VideoAsset(source: Slow(clip, failsAfter: limit), name: clip)
                // One that opened all the same had not needed that read; the next one fails.
                var reader = FrameReader(video)
                _ = try reader.frame(at: .last)
            }
            #expect(error?.code == .inputOutput, "\(limit): \(error?.description ?? "")")
            #expect(error?.description.contains("the server is gone") == true, "\(limit): \(error?.description ?? "")")
        }
    }

    /// A file without video is refused, by the name that it was given.
    @Test(arguments: [[], [0], Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\n".utf8)] as [[UInt8]])
    func filesWithoutVideoAreRefused(_ bytes: [UInt8]) {
        let error = #expect(throws: ScrubError.self) { _ = try VideoAsset(bytes: bytes, name: "upload 17") }
        #expect(error?.code == .badData && error?.file == "upload 17")
    }

    /// Files that name others are not followed, whatever they name.
    @Test(
        arguments: [
            ("list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nCLIP\n#EXT-X-ENDLIST\n"),
            ("list.txt", "ffconcat version 1.0\nfile 'CLIP'\n"),
            ("list.sdp", "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n"),
            (
                "list.mpd",
                "<?xml version=\"1.0\"?>\n<MPD profiles=\"urn:mpeg:dash:profile:isoff-on-demand:2011\"></MPD>\n"
            ),
        ])
    func listsOfOtherFilesAreRefused(_ name: String, _ text: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/" + name
        try Data(contentsOf: URL(filePath: Clip.folder + "/clips/mpeg2-open.ts"))
            .write(to: URL(filePath: folder.path + "/clip.ts"))
        try text.replacing("CLIP", with: "clip.ts").write(toFile: path, atomically: false, encoding: .utf8)
        let error = #expect(throws: ScrubError.self) {
            _ = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        }
        #expect(error?.code == .badData)
        #expect(error?.cause.contains("list of other files") == true, "\(error?.description ?? "")")
    }
}
