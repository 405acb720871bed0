import Foundation
import Scrub
import Testing

/// Colors from the stored codes to the encoded thumbnail: flat patches come out as the standards' formulas say.
@Suite struct ThumbnailColorTests {
    /// How a clip's patches are coded.
    struct Coding: Sendable, CustomTestStringConvertible {
        var name: String
        /// Kr and Kb (ITU-T H.273 Table 4).
        var weights: (red: Double, blue: Double)
        var isFullRange: Bool
        var bits: Int
        var matrix: String
        var primaries: String
        var transfer: String

        var testDescription: String { name }
    }

    static let codings = [
        Coding(
            name: "BT.601 limited", weights: (0.299, 0.114), isFullRange: false, bits: 8, matrix: "smpte170m",
            primaries: "smpte170m", transfer: "smpte170m"),
        Coding(
            name: "BT.601 full", weights: (0.299, 0.114), isFullRange: true, bits: 8, matrix: "smpte170m",
            primaries: "smpte170m", transfer: "smpte170m"),
        Coding(
            name: "BT.709 limited", weights: (0.2126, 0.0722), isFullRange: false, bits: 8, matrix: "bt709",
            primaries: "bt709", transfer: "bt709"),
        Coding(
            name: "BT.709 full, 10 bits", weights: (0.2126, 0.0722), isFullRange: true, bits: 10, matrix: "bt709",
            primaries: "bt709", transfer: "bt709"),
        // Primaries of BT.709: the matrix alone is looked at, the mapping of primaries is ToneMapperTests' business.
        Coding(
            name: "BT.2020 limited, 10 bits", weights: (0.2627, 0.0593), isFullRange: false, bits: 10,
            matrix: "bt2020nc", primaries: "bt709", transfer: "bt709"),
    ]

    private static let colors: [[Double]] = [
        [255, 255, 255], [0, 0, 0], [128, 128, 128], [200, 40, 60], [30, 160, 80], [50, 70, 210], [230, 210, 40],
        [220, 170, 140],
    ]

    /// The codes of a color, and the color that they mean after rounding.
    private static func codes(_ rgb: [Double], _ coding: Coding) -> (yuv: [Int], rgb: [Double]) {
        let (kr, kb) = coding.weights
        let maximum = Double(1 << coding.bits - 1)
        let step = Double(1 << (coding.bits - 8))
        let (low, luma, chroma) =
            coding.isFullRange ? (0, maximum, maximum) : (16 * step, 219 * step, 224 * step)
        let middle = 128 * step
        let (r, g, b) = (rgb[0] / 255, rgb[1] / 255, rgb[2] / 255)
        let y = kr * r + (1 - kr - kb) * g + kb * b
        func code(_ value: Double) -> Int { Int(min(maximum, max(0, value.rounded()))) }
        let yuv = [
            code(low + luma * y), code(middle + chroma * (b - y) / (2 * (1 - kb))),
            code(middle + chroma * (r - y) / (2 * (1 - kr))),
        ]
        let (e, cb, cr) = (
            (Double(yuv[0]) - low) / luma, (Double(yuv[1]) - middle) / chroma, (Double(yuv[2]) - middle) / chroma
        )
        let (red, blue) = (e + 2 * (1 - kr) * cr, e + 2 * (1 - kb) * cb)
        let green = (e - kr * red - kb * blue) / (1 - kr - kb)
        return (yuv, [red, green, blue].map { min(255, max(0, $0 * 255)) })
    }

