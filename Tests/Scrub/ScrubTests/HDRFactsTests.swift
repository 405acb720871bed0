import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// The facts of `scrub info` about HDR10 and Dolby Vision, from the stream's own messages and from containers' boxes.
@Suite struct HDRFactsTests {
    /// One gray HEVC picture with PQ's tags, or others.
    private func film(_ folder: TemporaryFolder, _ name: String, _ parameters: String, transfer: String = "smpte2084")
        throws -> String
    {
        let path = folder.path(of: name)
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "color=gray:s=64x64:r=5:d=0.4", "-pix_fmt",
                "yuv420p10le", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
                "log-level=none:keyint=1:" + parameters, "-color_primaries", "bt2020", "-color_trc", transfer,
                "-colorspace", "bt2020nc", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        return path
    }

    /// The facts as JSON and the line for people, when the file is new and when they were saved.
    private func facts(_ path: String) throws -> (json: [String: Any]?, text: String?) {
        let cache = try TemporaryFolder()
        var found: [(json: [String: Any]?, text: String?)] = []
        for _ in 0..<2 {
            let run = { (arguments: [String]) in
                try Tool.run(CommandTests.program, arguments, environment: ["SCRUB_CACHE_DIR": cache.path])
            }
            let json = try run(["info", path, "--json"])
            #expect(json.status == 0, "\(json.errors)")
            let row = try #require(JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
            #expect(row.keys.contains("hdr"))
            let text = try run(["info", path]).output.split(separator: "\n").first { $0.hasPrefix("HDR ") }
            found.append(
                (row["hdr"] as? [String: Any], text.map { $0.dropFirst(4).trimmingCharacters(in: .whitespaces) }))
        }
        let isSame = NSDictionary(dictionary: found[0].json ?? [:]) == NSDictionary(dictionary: found[1].json ?? [:])
        #expect(isSame && found[0].text == found[1].text, "\(found)")
        return found[0]
    }

    private func expectDisplay(_ hdr: [String: Any]) throws {
        let display = try #require(hdr["masteringDisplay"] as? [String: Any])
        for (name, x, y) in [
            ("red", 0.708, 0.292), ("green", 0.17, 0.797), ("blue", 0.131, 0.046), ("white", 0.3127, 0.329),
        ] {
            let point = try #require(display[name] as? [Double])
            #expect(point.count == 2 && abs(point[0] - x) < 1e-4 && abs(point[1] - y) < 1e-4, "\(name): \(point)")
        }
        #expect(display["maximumLuminance"] as? Double == 1000)
        #expect(abs((display["minimumLuminance"] as? Double ?? 0) - 0.005) < 1e-6)
        let light = try #require(hdr["contentLight"] as? [String: Any])
        #expect(light["maxCLL"] as? Int == 600 && light["maxFALL"] as? Int == 100)
        #expect(hdr["transfer"] as? String == "PQ")
    }

    private static let line = "PQ, mastering display 0.005 to 1000 nit, MaxCLL 600 nit, MaxFALL 100 nit"

    /// The messages are in the stream alone: MP4 and Matroska of this muxer have no boxes of them.
    @Test(arguments: ["a.mp4", "a.mkv", "a.ts"])
    func messagesOfTheStream(_ name: String) throws {
        let folder = try TemporaryFolder()
        let path = try film(
            folder, name,
            "hdr10=1:repeat-headers=1:max-cll=600,100:master-display=G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L(10000000,50)"
        )
        let (json, text) = try facts(path)
        try expectDisplay(try #require(json))
        #expect(text == Self.line)
    }

    /// `mdcv` and `clli` (ISO/IEC 14496-12), and Matroska's elements, into which ffmpeg copies them.
    @Test(arguments: ["b.mp4", "b.mkv"]) func factsOfTheContainer(_ name: String) throws {
        let folder = try TemporaryFolder()
        let plain = try film(folder, "plain.mp4", "hdr10=0")
        let short = { (value: Int) in [UInt8(value >> 8), UInt8(value & 255)] }
        let points = [8500, 39850, 6550, 2300, 35400, 14600, 15635, 16450].flatMap(short)
        let display = points + BoxPatching.bigEndian(10_000_000) + BoxPatching.bigEndian(50)
        let boxes = BoxPatching.box("mdcv", display) + BoxPatching.box("clli", short(600) + short(100))
        let path = folder.path(of: "b.mp4")
        try BoxPatching.insert(boxes, intoSampleEntryOf: plain, output: path)
        if name.hasSuffix(".mkv") {
            let copied = try Tool.run("ffmpeg", ["-v", "error", "-i", path, "-c", "copy", folder.path(of: name)])
            try #require(copied.status == 0, "\(copied.errors)")
        }
        let (json, text) = try facts(folder.path(of: name))
        try expectDisplay(try #require(json))
        #expect(text == Self.line)
        #expect(try #require(facts(plain).json?.keys.sorted()) == ["transfer"])
    }

    /// The configuration record of Dolby Vision (Dolby Vision Streams Within the ISO Base Media File Format, 3.1).
    @Test(
        arguments: [
            (5, 0, 6, false, "dvcC"), (7, 6, 3, true, "dvcC"), (8, 1, 9, false, "dvvC"), (8, 4, 63, false, "dvvC"),
        ] as [(Int, Int, Int, Bool, String)])
    func dolbyVision(_ profile: Int, _ compatibility: Int, _ level: Int, _ isEnhanced: Bool, _ box: String) throws {
        let folder = try TemporaryFolder()
        let isHLG = compatibility == 4
        let plain = try film(folder, "plain.mp4", "hdr10=0", transfer: isHLG ? "arib-std-b67" : "smpte2084")
        let flags = profile << 9 | level << 3 | 0b101 | (isEnhanced ? 0b10 : 0)
        let record =
            [1, 0, UInt8(flags >> 8), UInt8(flags & 255), UInt8(compatibility << 4)] + [UInt8](repeating: 0, count: 19)
        let path = folder.path(of: "dolby.mp4")
        try BoxPatching.insert(BoxPatching.box(box, record), intoSampleEntryOf: plain, output: path)
        let (json, text) = try facts(path)
        let vision = try #require(json?["dolbyVision"] as? [String: Any])
        #expect(vision["profile"] as? Int == profile && vision["compatibility"] as? Int == compatibility, "\(vision)")
        #expect(vision["level"] as? Int == level && vision["enhancementLayer"] as? Bool == isEnhanced, "\(vision)")
        let transfer = isHLG ? "HLG" : "PQ"
        #expect(text == "\(transfer), Dolby Vision profile \(profile).\(compatibility), level \(level)")
        #expect(json?["transfer"] as? String == transfer)
    }

    @Test func othersSayNothing() throws {
        let (json, text) = try facts(Clip.folder + "/clips/h264-bf3.mp4")
        #expect(json == nil && text == nil)
    }
}
