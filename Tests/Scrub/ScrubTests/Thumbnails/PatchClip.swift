import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// A lossless clip of exact codes.
struct PatchClip {
    var frames: Data
    var coding: PatchCoding
    var width: Int
    var height: Int
    /// The storage of color: `420` or `444`.
    var sampling = "420"
    /// The filter before the pictures are encoded.
    var filter = "null"
    /// Further options for ffmpeg's encoder or muxer.
    var options: [String] = []

    init(_ frames: Data, _ coding: PatchCoding, width: Int, height: Int) {
        (self.frames, self.coding, self.width, self.height) = (frames, coding, width, height)
    }

    /// The codes of planes, as bytes.
    static func bytes(_ codes: [Int], bits: Int) -> Data {
        bits == 8
            ? Data(codes.map { UInt8($0) }) : Data(codes.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
    }

    func write(_ path: String) throws -> VideoAsset {
        let folder = URL(filePath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try frames.write(to: URL(filePath: path + ".yuv"))
        let format = "yuv\(sampling)p" + (coding.bits > 8 ? "\(coding.bits)le" : "")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", format, "-s", "\(width)x\(height)", "-r",
                "5",
                "-i", path + ".yuv", "-c:v", "ffv1",
            ] + coding.tags(after: filter) + options + [path])
        try #require(made.status == 0, "\(made.errors)")
        try FileManager.default.removeItem(atPath: path + ".yuv")
        return try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
    }
}
