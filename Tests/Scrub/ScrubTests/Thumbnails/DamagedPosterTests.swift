import ScrubFileIO
import Foundation
import Scrub
import ScrubThumbnails
import ScrubIndex
import ScrubMedia
import ScrubTestSupport
import Testing

/// Posters of damaged films: the best damaged picture, with a warning, for the work of a few candidates.
@Suite struct DamagedPosterTests {
    /// A film of 40 groups whose pictures are all damaged, each after its first kilobyte.
    private func film(_ coding: [String], _ name: String, in folder: TemporaryFolder) throws -> String {
        let path = folder.path(of: name)
        let result = try Tool.run(
            "ffmpeg",
            ["-v", "error", "-nostdin", "-f", "lavfi", "-i", "mandelbrot=s=320x180:r=25", "-frames:v", "1000"] + coding
                + [path])
        try #require(result.status == 0, "\(result.errors)")
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        var bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
        let pictures = asset.index.pictures
        for number in 0..<pictures.count {
            let (offset, size) = (Int(pictures.offsets[number]), Int(pictures.sizes[number]))
            let start = offset + min(1000, size / 2)
            for place in start..<min(start + 40, offset + size) {
                bytes[place] = UInt8(truncatingIfNeeded: place &* 37)
            }
        }
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    @Test(arguments: [
        (["-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-bf", "0", "-pix_fmt", "yuv420p"], "h264.mp4"),
        (["-c:v", "mpeg4", "-g", "25", "-q:v", "4", "-pix_fmt", "yuv420p"], "mpeg4.mp4"),
        (["-c:v", "msmpeg4", "-g", "25", "-q:v", "4", "-pix_fmt", "yuv420p"], "msmpeg4.avi"),
    ])
    func theBestOfDamagedPictures(_ coding: [String], _ name: String) throws {
        let folder = try TemporaryFolder()
        let path = try film(coding, name, in: folder)
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        let report = try asset.posterReport()
        let best = try #require(report.posters.first)
        #expect(best.damage != nil && report.note?.description.contains("damaged") == true, "\(report.note ?? "")")
        // Each candidate once the fast way and once carefully: nowhere near the thousand pictures of the film, for
        // each.
        #expect(report.decodedPictureCount <= 4 * report.candidates.count, "\(report.decodedPictureCount)")
        let output = folder.path(of: "p.png")
        let result = try Tool.run(
            CommandTests.program, ["poster", path, "--no-cache", "--json", "-o", output])
        #expect(result.status == 0 && result.errors.contains("warning: "), "\(result.errors)")
        #expect(result.output.contains("\"damaged\":") && FileManager.default.fileExists(atPath: output))
    }

    /// If some pictures are whole, no damaged one is a poster, and there is no warning.
    @Test func wholePicturesComeFirst() throws {
        let folder = try TemporaryFolder()
        let path = try film(
            ["-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-bf", "0", "-pix_fmt", "yuv420p"], "film.mp4",
            in: folder)
        let clean = folder.path(of: "clean.mp4")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=20", "-c:v", "libx264",
                "-preset", "ultrafast", "-g", "25", "-bf", "0", "-pix_fmt", "yuv420p", "-f", "mpegts", clean,
            ])
        try #require(made.status == 0)
        let list = folder.path(of: "list.txt")
        try "file '\(path)'\nfile '\(clean)'\n".write(toFile: list, atomically: true, encoding: .utf8)
        let both = folder.path(of: "both.mkv")
        let joined = try Tool.run(
            "ffmpeg", ["-v", "quiet", "-nostdin", "-f", "concat", "-safe", "0", "-i", list, "-c", "copy", both])
        try #require(joined.status == 0)
        let report = try VideoAsset(path: both, options: VideoAsset.OpenOptions(cache: .none)).posterReport()
        #expect(report.posters.first.map { $0.damage == nil && $0.frame.number >= 1000 } == true)
        #expect(report.note == nil)
    }
}
