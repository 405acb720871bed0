import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// Streams whose decoders keep something beyond their pictures: bits of sound streams are rewritten
/// (`testdata/tools/state-clips-mpeg.py`). Whatever is exact is ffmpeg's linear decode, however it is asked for.
@Suite struct RewrittenStreamTests {
    private static let script = Repository.root + "/testdata/tools/state-clips-mpeg.py"

    /// Makes the files of an item.
    private func files(_ item: String, in folder: TemporaryFolder) throws -> [String] {
        let to = folder.path(of: item)
        let made = try Tool.run("python3", [Self.script, to, item])
        try #require(made.status == 0, "\(made.errors)")
        return try FileManager.default.contentsOfDirectory(atPath: to).sorted().map { to + "/" + $0 }
    }

    /// Items, with the least share of their frames that is exact.
    private static let items: [(String, Double)] = [
        ("tmpgexs", 1), ("mpeg1-behind-mpeg2", 1), ("mpeg-matrices", 0.5), ("end-packets", 0.3),
        ("ends-before-b", 0.1), ("lost-picture-headers", 0),
        ("headers-alone", 1), ("mpeg4-matrix-on-the-way", 1), ("mpeg4-complexity", 0), ("mpeg4-field-distance", 1),
        ("h263-without-modes", 0), ("jpeg-comments", 1), ("jpeg-lines", 0.3), ("jpeg-lossless", 0.5),
        ("png-palettes", 1), ("tiff-palettes", 1), ("apng-first-part", 0), ("palettes-once", 1),
        ("theora-chained", 0), ("dirac-encoder", 1),
    ]

    @Test(arguments: items) func whatIsExactIsLinear(_ item: String, _ share: Double) throws {
        let folder = try TemporaryFolder()
        for path in try files(item, in: folder) {
            for threads in [1, 4] {
                var options = FrameReader.Options()
                options.threadCount = threads
                // The second time the index is a saved one.
                let asked = try LinearLines.expectLines(
                    path, options: options, cache: VideoAsset.IndexCache(path: folder.path(of: "cache")))
                #expect(Double(asked.exact) >= share * Double(asked.frames), "\(path): \(asked)")
            }
        }
    }

    /// `verify` decodes what the file has, packets without a picture too, and rests on no index.
    @Test(arguments: ["end-packets", "lost-picture-headers", "jpeg-comments"])
    func verifyFindsNothingWrong(_ item: String) throws {
        let folder = try TemporaryFolder()
        for path in try files(item, in: folder) {
            let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
            let report = try asset.verify(orders: [.forward, .alone])
            #expect(report.faults.isEmpty, "\(path): \(report.faults.prefix(3))")
            #expect(report.linearPictureCount == (try LinearLines.all(of: path).count), "\(path)")
        }
    }
}
