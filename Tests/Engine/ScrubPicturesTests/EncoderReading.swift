internal import Foundation
internal import ScrubPictures
internal import ScrubTestSupport
internal import Testing

/// Encoded pictures as other programs see them.
enum EncoderReading {
    /// The pixels that the system's `ffmpeg` decodes, tightly packed in `format`.
    static func pixels(_ file: [UInt8], _ fileExtension: String, format: String) throws -> [UInt8] {
        try withFile(file, fileExtension) { path in
            try output([
                "ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-sws_flags", "accurate_rnd+full_chroma_int",
                "-pix_fmt", format, "-",
            ])
        }
    }

    /// The facts that `ffprobe` prints about the first video stream, `name=value`.
    static func facts(_ file: [UInt8], _ fileExtension: String) throws -> [String: String] {
        let text = try withFile(file, fileExtension) { path in
            try output(["ffprobe", "-v", "error", "-show_streams", "-select_streams", "v:0", path])
        }
        var facts: [String: String] = [:]
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { facts[String(parts[0])] = String(parts[1]) }
        }
        return facts
    }

    private static func withFile<Result>(
        _ bytes: [UInt8], _ fileExtension: String, _ body: (String) throws -> Result
    ) throws -> Result {
        let folder = try TemporaryFolder()
        return try body(try folder.write(bytes, to: "picture.\(fileExtension)"))
    }

    private static func output(_ arguments: [String]) throws -> [UInt8] {
        let result = try Tool.run(arguments[0], Array(arguments.dropFirst()))
        try #require(result.status == 0, "\(arguments.joined(separator: " ")): \(result.errors)")
        return Array(result.bytes)
    }
}

/// Four flat patches, in quarters: top left, top right, bottom left, bottom right.
struct Patches {
    var width = 64
    var height = 48
    var colors: [[UInt8]] = [[200, 60, 40], [30, 160, 70], [50, 70, 190], [128, 128, 128]]

    func color(x: Int, y: Int) -> [UInt8] { colors[(x * 2 >= width ? 1 : 0) + (y * 2 >= height ? 2 : 0)] }

    func image(bitDepth: Int = 8, color spec: ColorSpec = .sRGB) -> RasterImage {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                // 255 is 65535 / 257: the same byte twice.
                for value in color(x: x, y: y) { bytes += bitDepth == 8 ? [value] : [value, value] }
            }
        }
        return RasterImage(
            width: width, height: height, channels: colors[0].count, bitDepth: bitDepth, bytes: bytes, color: spec)
    }

    /// The greatest difference in the middle of each patch, where nothing bleeds over from the neighbours.
    func worst(_ pixels: [UInt8]) throws -> Int {
        let channels = colors[0].count
        try #require(pixels.count == width * height * channels)
        var worst = 0
        for y in stride(from: height / 4, to: height, by: height / 2) {
            for x in stride(from: width / 4, to: width, by: width / 2) {
                for (k, wanted) in color(x: x, y: y).enumerated() {
                    worst = max(worst, abs(Int(pixels[(y * width + x) * channels + k]) - Int(wanted)))
                }
            }
        }
        return worst
    }
}