    /// A lossless clip of one flat color a frame.
    private static func clip(_ frames: [[Int]], _ coding: Coding, in folder: String) throws -> VideoAsset {
        var bytes = Data()
        let (luma, chroma) = (64 * 48, 32 * 24)
        for frame in frames {
            for (value, count) in [(frame[0], luma), (frame[1], chroma), (frame[2], chroma)] {
                let code = coding.bits > 8 ? [UInt8(value & 255), UInt8(value >> 8)] : [UInt8(value)]
                for _ in 0..<count { bytes.append(contentsOf: code) }
            }
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let (raw, path) = (folder + "/raw.yuv", folder + "/patches.mkv")
        try bytes.write(to: URL(filePath: raw))
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "rawvideo", "-pix_fmt", coding.bits > 8 ? "yuv420p10le" : "yuv420p",
                "-s", "64x48", "-r", "5", "-i", raw, "-c:v", "ffv1", "-color_range", coding.isFullRange ? "pc" : "tv",
                "-colorspace", coding.matrix, "-color_primaries", coding.primaries, "-color_trc", coding.transfer, path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        return try VideoAsset(path: path, options: OpenOptions(cache: .none))
    }

    /// The color in the middle of each tile of a sheet, as ffmpeg decodes it.
    private static func middles(_ board: Storyboard, _ folder: String) throws -> [[Int]] {
        let sheet = try #require(board.sheets.first)
        let pixels = try Tool.run(
            "ffmpeg", ["-v", "error", "-i", folder + "/" + sheet.name, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
        ).bytes
        return board.thumbnails.map { tile in
            let place = ((tile.y + tile.height / 2) * sheet.width + tile.x + tile.width / 2) * 3
            return (0..<3).map { Int(pixels[place + $0]) }
        }
    }

    @Test(arguments: codings, [ImageFormat.png, .jpeg, .webp, .avif])
    func patchesComeOutAsComputed(_ coding: Coding, _ format: ImageFormat) throws {
        let scratch = StripTests.Scratch()
        let patches = ThumbnailColorTests.colors.map { ThumbnailColorTests.codes($0, coding) }
        let asset = try ThumbnailColorTests.clip(patches.map(\.yuv), coding, in: scratch.path)
        var options = StripOptions(ThumbnailRequest(.at(patches.indices.map { .frame($0) })))
        options.thumbnails.widths = [32]
        (options.sheets.columns, options.sheets.format, options.sheets.quality) = (4, format, 95)
        let report = try asset.writeStrip(into: scratch.path + "/strip", options)
        let found = try ThumbnailColorTests.middles(try #require(report.storyboards.first), scratch.path + "/strip")
        // Lossy WebP has limited range only: half a code of it and the conversion are a code more.
        let tolerance = format == .png ? 1.0 : format == .webp ? 3 : 2
        for (patch, color) in zip(patches, found) {
            for (expected, value) in zip(patch.rgb, color) {
                #expect(abs(expected - Double(value)) <= tolerance + 0.5, "\(patch.rgb) became \(color)")
            }
        }
    }

    /// Grays of PQ at 100, 203 and 1,000 nit, and of HLG, are where the tone curve (BT.2390 from 1,000 nit, 203 nit as SDR
    /// white) puts them; grays stay gray.
    @Test func highDynamicRangeIsMapped() throws {
        func pq(_ nits: Double) -> Double {
            // SMPTE ST 2084, 5.2.
            let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
            let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)
            let y = pow(nits / 10_000, m1)
            return pow((c1 + c2 * y) / (1 + c3 * y), m2)
        }
        let coding = Coding(
            name: "PQ", weights: (0.2627, 0.0593), isFullRange: false, bits: 10, matrix: "bt2020nc",
            primaries: "bt2020", transfer: "smpte2084")
        let levels = [0.0, 100, 203, 1000, 4000]
        let scratch = StripTests.Scratch()
        let frames = levels.map { [Int((64 + 876 * pq($0)).rounded()), 512, 512] }
        let asset = try ThumbnailColorTests.clip(frames, coding, in: scratch.path)
        var options = StripOptions(ThumbnailRequest(.at(frames.indices.map { .frame($0) })))
        options.thumbnails.widths = [32]
        (options.sheets.columns, options.sheets.format) = (5, .png)
        let report = try asset.writeStrip(into: scratch.path + "/strip", options)
        let found = try ThumbnailColorTests.middles(try #require(report.storyboards.first), scratch.path + "/strip")
        for (color, expected) in zip(found, [0, 186, 229, 255, 255]) {
            #expect(color.allSatisfy { abs($0 - expected) <= 2 }, "\(color), expected \(expected)")
        }
    }
}
