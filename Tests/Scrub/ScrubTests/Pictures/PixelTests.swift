import Foundation
import Scrub
import ScrubThumbnails
import ScrubPictures
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Pictures as pixels in memory, as a client asks for them.
@Suite struct PixelTests {
    private func picture(_ clip: String, _ position: FramePosition = .first) throws -> FramePicture {
        let asset = try VideoAsset(path: Clip.folder + "/clips/" + clip, options: VideoAsset.OpenOptions(cache: .none))
        var reader = FrameReader(asset)
        return try #require(try reader.frame(at: position).picture)
    }

    /// A PNG's samples as ffmpeg reads them.
    private func decoded(_ png: EncodedPicture, as format: String) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = try folder.write(png.bytes, to: "a.png")
        let result = try Tool.run(
            "ffmpeg", ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", format, "-"])
        return Array(result.bytes)
    }

    @Test(arguments: [
        "h264-bf3.mp4", "h264-odd.mp4", "rotate-90.mp4", "rotate-0-mirror.mp4", "h264-gray.mp4", "ffv1-yuva.mkv",
        "colour-pq.mp4", "colour-hlg.mp4", "colour-2020.mp4", "h264-mbaff.mp4", "h264-sar-4-3.mp4", "anim.gif",
    ])
    func pixelsAtFullSizeAreThePNGs(_ clip: String) throws {
        let picture = try picture(clip)
        let png = try picture.png()
        let pixels = try picture.pixels()
        #expect((pixels.width, pixels.height) == (png.width, png.height))
        #expect(try picture.outputSize() == (png.width, png.height))
        let isRGBASame = try pixels.bytes == decoded(png, as: "rgba")
        let isBGRASame = try picture.pixels(.bgra8).bytes == decoded(png, as: "bgra")
        #expect(isRGBASame && isBGRASame)
    }

    /// 16 bits come from 10 as the PNG has them.
    @Test func deepPixelsAreThePNGs() throws {
        let picture = try picture("h264-high10.mp4")
        let png = try picture.png()
        let isSame = try picture.pixels(.rgba16).bytes == decoded(png, as: "rgba64le")
        #expect(isSame)
        let floats = try picture.pixels(.rgbaFloat32)
        let words = try picture.pixels(.rgba16)
        floats.bytes.withUnsafeBytes { floats in
            words.bytes.withUnsafeBytes { words in
                let same = (0..<words.count / 2).allSatisfy {
                    floats.load(fromByteOffset: 4 * $0, as: Float.self)
                        == Float(words.load(fromByteOffset: 2 * $0, as: UInt16.self)) / 65535
                }
                #expect(same)
            }
        }
    }

