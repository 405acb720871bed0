import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// Transparency that is beside the pictures: shown as the alpha of a linear decode, and never part of a hash.
@Suite struct AlphaTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let size = (width: 160, height: 96)

    /// A film whose color and transparency change at different times, each with a cut of its own.
    private func film(_ name: String, _ codec: [String], seconds: Int = 3) throws -> String {
        let path = folder.path(of: name)
        let source =
            "testsrc2=s=\(Self.size.width)x\(Self.size.height):r=25:d=\(seconds),format=rgba,"
            + "geq=r='if(lt(T,1),r(X,Y),255-r(X,Y))':g='g(X,Y)':b='b(X,Y)'"
            + ":a='if(lt(mod(T,1.6),0.8),mod(X*2+T*80,256),if(lt(Y,40),0,255-Y))'"
        try LinearLines.ffmpeg(
            ["-f", "lavfi", "-i", source] + codec
                + ["-pix_fmt", "yuva420p", "-auto-alt-ref", "0", "-cpu-used", "8", "-deadline", "realtime", path])
        return path
    }

    /// The alpha planes of ffmpeg's linear decode by the decoder that makes them.
    private func alpha(of path: String, _ decoder: String) throws -> [[UInt8]] {
        let raw = folder.path(of: "alpha.raw")
        try LinearLines.ffmpeg(
            ["-c:v", decoder, "-i", path, "-vf", "extractplanes=a", "-fps_mode", "passthrough", "-f", "rawvideo", raw])
        let bytes = [UInt8](try folder.bytes("alpha.raw"))
        let count = Self.size.width * Self.size.height
        return stride(from: 0, to: bytes.count - count + 1, by: count).map { Array(bytes[$0..<$0 + count]) }
    }

    private func alpha(of picture: FramePicture) throws -> [UInt8] {
        let image = try picture.pixels(.rgba8)
        #expect(image.properties.warnings.isEmpty, "\(image.properties.warnings)")
        return stride(from: 3, to: image.bytes.count, by: 4).map { image.bytes[$0] }
    }

    private static let decoders = ["libvpx": "libvpx", "libvpx-vp9": "libvpx-vp9"]

    @Test(arguments: ["libvpx", "libvpx-vp9"], ["webm", "mkv"])
    func everyPictureHasTheAlphaOfALinearDecode(_ codec: String, _ container: String) throws {
        let path = try film("a.\(container)", ["-c:v", codec, "-b:v", "300k", "-g", "14"])
        let wanted = try alpha(of: path, codec)
        let lines = try LinearLines.all(of: path)
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        #expect(asset.hasAlpha && wanted.count == asset.frames.count && lines.count == wanted.count)
        #expect(Set(wanted).count > wanted.count / 2, "the test's alpha moves")
        func check(_ number: Int, _ asset: VideoAsset, _ way: String) throws {
            var reader = FrameReader(asset)
            let answer = try reader.frame(numbered: number)
            let picture = try #require(answer.picture)
            #expect(answer.verdict == .exact && picture.pixelFormat == "yuv420p")
            #expect(try picture.streamMD5() == lines[number], "\(way) f\(number)")
            #expect(try alpha(of: picture) == wanted[number], "\(way) f\(number)")
        }
        for number in wanted.indices { try check(number, asset, "forward") }
        for number in wanted.indices.reversed() { try check(number, asset, "backward") }
        for number in stride(from: 0, to: wanted.count, by: 7) {
            try check(number, VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none)), "alone")
        }
    }

    /// If a demuxer has to read the blocks, their additions are found by the time.
    @Test func additionsAreFoundBesideAStreamThatWasScanned() throws {
        let path = try film("a.webm", ["-c:v", "libvpx", "-b:v", "300k", "-g", "14"])
        let wanted = try alpha(of: path, "libvpx")
        // A second, older video track with the same number would do as well: whatever keeps the tables out.
        var bytes = [UInt8](try folder.bytes("a.webm"))
        bytes += [0xEC, 0x81, 0]
        let longer = try folder.write(bytes, to: "longer.webm")
        let asset = try VideoAsset(path: longer, options: VideoAsset.OpenOptions(cache: .none))
        #expect(asset.hasAlpha && asset.frames.count == wanted.count)
        var reader = FrameReader(asset)
        for number in [0, 13, 40, wanted.count - 1] {
            let picture = try #require(try reader.frame(numbered: number).picture)
            let image = try picture.pixels(.rgba8)
            #expect(stride(from: 3, to: image.bytes.count, by: 4).map { image.bytes[$0] } == wanted[number])
        }
    }

    @Test func filesAndSetsHaveIt() throws {
        let path = try film("b.webm", ["-c:v", "libvpx-vp9", "-b:v", "300k", "-g", "14"])
        func run(_ words: String...) throws -> Tool.Result {
            let run = try Tool.run(
                CommandTests.program, words + ["--no-cache"], environment: ["SCRUB_CACHE_DIR": "/dev/null/scrub"])
            #expect(run.status == 0, "\(words): \(run.errors)")
            return run
        }
        #expect(try run("info", path).output.contains("with alpha"))
        #expect(try run("info", path, "--json").output.contains("\"alpha\":true"))
        let wanted = try alpha(of: path, "libvpx-vp9")[30]
        for sandbox in [[], ["--sandbox"]] {
            for suffix in ["png", "webp"] {
                let name = "f30-\(sandbox.count).\(suffix)"
                let words = ["seek", path, "f30", "-o", folder.path(of: name), "--no-cache"] + sandbox
                #expect(try Tool.run(CommandTests.program, words).status == 0)
                let raw = folder.path(of: "back.raw")
                try LinearLines.ffmpeg(
                    ["-i", folder.path(of: name), "-vf", "format=rgba,extractplanes=a", "-f", "rawvideo", raw])
                if suffix == "png" { #expect(try [UInt8](folder.bytes("back.raw")) == wanted, "\(name)") }
            }
        }
        // Transparent pixels show the ground.
        _ = try run(
            "strip", path, "--count", "1", "--width", "160", "--ground", "#00ff00", "--format", "png", "-o",
            folder.path(of: "strip"))
        let sheet = try #require(
            TemporaryFolder.names(folder.path(of: "strip")).first { $0.hasSuffix(".png") })
        let raw = folder.path(of: "sheet.raw")
        try LinearLines.ffmpeg(
            ["-i", folder.path(of: "strip/" + sheet), "-vf", "crop=160:96:0:0,format=rgb24", "-f", "rawvideo", raw])
        let pixels = [UInt8](try folder.bytes("sheet.raw"))
        let slot = try alpha(of: path, "libvpx-vp9")[37]
        let clear = try #require(slot.firstIndex(of: 0))
        #expect(Array(pixels[3 * clear..<3 * clear + 3]) == [0, 255, 0])
        let proof = try Tool.run(CommandTests.program, ["verify-set", folder.path(of: "strip"), "--against", path])
        #expect(proof.status == 0, "\(proof.output) \(proof.errors)")
    }

    /// The transparency of a still is an item, that of a sequence a track: without loss it comes back unchanged.
    @Test(arguments: [1, 12]) func auxiliaryPicturesOfAVIFAreTheAlpha(_ count: Int) throws {
        let path = folder.path(of: "c.avif")
        let source =
            "testsrc2=s=\(Self.size.width)x\(Self.size.height):r=25,trim=end_frame=\(count),format=rgba,"
            + "geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='mod(X*2+T*80,256)'"
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", source, "-filter_complex",
                "[0:v]split[a][b];[b]alphaextract,format=gray[c]", "-map", "[a]", "-map", "[c]", "-c:v", "libaom-av1",
                "-cpu-used", "8", "-pix_fmt:0", "yuv420p", "-aom-params", "lossless=1", path,
            ])
        // Not every FFmpeg has this encoder and this muxer.
        guard made.status == 0 else { return }
        let raw = folder.path(of: "wanted.raw")
        try LinearLines.ffmpeg(["-f", "lavfi", "-i", source, "-vf", "alphaextract,format=gray", "-f", "rawvideo", raw])
        let wanted = [UInt8](try folder.bytes("wanted.raw"))
        let area = Self.size.width * Self.size.height
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        #expect(asset.hasAlpha && asset.frames.count == count)
        #expect(try asset.info().warnings.isEmpty)
        var reader = FrameReader(asset)
        for number in Array(0..<count).reversed() {
            let picture = try #require(try reader.frame(numbered: number).picture)
            #expect(try alpha(of: picture) == Array(wanted[number * area..<(number + 1) * area]), "f\(number)")
        }
    }

    /// No decoder here makes HEVC's layer of transparency.
    @Test func undecodableAlphaIsWarnedOf() throws {
        let path = folder.path(of: "d.mp4")
        try LinearLines.ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=1", "-c:v", "libx265", "-preset", "ultrafast",
            "-x265-params",
            "log-level=error", "-tag:v", "hvc1", path,
        ])
        var bytes = [UInt8](try folder.bytes("d.mp4"))
        // The encoder's message of user data in the set-up data becomes one of alpha channel information.
        let message: [UInt8] = [0x4E, 0x01, 0x05, 0xFF]
        let place = try #require(bytes.indices.dropLast(4).first { Array(bytes[$0..<$0 + 4]) == message })
        bytes[place + 2] = 165
        _ = try folder.write(bytes, to: "d.mp4")
        let words = [
            ["info", path], ["seek", path, "f3", "-o", folder.path(of: "d.png")],
            ["strip", path, "--count", "2", "-o", folder.path(of: "d")],
        ]
        for words in words {
            let run = try Tool.run(CommandTests.program, words, environment: ["SCRUB_CACHE_DIR": "/dev/null/scrub"])
            let told = (run.output + run.errors).split(separator: "\n").filter { $0.contains("transparency cannot be") }
            #expect(run.status == 0 && told.count == 1, "\(words[0]): \(run.errors)")
        }
    }
}
