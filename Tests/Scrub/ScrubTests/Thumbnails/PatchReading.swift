import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// Encoded pictures as numbers, without a library's conversion to RGB. The decoded planes are from ffmpeg, and the
/// format's own definition gives their meaning.
struct PatchReading {
    private let bytes: [UInt8]
    private let width: Int
    private let height: Int
    private let format: ImageFormat
    private let chromaRows: Int

    init(_ path: String, width: Int, height: Int, format: ImageFormat) throws {
        var arguments = ["-v", "error", "-nostdin", "-y", "-i", path, "-f", "rawvideo"]
        if format == .png { arguments += ["-pix_fmt", "rgb24"] }
        let decoded = try Tool.run("ffmpeg", arguments + [path + ".raw"])
        try #require(decoded.status == 0, "\(decoded.errors)")
        bytes = [UInt8](try Data(contentsOf: URL(filePath: path + ".raw")))
        (self.width, self.height, self.format) = (width, height, format)
        let (columns, half) = ((width + 1) / 2, (height + 1) / 2)
        // 4:2:0 with 8 bits, 4:2:2 (sheets of JPEG), or RGB.
        chromaRows = bytes.count == width * height + 2 * columns * height ? height : half
        try #require(
            bytes.count == (format == .png ? 3 * width * height : width * height + 2 * columns * chromaRows))
    }

    /// Red, green and blue from 0 to 255, as a viewer rounds them.
    func color(x: Int, y: Int) -> [Int] {
        let place = y * width + x
        if format == .png { return (0..<3).map { Int(bytes[place * 3 + $0]) } }
        let chromaWidth = (width + 1) / 2
        let chroma = width * height + (chromaRows == height ? y : y / 2) * chromaWidth + x / 2
        let (luma, cb, cr) = (
            Double(bytes[place]), Double(bytes[chroma]) - 128,
            Double(bytes[chroma + chromaWidth * chromaRows]) - 128
        )
        // JFIF and our AVIF: full range; WebP: limited (RFC 9649, 2.5). BT.601's matrix for all.
        let (brightness, scale) = format == .webp ? ((luma - 16) * 255 / 219, 255.0 / 224) : (luma, 1)
        let red = brightness + 1.402 * scale * cr
        let blue = brightness + 1.772 * scale * cb
        let green = (brightness - 0.299 * red - 0.114 * blue) / 0.587
        return [red, green, blue].map { Int(min(255, max(0, $0.rounded()))) }
    }

    /// Returns the greatest difference from the computed values, which are not rounded.
    static func distance(_ found: [Int], _ wanted: [Double]) -> Double {
        zip(found, wanted).map { abs(Double($0) - $1) }.max() ?? .infinity
    }
}
