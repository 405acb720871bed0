import Foundation
import Scrub
import ScrubThumbnails
import ScrubIndex
import ScrubLibAV
import ScrubPlayers
import ScrubPlayersLogic
import ScrubTestClips
import ScrubTestSupport
import Testing

@testable import ScrubMedia

/// Parts that containers want cut off are cut off of pictures for people, before they are turned and made square, and
/// of nothing else.
@Suite struct CleanApertureTests {
    private static let coding = PatchCoding(name: "BT.601", matrix: "smpte170m", isFullRange: true, bits: 8)
    private static let (width, height) = (144, 112)
    /// The visible part: 8 columns and 4 rows go on one side, 16 and 12 on the other.
    private static let (left, top, seenWidth, seenHeight) = (8, 4, 120, 96)
    private static let colors = [[0.9, 0.1, 0.1], [0.1, 0.8, 0.2], [0.2, 0.2, 0.9], [0.9, 0.8, 0.2]]

    /// Four quarters inside, magenta outside: one wrong column would be seen.
    private static func clip(_ path: String, codec: String = "libx264", filter: String = "null") throws {
        let codes = colors.map(coding.codes)
        let outside = coding.codes([1, 0, 1])
        var planes: [Int] = []
        for (k, step) in [(0, 1), (1, 2), (2, 2)] {
            for y in stride(from: 0, to: height, by: step) {
                for x in stride(from: 0, to: width, by: step) {
                    let (u, v) = (x - left, y - top)
                    let isInside = u >= 0 && v >= 0 && u < seenWidth && v < seenHeight
                    planes.append(
                        isInside ? codes[(u * 2 >= seenWidth ? 1 : 0) + (v * 2 >= seenHeight ? 2 : 0)][k] : outside[k])
                }
            }
        }
        try PatchClip.bytes(planes, bits: 8).write(to: URL(filePath: path + ".yuv"))
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "\(width)x\(height)",
                "-r",
                "5", "-i", path + ".yuv", "-c:v", codec, "-qp", "0",
            ] + coding.tags(after: filter) + [path])
        try #require(made.status == 0, "\(made.errors)")
    }

    /// Width, height, and where the middle lies, as fractions.
    private static func clap(_ fractions: [(Int, Int)]) -> [UInt8] {
        BoxPatching.box(
            "clap",
            fractions.flatMap {
                BoxPatching.bigEndian(UInt32(bitPattern: Int32($0.0)))
                    + BoxPatching.bigEndian(UInt32(bitPattern: Int32($0.1)))
            })
    }

    private static let usual = [(seenWidth, 1), (seenHeight, 1), (-4, 1), (-4, 1)]

    /// The four quarters of a shown picture, in reading order, all the way to its edges.
    private static func check(
        _ reading: PatchReading, _ width: Int, _ height: Int, _ order: [Int], _ comment: String
    ) {
        for (place, color) in order.enumerated() {
            let wanted = colors[color].map { $0 * 255 }
            let (beginX, beginY) = (place % 2 * width / 2, place / 2 * height / 2)
            // One pixel from the edges, some from where colors meet: there chroma's interpolation overshoots.
            let columns =
                place % 2 == 0 ? [1, width / 4, width / 2 - 10] : [beginX + 9, beginX + width / 4, width - 2]
            let rows =
                place / 2 == 0 ? [1, height / 4, height / 2 - 10] : [beginY + 9, beginY + height / 4, height - 2]
            for y in rows {
                for x in columns {
                    let found = reading.color(x: x, y: y)
                    #expect(
                        PatchReading.distance(found, wanted) <= 6, "\(comment) at \(x), \(y): \(found), not \(wanted)")
                }
            }
        }
    }

    private static func reading(_ picture: EncodedPicture, _ path: String) throws -> PatchReading {
        try Data(picture.bytes).write(to: URL(filePath: path))
        return try PatchReading(path, width: picture.width, height: picture.height, format: .png)
    }

    /// a, b, c and d of the eight ways to turn and mirror.
    private static let matrices = [
        [1, 0, 0, 1], [0, 1, -1, 0], [-1, 0, 0, -1], [0, -1, 1, 0], [-1, 0, 0, 1], [1, 0, 0, -1], [0, 1, 1, 0],
        [0, -1, -1, 0],
    ]

    /// All eight orientations, with square and other pixels. A strip, a poster and a seek's picture show the quarters
    /// that the matrix puts there. ISO/IEC 14496-12 6.2.2 says that a stored point (p, q) goes to (ap + cq, bp + dq).
    @Test(arguments: matrices, [(1, 1), (4, 3), (2, 3)])
    func croppedTurnedAndSquare(matrix: [Int], aspect: (Int, Int)) throws {
        let scratch = try TemporaryFolder()
        let (plain, path) = (scratch.path + "/plain.mp4", scratch.path + "/cropped.mp4")
        try Self.clip(plain, filter: "setsar=\(aspect.0)/\(aspect.1)")
        try BoxPatching.insert(Self.clap(Self.usual), intoSampleEntryOf: plain, output: path)
        try BoxPatching.setMatrix(matrix, path)
        // Width or height grows, then both may change places.
        var size = (width: Self.seenWidth, height: Self.seenHeight)
        if aspect.0 > aspect.1 { size.width = size.width * aspect.0 / aspect.1 }
        if aspect.0 < aspect.1 { size.height = size.height * aspect.1 / aspect.0 }
        if matrix[0] == 0 { size = (size.height, size.width) }
        var order = [0, 0, 0, 0]
        for (color, (p, q)) in [(-1, -1), (1, -1), (-1, 1), (1, 1)].enumerated() {
            let (x, y) = (matrix[0] * p + matrix[2] * q, matrix[1] * p + matrix[3] * q)
            order[(x > 0 ? 1 : 0) + (y > 0 ? 2 : 0)] = color
        }
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        var reader = FrameReader(asset)
        let picture = try #require(try reader.frame(at: .first).picture)
        let png = try picture.png()
        #expect(png.width == size.width && png.height == size.height)
        Self.check(try Self.reading(png, scratch.path + "/a.png"), png.width, png.height, order, "seek")
        let poster = try picture.encoded(as: .png)
        #expect(poster.width == size.width && poster.height == size.height)
        Self.check(try Self.reading(poster, scratch.path + "/b.png"), size.width, size.height, order, "poster")
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(1)))
        options.thumbnails.widths = [64]
        (options.sheets.columns, options.sheets.rows, options.sheets.format) = (1, 1, .png)
        let board = try #require(
            try asset.writeStrip(into: scratch.path + "/strip", options: options).storyboards.first)
        let sheet = try #require(board.sheets.first)
        #expect(sheet.width == 64 && abs(Double(sheet.height) - Double(64 * size.height) / Double(size.width)) <= 1)
        Self.check(
            try PatchReading(
                scratch.path + "/strip/" + sheet.name, width: sheet.width, height: sheet.height, format: .png),
            sheet.width, sheet.height, order, "strip")
        // The decoded picture stays as it was.
        let raw = try picture.png(FramePicture.Options(appliesGeometry: false))
        #expect(raw.width == Self.width && raw.height == Self.height && picture.width == Self.width)
        let uncropped = try VideoAsset(path: plain, options: VideoAsset.OpenOptions(cache: .none))
        var other = FrameReader(uncropped)
        let whole = try #require(try other.frame(at: .first).picture)
        let (own, theirs) = (try picture.md5(), try whole.md5())
        #expect(own == theirs)
    }

    /// A box's fractions, and the area that they are: left, top, width, height.
    private static let boxes: [(fractions: [(Int, Int)], area: [Int])] = [
        (usual, [8, 4, 120, 96]), ([(120, 1), (112, 1), (0, 1), (0, 1)], [12, 0, 120, 112]),
        // 59.5 and 48.25 around a middle 1/3 to the right and 1/2 up: from 42.58 to 102.08 and from 31.38 to 79.63.
        ([(119, 2), (193, 4), (1, 3), (-1, 2)], [43, 31, 59, 49]),
        ([(144, 1), (112, 1), (0, 1), (0, 1)], []), ([(160, 1), (112, 1), (0, 1), (0, 1)], []),
        ([(120, 0), (112, 1), (0, 1), (0, 1)], []), ([(120, 1), (96, 1), (100, 1), (0, 1)], []),
        ([(120, 1), (96, 1), (0, 1), (Int(Int32.min), 1)], []), ([(-1, 1), (-1, -1), (-1, 7), (1, -7)], []),
    ]

    /// The index keeps it, `scrub info` tells it, and the figures of the box are rounded to whole pixels.
    @Test(arguments: boxes.indices) func theBoxIsChecked(index: Int) throws {
        let (fractions, area) = Self.boxes[index]
        let scratch = try TemporaryFolder()
        let (plain, path) = (scratch.path + "/plain.mp4", scratch.path + "/cropped.mp4")
        try Self.clip(plain)
        try BoxPatching.insert(Self.clap(fractions), intoSampleEntryOf: plain, output: path)
        let environment = ["XDG_CACHE_HOME": scratch.path + "/cache"]
        // Twice: from the tables, then from the saved index.
        for _ in 0..<2 {
            let result = try Tool.run(CommandTests.program, ["info", path, "--json"], environment: environment)
            let object = try #require(
                JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
            let found = object["cleanAperture"] as? [String: Int]
            #expect(["left", "top", "width", "height"].compactMap { found?[$0] } == area)
            #expect(object["width"] as? Int == Self.width && object["height"] as? Int == Self.height)
            let isWarned = (object["warnings"] as? [String])?.contains { $0.contains("clap") } ?? false
            #expect(isWarned == (area.isEmpty && fractions[0].0 != 144), "\(object)")
        }
    }

    /// A preview shows what the exact picture shows, and so does a key picture: both are reduced, and cut before that.
    @Test func previewsAreCutOffToo() throws {
        let scratch = try TemporaryFolder()
        let (plain, path) = (scratch.path + "/plain.mp4", scratch.path + "/cropped.mp4")
        try Self.clip(plain, filter: "loop=loop=4:size=1")
        try BoxPatching.insert(Self.clap(Self.usual), intoSampleEntryOf: plain, output: path)
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        var options = ScrubSession.Options()
        options.previewSide = 64
        let session = try ScrubSession(asset, options: options)
        session.waitForPreviews(aroundFrame: 0)
        let preview = try #require(session.previewTrack?.picture(ofFrame: 2))
        let allocator = FrameAllocator(reserveCount: 1)
        var reader = FrameReader(asset)
        let exact = try #require(try reader.frame(numbered: 2).picture)
        let reducer = PictureReducer(longSide: 64, asset.index.facts, allocator)
        let key = try #require(reducer.reduce(exact.shared))
        for (name, picture) in [("preview", preview), ("key", key)] {
            let png = try FramePicture(picture, asset: asset).png()
            #expect(png.width == 64 && png.height == 52, "\(name)")
            Self.check(
                try Self.reading(png, scratch.path + "/\(name).png"), png.width, png.height, [0, 1, 2, 3], name)
        }
    }

    /// A medium's poster is a reduced picture, too.
    @Test func postersOfMediaAreCutOffToo() async throws {
        let scratch = try TemporaryFolder()
        let (plain, path) = (scratch.path + "/plain.mp4", scratch.path + "/cropped.mp4")
        try Self.clip(plain, filter: "scale=4*iw:4*ih:flags=neighbor")
        let large = Self.usual.map { (4 * $0.0, $0.1) }
        try BoxPatching.insert(Self.clap(large), intoSampleEntryOf: plain, output: path)
        let media = PlayerMedia(path: path, options: VideoAsset.OpenOptions(cache: .none))
        try await media.load(.poster)
        let png = try #require(media.poster).png()
        #expect(png.width == 320 && png.height == 256)
        Self.check(try Self.reading(png, scratch.path + "/poster.png"), 320, 256, [0, 1, 2, 3], "poster")
    }

    /// A player's reduced pictures are cut off before they are reduced, as its whole ones are when they are shown. A
    /// strip made of previews has nothing to cut any more.
    @Test func playersAndStripsOfPreviewsAreCutOffToo() throws {
        let scratch = try TemporaryFolder()
        let (plain, path) = (scratch.path + "/plain.mp4", scratch.path + "/cropped.mp4")
        try Self.clip(plain, filter: "loop=loop=4:size=1")
        try BoxPatching.insert(Self.clap(Self.usual), intoSampleEntryOf: plain, output: path)
        try scratch.age("cropped.mp4", to: 1_000_000_000)
        let cache = VideoAsset.IndexCache(path: scratch.path + "/cache")
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: cache))
        let feed = EnginePictureFeed(asset, inside: (100, 100))
        try feed.begin(at: 2, .forward, stride: 1)
        var shown: FedPicture<FramePicture>?
        while shown == nil { if case .frame(let fed) = try feed.step(isAhead: false) { shown = fed } }
        let png = try #require(shown?.image).png()
        #expect(png.width == 100 && png.height == 80)
        Self.check(try Self.reading(png, scratch.path + "/player.png"), 100, 80, [0, 1, 2, 3], "player")

        _ = try asset.keepPreviews()
        var strip = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(1)))
        (strip.thumbnails.widths, strip.thumbnails.usesKeptPreviews) = ([100], true)
        (strip.sheets.columns, strip.sheets.rows, strip.sheets.format) = (1, 1, .png)
        let made = try asset.writeStrip(into: scratch.path + "/strip", options: strip)
        let board = try #require(made.storyboards.first)
        #expect(made.warnings.isEmpty && board.thumbnails.allSatisfy(\.isFromPreview), "\(made.warnings)")
        let sheet = try #require(board.sheets.first)
        let reading = try PatchReading(
            scratch.path + "/strip/" + sheet.name, width: sheet.width, height: sheet.height, format: .png)
        Self.check(reading, 100, 80, [0, 1, 2, 3], "strip of previews")
    }

    /// `hash` is ffmpeg's figure, whether that ffmpeg cuts off (7.1) or not, to an odd column and in a file that the
    /// tables don't serve. Pictures for people are cut off once in both cases.
    @Test(arguments: [0, 1, 2], ["libx264", "mpeg4"]) func theHashIsFFmpegs(box: Int, codec: String) throws {
        let (fractions, area) = Self.boxes[box]
        let scratch = try TemporaryFolder()
        let (plain, path) = (scratch.path + "/plain.mp4", scratch.path + "/cropped.mp4")
        try Self.clip(plain, codec: codec)
        try BoxPatching.insert(Self.clap(fractions), intoSampleEntryOf: plain, output: path)
        #expect(try Self.checkHash(path) == (area[2], area[3]))
    }

    /// Expects the hashes to be those that ffmpeg prints.
    ///
    /// - Returns: the size of the shown picture.
    private static func checkHash(_ path: String) throws -> (width: Int, height: Int) {
        let clip = try KnownClip(path: path)
        var reader = FrameReader(clip.asset)
        let picture = try #require(try reader.frame(at: .first).picture)
        let hash = try picture.streamMD5()
        #expect(clip.hashes == [hash])
        #expect(picture.width == Self.width && picture.height == Self.height)
        let png = try picture.png()
        return (png.width, png.height)
    }

    /// Makes PixelCropLeft and PixelCropTop of a Matroska file's display size.
    private static func crop(_ path: String, left: UInt8, top: UInt8) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        for (old, new, value) in [(0xB0, 0xCC, left), (0xBA, 0xBB, top)] as [(UInt8, UInt8, UInt8)] {
            let place = try #require(
                (0..<1000).first { bytes[$0] == 0x54 && bytes[$0 + 1] == old && [0x81, 0x82].contains(bytes[$0 + 2]) })
            bytes[place + 1] = new
            let count = Int(bytes[place + 2] & 0x7F)
            for i in 0..<count { bytes[place + 3 + i] = i == count - 1 ? value : 0 }
        }
        try Data(bytes).write(to: URL(filePath: path))
    }

    /// Odd crops, by both ways of making an index: shown to the very column, hashed as ffmpeg does.
    @Test(arguments: ["libx264", "ffv1"]) func oddCropsOfMatroska(codec: String) throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path + "/cropped.mkv"
        try Self.clip(path, codec: codec, filter: "setsar=4/3")
        try Self.crop(path, left: 23, top: 7)
        // The bit stream's own aspect may be left: only the rows are sure.
        #expect(try Self.checkHash(path).height == Self.height - 7)
    }

    /// Matroska's PixelCrop elements, put in the place of its display size, by both ways of making an index.
    @Test(arguments: ["libx264", "ffv1"]) func matroska(codec: String) throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path + "/cropped.mkv"
        try Self.clip(path, codec: codec, filter: "setsar=4/3")
        try Self.crop(path, left: 24, top: 16)
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        let area = try #require(try asset.info().cleanAperture)
        #expect(area.left == 24 && area.top == 16)
        #expect(area.width == Self.width - 24 && area.height == Self.height - 16)
        var reader = FrameReader(asset)
        let png = try #require(try reader.frame(at: .first).picture).png()
        // The bit stream's own aspect may be left: only the rows are sure.
        #expect(png.height == Self.height - 16)
        let reading = try Self.reading(png, scratch.path + "/a.png")
        #expect(PatchReading.distance(reading.color(x: 2, y: 2), Self.colors[0].map { $0 * 255 }) <= 6)
    }
}