    /// At a thumbnail's size the pixels are the thumbnail's.
    @Test(arguments: ["h264-bf3.mp4", "rotate-90.mp4", "colour-pq.mp4", "colour-2020.mp4", "h264-mbaff.mp4"])
    func smallPixelsAreTheThumbnails(_ clip: String) throws {
        let folder = try TemporaryFolder()
        let path = Clip.folder + "/clips/" + clip
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.at([.first])))
        options.thumbnails.widths = [64]
        options.sheets.format = .png
        (options.sheets.columns, options.sheets.rows) = (1, 1)
        let board = try #require(try asset.writeStrip(into: folder.path, options: options).storyboards.first)
        let sheet = try Tool.run(
            "ffmpeg",
            ["-v", "error", "-i", folder.path + "/" + board.sheets[0].name, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        let pixels = try picture(clip).pixels(.rgb8, options: .init(size: .width(64)))
        #expect((pixels.width, pixels.height) == (board.tileWidth, board.tileHeight))
        let isSame = pixels.bytes == Array(sheet.bytes)
        #expect(isSame)
        let exact = try picture(clip).pixels(
            .rgb8, options: .init(size: .exact(width: board.tileWidth, height: board.tileHeight)))
        let isExactSame = exact.bytes == pixels.bytes
        #expect(isExactSame)
    }

    @Test func sizesFollowTheShape() throws {
        let picture = try picture("h264-bf3.mp4")
        func size(_ size: FramePicture.Size) throws -> [Int] {
            let found = try picture.outputSize(options: .init(size: size))
            #expect(try picture.pixels(.rgb8, options: .init(size: size)).bytes.count == found.width * found.height * 3)
            return [found.width, found.height]
        }
        #expect(try size(.natural) == [192, 112])
        #expect(try size(.width(192)) == [192, 112])
        #expect(try size(.width(96)) == [96, 56])
        #expect(try size(.width(384)) == [384, 224])
        #expect(try size(.height(56)) == [96, 56])
        #expect(try size(.exact(width: 7, height: 300)) == [7, 300])
        #expect(try size(.maximum(width: 100, height: 0)) == [100, 58])
        #expect(try size(.maximum(width: 0, height: 50)) == [86, 50])
        #expect(try size(.maximum(width: 100, height: 50)) == [86, 50])
        #expect(try size(.maximum(width: 1000, height: 1000)) == [192, 112])
        #expect(try size(.maximum(width: 0, height: 0)) == [192, 112])
        #expect(try size(.maximum(width: 1, height: 1)) == [1, 1])
        #expect(try size(.exact(width: 1, height: 1)) == [1, 1])
    }

    /// A wrong number that an application's user may have typed is an error and no trap.
    @Test func wrongNumbersAreWrongUsage() throws {
        let picture = try picture("h264-bf3.mp4")
        let sizes: [FramePicture.Size] = [
            .width(0), .width(-1), .width(.max), .height(0), .height(.min), .exact(width: 0, height: 9),
            .exact(width: 9, height: 16385), .maximum(width: -1, height: 0), .maximum(width: 9, height: .max),
        ]
        for size in sizes {
            #expect(throws: ScrubError.self, "\(size)") { try picture.outputSize(options: .init(size: size)) }
            #expect(throws: ScrubError.self, "\(size)") { try picture.pixels(.rgba8, options: .init(size: size)) }
            #expect(throws: ScrubError.self, "\(size)") { try picture.encoded(as: .png, options: .init(size: size)) }
        }
        for format in ImageFormat.allCases {
            for quality in [0, 101, 1000, -1, .min, .max] {
                let error = #expect(throws: ScrubError.self) { try picture.encoded(as: format, quality: quality) }
                #expect(error?.code == .usage)
            }
        }
        var strip = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(1)))
        strip.sheets.quality = 1000
        let folder = TemporaryFolder.unmade()
        let asset = try VideoAsset(
            path: Clip.folder + "/clips/h264-bf3.mp4", options: VideoAsset.OpenOptions(cache: .none))
        #expect(throws: ScrubError.self) { try asset.writeStrip(into: folder.path, options: strip) }
        var sets = ThumbnailSets.Options([.web])
        sets.quality = 0
        #expect(throws: ScrubError.self) { try asset.writeThumbnailSets(into: folder.path, options: sets) }
        #expect(folder.contents.isEmpty)
        strip.sheets.quality = 80
        for width in [0, -1, .min, .max] {
            strip.thumbnails.widths = [width]
            #expect(throws: ScrubError.self) { try asset.writeStrip(into: folder.path, options: strip) }
        }
    }

    /// Rows go where the stride says, and nothing else is touched.
    @Test(arguments: PixelLayout.allCases) func callersMemoryIsWrittenRowByRow(_ layout: PixelLayout) throws {
        let picture = try picture("ffv1-yuva.mkv")
        let whole = try picture.pixels(layout, alpha: .premultiplied)
        let stride = whole.bytesPerRow + 13
        var memory = [UInt8](repeating: 0xA5, count: stride * (whole.height - 1) + whole.bytesPerRow + 5)
        var span = memory.mutableSpan
        var bytes = span.mutableBytes
        let facts = try picture.write(layout, alpha: .premultiplied, into: &bytes, bytesPerRow: stride)
        #expect(facts == whole.properties)
        for row in 0..<whole.height {
            let start = row * stride
            let same = memory[start..<start + whole.bytesPerRow]
                .elementsEqual(whole.bytes[row * whole.bytesPerRow..<(row + 1) * whole.bytesPerRow])
            #expect(same, "row \(row)")
            let gap = memory[(start + whole.bytesPerRow)..<min(memory.count, start + stride)]
            #expect(gap.allSatisfy { $0 == 0xA5 }, "behind row \(row)")
        }
    }

    @Test func alphaIsMultipliedWhereItIsWanted() throws {
        let picture = try picture("ffv1-yuva.mkv")
        let straight = try picture.pixels(.rgba8).bytes
        let multiplied = try picture.pixels(.rgba8, alpha: .premultiplied).bytes
        for at in stride(from: 0, to: straight.count, by: 4) {
            let alpha = Int(straight[at + 3])
            #expect(multiplied[at + 3] == straight[at + 3])
            for k in 0..<3 { #expect(Int(multiplied[at + k]) == (Int(straight[at + k]) * alpha * 2 + 255) / 510) }
        }
        // Without alpha, and on a ground, the pixels behind are seen.
        let black = try picture.pixels(.rgb8).bytes
        let white = try picture.pixels(.rgba8, options: .init(background: .white)).bytes
        for pixel in 0..<black.count / 3 {
            let alpha = Int(straight[4 * pixel + 3])
            #expect(white[4 * pixel + 3] == 255)
            for k in 0..<3 {
                let color = Int(straight[4 * pixel + k])
                #expect(abs(Int(black[3 * pixel + k]) * 255 - color * alpha) <= 128)
                #expect(abs(Int(white[4 * pixel + k]) * 255 - color * alpha - 255 * (255 - alpha)) <= 128)
            }
        }
    }

    /// One choice, one default, for files and for pixels.
    @Test(arguments: ["colour-pq.mp4", "colour-hlg.mp4", "colour-2020.mp4"])
    func highDynamicRangeIsOneChoice(_ clip: String) throws {
        let picture = try picture(clip)
        let mapped = try picture.pixels(.rgba8)
        #expect(mapped.properties.primaries == 1)
        let kept = try picture.pixels(.rgba16, options: .init(dynamicRange: .matchSource))
        #expect(kept.properties.transfer != 13 && kept.properties.primaries == 9)
        let keptPNG = try picture.encoded(as: .png, options: .init(dynamicRange: .matchSource))
        // The depth in IHDR: pictures of 8 bits are calculated with 16 for pixels of 16, and not for a PNG.
        let isKeptSame = try keptPNG.bytes[24] == 8 || kept.bytes == decoded(keptPNG, as: "rgba64le")
        let isMappedSame = try mapped.bytes == decoded(picture.encoded(as: .png), as: "rgba")
        #expect(isKeptSame && isMappedSame)
        for format in [ImageFormat.jpeg, .webp] {
            #expect(!(try picture.encoded(as: format)).bytes.isEmpty)
            let error = #expect(throws: ScrubError.self) {
                try picture.encoded(as: format, options: .init(dynamicRange: .matchSource))
            }
            #expect(error?.code == .usage)
        }
    }

    @Test func programmingErrorsTrap() async {
        await #expect(processExitsWith: .failure) {
            guard let picture = try? PixelTests().picture("h264-bf3.mp4") else { return }
            var memory = [UInt8](repeating: 0, count: 1 << 20)
            try? memory.withUnsafeMutableBytes { bytes in
                _ = try picture.write(.rgba8, into: bytes, bytesPerRow: 192 * 4 - 1)
            }
        }
        await #expect(processExitsWith: .failure) {
            guard let picture = try? PixelTests().picture("h264-bf3.mp4") else { return }
            var memory = [UInt8](repeating: 0, count: 192 * 4 * 112 - 1)
            try? memory.withUnsafeMutableBytes { bytes in
                _ = try picture.write(.rgba8, into: bytes, bytesPerRow: 192 * 4)
            }
        }
    }

    @Test(arguments: ["h264-bf3.mp4", "h264-odd.mp4", "h264-high10.mp4", "ffv1-yuva.mkv", "anim.gif"])
    func streamBytesAreWhatIsHashed(_ clip: String) throws {
        let picture = try picture(clip)
        let folder = try TemporaryFolder()
        let path = try folder.write(picture.streamBytes(), to: "a.raw")
        #expect(try Tool.run("md5sum", [path]).output.hasPrefix(picture.streamMD5() + " "))
    }
}
