import Foundation
import ScrubThumbnails
import Scrub
import ScrubTestSupport
import Testing

/// Thumbnails of interlaced pictures show the first field, in its place and without a comb.
@Suite struct InterlacedThumbnailTests {
    private static let (width, height) = (128, 96)
    private static let coding = PatchCoding(name: "BT.601", matrix: "smpte170m", isFullRange: true, bits: 8)

    /// - Parameter luma: the code of a row.
    private static func picture(
        field: String, width: Int, in folder: String, luma: (Int) -> Int
    ) throws -> (PatchReading, Int, Int) {
        let codes =
            (0..<height).flatMap { y in [Int](repeating: luma(y), count: Self.width) }
            + [Int](repeating: 128, count: Self.width * height / 2)
        var clip = PatchClip(PatchClip.bytes(codes, bits: 8), coding, width: Self.width, height: height)
        clip.options = ["-level", "3"]
        clip.filter = "setfield=\(field)"
        let asset = try clip.write(folder + "/\(field).mkv")
        var reader = FrameReader(asset)
        let picture = try #require(try reader.frame(at: .frame(0)).picture)
        let encoded = try picture.posterFile(as: .png, width: width)
        let path = folder + "/\(field)-\(width).png"
        try Data(encoded.bytes).write(to: URL(filePath: path))
        let reading = try PatchReading(path, width: encoded.width, height: encoded.height, format: .png)
        return (reading, encoded.width, encoded.height)
    }

    /// A scene that stands still looks as it does without interlacing, at sizes below, of and above one field's rows. A
    /// shift of half a row would be a whole code.
    @Test(arguments: [32, 50, 64, 128, 192]) func nothingIsShifted(width: Int) throws {
        let scratch = TemporaryFolder.unmade()
        let ramp = { (y: Int) in 20 + 2 * y }
        let (whole, _, rows) = try Self.picture(field: "prog", width: width, in: scratch.path, luma: ramp)
        // What lies outside the field is not known, so the edges may differ.
        let edge = 1 + 2 * rows / Self.height
        for field in ["tff", "bff"] {
            let (other, _, _) = try Self.picture(field: field, width: width, in: scratch.path, luma: ramp)
            var (sum, worst) = (0, 0)
            for y in edge..<rows - edge {
                let difference = other.color(x: width / 2, y: y)[1] - whole.color(x: width / 2, y: y)[1]
                sum += difference
                worst = max(worst, abs(difference))
            }
            #expect(worst <= 1, "\(field) at \(width): \(worst)")
            #expect(abs(Double(sum)) / Double(rows - 2 * edge) <= 0.3, "\(field) at \(width): \(sum) over \(rows) rows")
        }
    }

    /// Fields of different moments: only the one that was taken first is seen.
    @Test(arguments: [32, 128, 192]) func onlyTheFirstFieldIsSeen(width: Int) throws {
        let scratch = TemporaryFolder.unmade()
        for (field, wanted) in [("tff", 60), ("bff", 200)] {
            let (reading, _, rows) = try Self.picture(field: field, width: width, in: scratch.path) {
                $0 % 2 == 0 ? 60 : 200
            }
            for y in 0..<rows {
                let found = reading.color(x: width / 3, y: y)
                #expect(found.allSatisfy { abs($0 - wanted) <= 1 }, "\(field), row \(y): \(found)")
            }
        }
    }
}
