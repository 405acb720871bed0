import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// Pictures whose decoder ends early without an error: the rest of them has the former contents of memory, ffmpeg's
/// answer too. Found by `Fuzz/mutants/mutants.sh`.
@Suite struct UnwrittenPictureTests {
    struct Damage: Sendable, CustomTestStringConvertible {
        let file: String
        let codec: [String]
        /// The new content of a packet's second half.
        let filler: UInt8

        var testDescription: String { "\(file), second half of a packet \(filler)" }
    }

    static let damages: [Damage] = [
        Damage(file: "a.avi", codec: ["magicyuv"], filler: 0),
        Damage(file: "b.avi", codec: ["magicyuv"], filler: 255),
        Damage(file: "c.mkv", codec: ["ffv1"], filler: 0),
        Damage(file: "d.avi", codec: ["ljpeg", "-pix_fmt", "yuvj420p", "-strict", "-1"], filler: 255),
    ]

    /// Makes six pictures of 96 x 64 with ffmpeg.
    private func encode(_ path: String, _ codec: [String]) throws {
        let source = ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=12,format=yuv420p", "-frames:v", "6", "-threads", "1"]
        let made = try Tool.run("ffmpeg", ["-v", "error", "-nostdin"] + source + ["-c:v"] + codec + [path])
        try #require(made.status == 0, "\(made.errors)")
    }

    @Test(arguments: damages) func unwrittenBlocksAreNotExact(_ damage: Damage) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "sound-" + damage.file)
        try encode(path, damage.codec)
        let entries = ["-show_entries", "packet=pos,size", "-of", "csv=p=0", "-select_streams", "v", path]
        let packets = try Tool.run("ffprobe", ["-v", "error"] + entries).output.split(separator: "\n")
        let numbers = packets.map { $0.split(separator: ",").compactMap { Int($0) } }
        let packet = try #require(numbers.count == 6 && numbers[3].count == 2 ? numbers[3] : nil)
        // The size comes first. In AVI the place is that of the chunk's header, eight bytes before.
        let (size, place) = (packet[0], packet[1])
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        for byte in place + size / 2..<min(place + size, bytes.count) { bytes[byte] = damage.filler }
        let damaged = try folder.write(bytes, to: damage.file)

        for options in [1, 2] {
            var reading = FrameReader.Options()
            reading.threadCount = options
            var reader = FrameReader(
                try VideoAsset(path: damaged, options: VideoAsset.OpenOptions(cache: .none)), options: reading)
            #expect(try reader.frame(at: .frame(2)).verdict == .exact)
            let answer = try reader.frame(at: .frame(3))
            #expect(answer.verdict.name == "damaged", "\(answer.verdict)")
        }
        var reader = FrameReader(try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none)))
        for number in 0..<6 { #expect(try reader.frame(at: .frame(number)).verdict == .exact, "sound #\(number)") }
    }

    /// Theora that begins with a foreign picture: libavcodec predicts it from one that was never written.
    @Test func predictionsWithoutAReferenceAreNotExact() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "sound.ogv")
        try encode(path, ["libtheora", "-g", "8", "-page_duration", "1"])
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        // Pages are dropped whose checksum is wrong. The first two have headers.
        let pages = places(of: Array("OggS".utf8), in: bytes)
        try #require(pages.count > 4)
        bytes[pages[2] + 40] ^= 1
        var reader = FrameReader(
            try VideoAsset(
                path: try folder.write(bytes, to: "damaged.ogv"), options: VideoAsset.OpenOptions(cache: .none)))
        for number in 0..<3 {
            #expect(try reader.frame(at: .frame(number)).verdict.name == "damaged", "#\(number)")
        }
    }

    /// Makes six pictures with ffmpeg, and damages the third.
    private func check(_ name: String, _ codec: [String], _ damage: (inout [UInt8]) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "sound-" + name)
        try encode(path, codec)
        let options = VideoAsset.OpenOptions(cache: .none)
        var sound = FrameReader(try VideoAsset(path: path, options: options))
        for number in 0..<6 { #expect(try sound.frame(at: .frame(number)).verdict == .exact, "sound #\(number)") }
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        try damage(&bytes)
        let damaged = try folder.write(bytes, to: name)
        var reader = FrameReader(try VideoAsset(path: damaged, options: options))
        #expect(try reader.frame(at: .frame(1)).verdict == .exact)
        #expect(try reader.frame(at: .frame(2)).verdict != .exact)
    }

    /// Returns the places of some bytes.
    private func places(of wanted: [UInt8], in bytes: [UInt8]) -> [Int] {
        bytes.indices.dropLast(wanted.count - 1).filter { Array(bytes[$0..<$0 + wanted.count]) == wanted }
    }

    /// The decoder keeps the coefficients of the picture before (cfhd.c).
    @Test(arguments: ["yuv422p10le", "gbrp12le", "gbrap12le"])
    func aLostBandOfCineformIsNotExact(_ format: String) throws {
        try check("cfhd.mov", ["cfhd", "-pix_fmt", format]) { bytes in
            // BandCodingFlags (55) of one band of the third picture becomes an unknown tag.
            let bands = places(of: [0, 55, 0, 0], in: bytes)
            try #require(bands.count % 6 == 0 && bands.count >= 6 * 27)
            bytes[bands[bands.count / 6 * 2 + 5] + 1] = 119
        }
    }

    /// The decoder of JPEG-LS stops at 32 bits of zero.
    @Test func jpegLSThatEndsEarlyIsNotExact() throws {
        try check("jls.mkv", ["jpegls", "-pix_fmt", "rgb24"]) { bytes in
            let scans = places(of: [0xff, 0xda], in: bytes)
            try #require(scans.count >= 6)
            for byte in scans[2] + 400..<scans[2] + 440 { bytes[byte] = 0 }
        }
    }
}
