import Foundation
import Scrub
import ScrubThumbnails
import ScrubPictures
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Contact sheets as pictures and drawings.
@Suite struct ContactSheetTests {
    private func options(_ format: ContactSheet.Options.Format) -> ContactSheet.Options {
        var options = ContactSheet.Options()
        options.request = ThumbnailPlan.Request(.at([.frame(3), .frame(10), .frame(40), .frame(77)]))
        (options.columns, options.width, options.format) = (3, 640, format)
        return options
    }

    /// In a picture each thumbnail is there as it came, the words are on it, and a head is above.
    @Test func aPictureHasItsThumbnailsAndWords() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let sheet = try clip.asset.contactSheet(options: options(.png))
        #expect(sheet.width == 640 && sheet.slots.map(\.frameNumber) == [3, 10, 40, 77] && sheet.warnings == [])
        let scratch = try TemporaryFolder()
        let path = try scratch.write(sheet.bytes, to: "sheet.png")
        let pixels = try Tool.run(
            "ffmpeg", ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
        ).bytes
        try #require(pixels.count == sheet.width * sheet.height * 3)
        let canvas = RasterImage(
            width: sheet.width, height: sheet.height, channels: 3, bitDepth: 8, bytes: [UInt8](pixels), color: .sRGB)
        // Three on 640 pixels less the margins and two gaps.
        let width = (640 - 32 - 16) / 3 / 2 * 2
        var strip = ThumbnailStrip.Options(ThumbnailPlan.Request(.at([.frame(10)])))
        strip.thumbnails.widths = [width]
        (strip.sheets.columns, strip.sheets.rows, strip.sheets.format) = (1, 1, .png)
        let tile = try #require(
            try clip.asset.writeStrip(into: scratch.path + "/strip", options: strip).storyboards.first)
        let small = try Tool.run(
            "ffmpeg",
            ["-v", "error", "-i", scratch.path + "/strip/sheet-000.png", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
        ).bytes
        let left = (640 - (3 * (width + 8) - 8)) / 2 + width + 8
        let height = tile.tileHeight
        let heads = (60..<140).filter { y in
            canvas.cropped(x: left, y: y, width: width, height: height / 2).bytes
                == [UInt8](small.prefix(width * height / 2 * 3))
        }
        let top = try #require(heads.first, "the second picture's upper half, unchanged")
        // Below, white letters on a dark box.
        let corner = canvas.cropped(x: left + width - 40, y: top + height - 12, width: 40, height: 12).bytes
        #expect(corner.contains { $0 > 200 } && corner.count { $0 < 40 } > corner.count / 3)
        let head = canvas.cropped(x: 16, y: 8, width: 300, height: 44).bytes
        #expect(head.contains { $0 < 80 }, "letters of the head")
    }

    /// The words of the head are whole on narrow sheets too: it takes more lines.
    @Test(arguments: [320, 480, 760, 1600])
    func wordsOfTheHeadAreWhole(_ width: Int) throws {
        let clip = try KnownClip("film-h264.mkv")
        var options = options(.svg)
        options.request = ThumbnailPlan.Request(.count(12), tolerance: .keyframe)
        options.width = width
        let drawing = try #require(String(bytes: try clip.asset.contactSheet(options: options).bytes, encoding: .utf8))
        let head = drawing.components(separatedBy: "class=\"facts\">").dropFirst().map {
            $0.components(separatedBy: "</text>")[0]
        }
        #expect(!drawing.contains("…"), "\(head)")
        #expect(head.joined(separator: " ").hasSuffix(" s away"), "\(head)")
    }

    /// The drawing tells the film's facts, and its pictures can be proven.
    @Test func aDrawingCanBeProven() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let scratch = try TemporaryFolder()
        for showsTimes in [true, false] {
            var options = options(.svg)
            options.showsTimes = showsTimes
            // Too narrow for words.
            if !showsTimes { (options.columns, options.width) = (4, 160) }
            let sheet = try clip.asset.contactSheet(options: options)
            let svg = String(decoding: sheet.bytes, as: UTF8.self)
            // They are cut to what the narrow one has room for.
            let facts = ["h264-bf3.mp4", "h264", "fps", "100 frames"]
            #expect(!showsTimes || facts.allSatisfy { svg.contains($0) })
            try scratch.write(sheet.bytes, to: "contact.svg")
            let found = try clip.asset.verifyThumbnailSets(in: scratch.path)
            #expect(found.isSound && found.sets.first?.comparedCount == 4, "\(found.problems)")
        }
    }

    /// A name from anywhere: markup, letters of all scripts, and longer than the sheet is wide.
    /// The head has the film's high dynamic range and its sound.
    @Test(arguments: [
        ("colour-hlg.mp4", ["HLG"]), ("colour-pq.mp4", ["HDR10"]), ("audio-first.mp4", ["aac 1 channel 32 kHz"]),
    ])
    func theHeadHasLightAndSound(_ clip: String, _ words: [String]) throws {
        var options = options(.svg)
        options.request = ThumbnailPlan.Request(.count(1))
        let sheet = try KnownClip(clip).asset.contactSheet(options: options)
        let head = String(decoding: sheet.bytes, as: UTF8.self).components(separatedBy: "class=\"facts\">").dropFirst()
            .map { String($0.prefix { $0 != "<" }) }
        for word in words { #expect(head.contains { $0.contains(word) }, "\(word): \(head)") }
        #expect(head.contains { $0.contains("kHz") } == clip.hasPrefix("audio"))
    }

    @Test func namesOfAllKinds() throws {
        let scratch = try TemporaryFolder()
        let names = ["a<b>&\"'.mp4", "日本語 العربية émile.mp4", String(repeating: "long ", count: 40) + ".mp4"]
        for name in names {
            let path = scratch.path(of: name)
            try FileManager.default.copyItem(atPath: Clip.folder + "/clips/h264-bf3.mp4", toPath: path)
            let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
            var options = options(.jpeg)
            options.width = 300
            #expect(try JPEG.size(of: try asset.contactSheet(options: options).bytes).width == 300, "\(name)")
        }
    }

    @Test func theCommandWritesBySuffix() throws {
        let scratch = try TemporaryFolder()
        let film = Clip.folder + "/clips/demo.mp4"
        for (name, magic) in [
            ("a.jpg", [0xFF, 0xD8]), ("a.png", [0x89, 0x50]), ("a.webp", [0x52, 0x49]), ("a.svg", [0x3C, 0x73]),
        ] {
            let result = try Tool.run(
                CommandTests.program,
                [
                    "sheet", film, "--no-cache", "--columns", "3", "--rows", "2", "--width", "300", "-o",
                    scratch.path(of: name),
                ])
            #expect(result.status == 0 && result.output.hasPrefix("6 pictures, 300 x "), "\(result.errors)")
            #expect(try scratch.bytes(name).prefix(2).map(Int.init) == magic)
        }
        let piped = try Tool.run(CommandTests.program, ["sheet", film, "-c", "2", "-r", "1", "-w", "128", "-o", "-"])
        #expect(piped.bytes.starts(with: [0xFF, 0xD8]))
        for (arguments, word) in [
            (["-o", "x.gif"], ".svg"), (["-o", "x.jpg", "--columns", "0"], "1 to 100"),
            (["-o", "x.jpg", "--width", "70", "--columns", "9"], "fewer columns"),
            (["-o", "x.jpg", "--count", "3", "--rows", "2"], "omit --rows"),
            (["-o", "x.jpg", "--columns", "1", "--rows", "100", "--width", "1000"], "fewer pictures"),
        ] {
            let result = try Tool.run(CommandTests.program, ["sheet", film] + arguments)
            #expect(result.status == 64 && result.errors.contains(word), "\(arguments) \(result.errors)")
        }
    }

    /// A plot has the format of its suffix.
    @Test func plotsAreWrittenBySuffix() throws {
        let scratch = try TemporaryFolder()
        let film = Clip.folder + "/clips/h264-bf3.mp4"
        for (name, start) in [("a.svg", "<svg"), ("a.html", "<!doctype html>"), ("a.png", "\u{FFFD}PNG")] {
            for command in [
                ["gesture", film, "--made", "drag", "--seconds", "0.1"], ["bench", film, "--requests", "2"],
            ] {
                let result = try Tool.run(
                    CommandTests.program,
                    command
                        + ["--no-cache", "--plot", scratch.path(of: name)].filter {
                            $0 != "--no-cache" || command[0] == "gesture"
                        })
                #expect(result.status == 0, "\(result.errors)")
                #expect(try scratch.text(name).hasPrefix(start))
            }
        }
        for command in [["gesture", film, "--made", "drag"], ["bench", film]] {
            for name in ["a.gif", "svg"] {
                let result = try Tool.run(CommandTests.program, command + ["--plot", name])
                #expect(result.status == 64 && result.errors.contains(".svg, .html or .png") && result.output.isEmpty)
            }
        }
    }
}
