import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestSupport
import Testing

/// HDR is made small in linear light, against means computed in binary64; SDR on its codes.
@Suite struct LightReductionTests {
    private static func thumbnail(_ asset: VideoAsset, width: Int, in folder: String) throws -> (PatchReading, Int, Int)
    {
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.at([.frame(0)])))
        options.thumbnails.widths = [width]
        (options.sheets.columns, options.sheets.rows, options.sheets.format) = (1, 1, .png)
        let report = try asset.writeStrip(into: folder, options: options)
        let sheet = try #require(report.storyboards.first?.sheets.first)
        let reading = try PatchReading(
            folder + "/" + sheet.name, width: sheet.width, height: sheet.height, format: .png)
        return (reading, sheet.width, sheet.height)
    }

    private static func coding(_ light: PatchCoding.Light) throws -> PatchCoding {
        try #require(PatchCoding.all.first { $0.light == light && $0.bits == 10 && !$0.isFullRange })
    }

    /// Single pixels of black and a bright white in turn are half the light, not half the code.
    @Test(arguments: [(PatchCoding.Light.pq, 96), (.pq, 48), (.hlg, 96), (.hlg, 48)])
    func checkerboardsAveragesLight(light: PatchCoding.Light, width: Int) throws {
        let coding = try Self.coding(light)
        let signal = light == .pq ? HDRFormulas.pqSignal(1000) : 0.75
        let (black, white) = (coding.codes([0, 0, 0])[0], coding.codes([signal, signal, signal])[0])
        let luma = (0..<192 * 108).map { ($0 % 192 + $0 / 192) % 2 == 0 ? white : black }
        let planes = luma + [Int](repeating: 512, count: 2 * 96 * 54)
        let scratch = TemporaryFolder.unmade()
        let asset = try PatchClip(PatchClip.bytes(planes, bits: 10), coding, width: 192, height: 108)
            .write(scratch.path + "/board.mkv")
        let (reading, _, height) = try Self.thumbnail(asset, width: width, in: scratch.path + "/strip")
        let bright = coding.signal([white, 512, 512])
        let nits = light == .pq ? bright.map(HDRFormulas.pqNits) : HDRFormulas.hlgNits(bright)
        let wanted = HDRFormulas.shown(nits: nits.map { $0 / 2 }, peak: 1000)
        for (x, y) in [(3, 3), (width / 2, height / 2), (width - 4, height - 4)] {
            let found = reading.color(x: x, y: y)
            #expect(PatchReading.distance(found, wanted) <= 2, "\(found), expected \(wanted)")
        }
        // The mean of the codes would be far darker, so the limit tells the two apart.
        let byCodes = coding.shown([(black + white) / 2, 512, 512])
        #expect((wanted.max() ?? 0) - (byCodes.max() ?? 0) > 40)
    }

    /// Random colors at a ratio that is not a whole number: every pixel is the mean of the light that it covers.
    @Test(arguments: [PatchCoding.Light.pq, .hlg]) func anyRatio(light: PatchCoding.Light) throws {
        let coding = try Self.coding(light)
        let (width, height) = (96, 54)
        var generator = SplitMix(7)
        // Blocks of 3 x 3 pixels, so that there is detail and something to see.
        let blocks = (0..<32 * 18).map { _ in
            coding.codes((0..<3).map { _ in Double.random(in: 0...0.8, using: &generator) })
        }
        func block(_ x: Int, _ y: Int) -> [Int] { blocks[y / 3 * 32 + x / 3] }
        var planes: [Int] = []
        for k in 0..<3 { for y in 0..<height { for x in 0..<width { planes.append(block(x, y)[k]) } } }
        let scratch = TemporaryFolder.unmade()
        var clip = PatchClip(PatchClip.bytes(planes, bits: 10), coding, width: width, height: height)
        clip.sampling = "444"
        let asset = try clip.write(scratch.path + "/random.mkv")
        let (reading, smallWidth, smallHeight) = try Self.thumbnail(asset, width: 40, in: scratch.path + "/strip")
        #expect(smallWidth == 40 && smallHeight == 22)
        let lights = blocks.map { codes in
            let signal = coding.signal(codes)
            return light == .pq ? signal.map(HDRFormulas.pqNits) : HDRFormulas.hlgNits(signal)
        }
        let (ratioX, ratioY) = (Double(width) / Double(smallWidth), Double(height) / Double(smallHeight))
        for y in 0..<smallHeight {
            for x in 0..<smallWidth {
                var (sum, area) = ([0.0, 0, 0], 0.0)
                for v in Int(Double(y) * ratioY)..<height where Double(v) < Double(y + 1) * ratioY {
                    let down = min(Double(v + 1), Double(y + 1) * ratioY) - max(Double(v), Double(y) * ratioY)
                    for u in Int(Double(x) * ratioX)..<width where Double(u) < Double(x + 1) * ratioX {
                        let across = min(Double(u + 1), Double(x + 1) * ratioX) - max(Double(u), Double(x) * ratioX)
                        let part = max(0, down) * max(0, across)
                        for k in 0..<3 { sum[k] += part * lights[v / 3 * 32 + u / 3][k] }
                        area += part
                    }
                }
                let wanted = HDRFormulas.shown(nits: sum.map { $0 / area }, peak: 1000)
                let found = reading.color(x: x, y: y)
                #expect(PatchReading.distance(found, wanted) <= 2, "\(x), \(y): \(found), expected \(wanted)")
            }
        }
    }
}
