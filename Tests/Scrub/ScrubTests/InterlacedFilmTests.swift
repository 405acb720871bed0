import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// Films of fields: what `info` says of them, and their colors in stills.
@Suite struct InterlacedFilmTests {
    /// A film, its encoder's options, and whether its pictures are fields.
    static let films: [(name: String, options: [String], isInterlaced: Bool)] = {
        let fields = ["-flags", "+ilme+ildct", "-top", "1"]
        let mpeg2 = ["-c:v", "mpeg2video", "-q:v", "2"]
        return [
            ("a.vob", mpeg2 + fields, true), ("b.ts", mpeg2 + fields, true), ("c.mkv", mpeg2 + fields, true),
            ("d.mp4", mpeg2 + fields, true), ("e.vob", mpeg2, false), ("f.mp4", mpeg2, false),
            ("g.avi", ["-c:v", "mpeg4", "-q:v", "2"] + fields, true), ("h.avi", ["-c:v", "mpeg4", "-q:v", "2"], false),
            (
                "i.ts", ["-c:v", "libx264", "-qp", "1", "-x264-params", "tff=1:interlaced=1"] + fields, true
            ), ("j.mp4", ["-c:v", "libx264", "-qp", "1"], false),
            ("k.mkv", ["-c:v", "libx265", "-x265-params", "interlace=tff:log-level=none"], true),
            ("l.mp4", ["-c:v", "libx265", "-x265-params", "log-level=none"], false),
            ("m.mkv", ["-c:v", "ffv1"] + fields, true),
            ("n.webm", ["-c:v", "libvpx", "-b:v", "1M"], false),
        ]
    }()

    private func film(_ name: String, _ options: [String], size: String = "64x64", _ folder: TemporaryFolder) throws
        -> String
    {
        let path = folder.path(of: name)
        let field = options.contains("-top") ? ",setfield=tff" : ""
        let source =
            "nullsrc=s=\(size):r=25:d=0.2,format=yuv420p,geq=lum='if(mod(Y,2),41,82)':cb='if(mod(Y,2),240,90)'"
            + ":cr='if(mod(Y,2),110,240)'\(field)"
        let made = try Tool.run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", source] + options + [path])
        try #require(made.status == 0, "\(made.errors)")
        return path
    }

    @Test(arguments: films) func infoSaysWhetherTheyAreFields(
        _ film: (name: String, options: [String], isInterlaced: Bool)
    ) throws {
        let folder = try TemporaryFolder()
        let info = try VideoAsset(
            path: self.film(film.name, film.options, folder), options: VideoAsset.OpenOptions(cache: .none)
        ).info()
        #expect(info.isInterlaced == film.isInterlaced)
    }

    /// A red field above and a blue one below: each row of a still has its own color.
    @Test(arguments: ["a.vob", "d.mp4", "g.avi", "i.ts", "m.mkv", "dv.avi"]) func rowsHaveTheirOwnColor(_ name: String)
        throws
    {
        let folder = try TemporaryFolder()
        let options =
            name == "dv.avi"
            ? ["-c:v", "dvvideo", "-top", "1"] : try #require(Self.films.first { $0.name == name }).options
        let size = name == "dv.avi" ? "720x576" : "64x64"
        var reader = FrameReader(
            try VideoAsset(
                path: film(name, options, size: size, folder), options: VideoAsset.OpenOptions(cache: .none)))
        let picture = try #require(try reader.frame(at: .frame(3)).picture)
        var still = FramePicture.Options()
        still.appliesGeometry = false
        let pixels = try picture.pixels(.rgb8, options: still)
        for y in 8..<48 {
            let pixel = (0..<3).map { Int(pixels.bytes[y * pixels.bytesPerRow + 30 * 3 + $0]) }
            let wanted = y % 2 == 0 ? [255, 0, 1] : [0, 1, 253]
            for (found, wanted) in zip(pixel, wanted) { #expect(abs(found - wanted) <= 12, "row \(y): \(pixel)") }
        }
    }

    /// Deinterlaced, both kinds of rows have the first field's color; raw samples are never touched.
    @Test func deinterlacedPicturesShowOneField() throws {
        let folder = try TemporaryFolder()
        let path = try film("a.vob", Self.films[0].options, folder)
        func seek(_ words: [String]) throws -> Tool.Result {
            try Tool.run(
                CommandTests.program, ["seek", path, "f3"] + words, environment: ["SCRUB_CACHE_DIR": "/dev/null/scrub"])
        }
        let file = folder.path(of: "a.rgb")
        #expect(try seek(["--deinterlace", "--raw-geometry", "--output", file]).status == 0)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        try #require(bytes.count == 64 * 64 * 3)
        for y in 8..<48 {
            let pixel = (0..<3).map { Int(bytes[(y * 64 + 30) * 3 + $0]) }
            #expect(pixel[0] > 240 && pixel[2] < 16, "row \(y): \(pixel)")
        }
        #expect(try seek(["--deinterlace", "--output", folder.path(of: "a.raw")]).status == 64)
    }
}
