import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestSupport
import Testing

/// Colors from the stored codes to the encoded picture. Flat patches come out within two codes of the standards'
/// formulas, in every format, at the quality that the commands have by default.
@Suite struct ThumbnailColorTests {
    /// Signals of red, green and blue: grays, primaries and colors between, skin, sky and leaves.
    private static let signals: [[Double]] = [
        [0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.5], [0.75, 0, 0], [0, 0.75, 0], [0.86, 0.67, 0.55], [0.45, 0.62, 0.84],
        [0.25, 0.45, 0.15], [0.9, 0.82, 0.16], [0.2, 0.27, 0.82], [0.12, 0.63, 0.31], [0.78, 0.16, 0.24],
    ]
    private static let (columns, rows) = (4, 3)

    /// A lossless clip of one flat color a frame, 192 x 108.
    static func clip(
        _ frames: [[Int]], _ coding: PatchCoding, in folder: String, name: String = "patches.mkv"
    ) throws -> VideoAsset {
        var bytes = Data()
        for frame in frames {
            for (value, count) in [(frame[0], 192 * 108), (frame[1], 96 * 54), (frame[2], 96 * 54)] {
                if coding.bits > 8 {
                    let code = [UInt8(value & 255), UInt8(value >> 8)]
                    bytes.append(contentsOf: (0..<2 * count).map { code[$0 & 1] })
                } else {
                    bytes.append(contentsOf: [UInt8](repeating: UInt8(value), count: count))
                }
            }
        }
        return try PatchClip(bytes, coding, width: 192, height: 108).write(folder + "/" + name)
    }

    @Test(arguments: PatchCoding.all) func stripsHaveTheComputedColors(_ coding: PatchCoding) throws {
        let scratch = TemporaryFolder.unmade()
        let patches = Self.signals.map(coding.codes)
        let asset = try Self.clip(patches, coding, in: scratch.path)
        for format in ImageFormat.allCases {
            var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.at(patches.indices.map { .frame($0) })))
            options.thumbnails.widths = [160]
            (options.sheets.columns, options.sheets.rows, options.sheets.format) = (Self.columns, Self.rows, format)
            let folder = scratch.path + "/\(format.rawValue)"
            let report = try asset.writeStrip(into: folder, options: options)
            let board = try #require(report.storyboards.first)
            let sheet = try #require(board.sheets.first)
            let reading = try PatchReading(
                folder + "/" + sheet.name, width: sheet.width, height: sheet.height, format: format)
            #expect(board.thumbnails.count == patches.count)
            for (codes, tile) in zip(patches, board.thumbnails) {
                let found = reading.color(x: tile.x + tile.width / 2, y: tile.y + tile.height / 2)
                let wanted = coding.shown(codes)
                // 16 bits all the way leave PNG nothing but the last rounding, and the mapper's tables half a code.
                let limit = format == .png ? coding.light == .plain ? 0.51 : 1 : 2
                #expect(
                    PatchReading.distance(found, wanted) <= limit, "\(format.rawValue): \(wanted) became \(found)")
            }
        }
    }

    /// The posters of `scrub poster`.
    @Test(arguments: PatchCoding.all) func postersHaveTheComputedColors(_ coding: PatchCoding) throws {
        let scratch = TemporaryFolder.unmade()
        let patches = Self.signals.suffix(ImageFormat.allCases.count).map(coding.codes)
        let asset = try Self.clip(patches, coding, in: scratch.path)
        var reader = FrameReader(asset)
        for (number, codes) in patches.enumerated() {
            let picture = try #require(try reader.frame(at: .frame(number)).picture)
            let format = ImageFormat.allCases[number % ImageFormat.allCases.count]
            let encoded = try picture.posterFile(as: format)
            let path = scratch.path + "/poster-\(number).\(format.fileExtension)"
            try Data(encoded.bytes).write(to: URL(filePath: path))
            let found = try PatchReading(path, width: encoded.width, height: encoded.height, format: format)
                .color(x: 96, y: 54)
            let wanted = coding.shown(codes)
            #expect(PatchReading.distance(found, wanted) <= 2, "\(format.rawValue): \(wanted) became \(found)")
        }
    }

    /// Numbers that do not come from the formulas' restatement above: PQ at 0, 100, 203, 1,000 and 4,000 nit.
    @Test func graysOfHighDynamicRange() throws {
        let coding = try #require(PatchCoding.all.first { $0.light == .pq })
        let levels = [0.0, 100, 203, 1000, 4000]
        let wanted = levels.map { coding.shown([Int((64 + 876 * HDRFormulas.pqSignal($0)).rounded()), 512, 512]) }
        for (color, expected) in zip(wanted, [0, 185.74, 228.99, 255, 255]) {
            #expect(color.allSatisfy { abs($0 - expected) <= 0.7 }, "\(color), expected \(expected)")
        }
    }
}
