import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// The cache that file managers share.
@Suite struct FreedesktopCacheTests {
    private func run(_ file: String, _ cache: String) throws -> Tool.Result {
        try Tool.run(
            CommandTests.program, ["thumbs", file, "--profile", "freedesktop", "--no-cache"],
            environment: ["XDG_CACHE_HOME": cache])
    }

    /// Without a folder thumbnails go where file managers look.
    @Test func thumbnailsGoIntoTheCache() throws {
        let scratch = try TemporaryFolder()
        let result = try run(Clip.folder + "/clips/h264-bf3.mp4", scratch.path)
        #expect(result.status == 0, "\(result.errors)")
        for name in ["normal", "large", "x-large", "xx-large"] {
            #expect(scratch.files.count { $0.hasPrefix("thumbnails/\(name)/") && $0.hasSuffix(".png") } == 1, "\(name)")
        }
    }

    /// A file without video leaves a note, so that it is not tried again.
    @Test func failuresAreNoted() throws {
        let scratch = try TemporaryFolder()
        let file = scratch.path + "/no video.mp4"
        try Data("nothing".utf8).write(to: URL(filePath: file))
        let result = try run(file, scratch.path)
        #expect(result.status == 65)
        let note = try #require(
            scratch.files.first { $0.hasPrefix("thumbnails/fail/scrub-1/") && $0.hasSuffix(".png") })
        let text = String(decoding: try scratch.bytes(note), as: Unicode.ASCII.self)
        #expect(text.contains("Thumb::URI") && text.contains("no%20video.mp4") && text.contains("Thumb::MTime"))
        // A file that is not there is no failure of a thumbnail.
        #expect(try run(scratch.path + "/none.mp4", scratch.path).status == 66)
    }

    /// A program leaves the same note.
    @Test func aProgramNotesFailures() async throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.write("nothing".utf8, to: "no video.mp4")
        let cache = scratch.path(of: "thumbnails")
        try await FreedesktopCache.noteFailure(of: file, in: cache)
        #expect(scratch.files.contains { $0.hasPrefix("thumbnails/fail/scrub-1/") && $0.hasSuffix(".png") })
        let error = await #expect(throws: ScrubError.self) {
            try await FreedesktopCache.noteFailure(of: scratch.path(of: "none.mp4"), in: cache)
        }
        #expect(error?.code == .noInput)
    }

    /// The request of a `.thumbnailer` entry: a PNG that fits a square.
    @Test func aThumbnailerFitsItsSize() throws {
        let scratch = try TemporaryFolder()
        for (file, size) in [("rotate-90.mp4", "64"), ("h264-sar-2-1.mp4", "64"), ("h264-bf3.mp4", "1024")] {
            let path = scratch.path + "/out.png"
            let result = try Tool.run(
                CommandTests.program, ["poster", Clip.folder + "/clips/" + file, "--size", size, "--output", path])
            #expect(result.status == 0, "\(result.errors)")
            let probe = try Tool.run(
                "ffprobe", ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", path])
            let sides = probe.output.split { !$0.isNumber }.compactMap { Int($0) }
            #expect(sides.count == 2 && (size == "1024" ? (sides.max() ?? 0) < 1024 : sides.max() == 64), "\(sides)")
        }
    }
}
