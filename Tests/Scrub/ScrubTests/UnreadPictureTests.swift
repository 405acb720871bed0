import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// Streams without times in which the header of one picture can't be read, and Matroska whose pictures share times.
/// Every picture that is called exact is the line of ffmpeg's linear decode that has its number.
@Suite struct UnreadPictureTests {
    /// - Returns: the number of exact frames, and of ffmpeg's lines.
    private func exact(_ path: String, _ how: String) throws -> (exact: Int, lines: Int) {
        let lines = try LinearLines.all(of: path)
        try #require(!lines.isEmpty)
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        #expect(asset.frames.count == lines.count, "\(how)")
        var reader = FrameReader(asset)
        var count = 0
        for number in 0..<asset.frames.count {
            let answer = try reader.frame(at: .frame(number))
            guard answer.verdict == .exact, let picture = answer.picture else { continue }
            count += 1
            let line = lines.indices.contains(number) ? lines[number] : "none"
            #expect(try picture.streamMD5() == line, "\(how), f\(number)")
        }
        return (count, lines.count)
    }

    /// Forty pictures in four groups, with B pictures that others are made from.
    private func film(_ codec: String, in folder: TemporaryFolder) throws -> Data {
        let kind = codec == "libx264" ? "264" : "265"
        let own =
            codec == "libx264"
            ? ["-g", "10", "-bf", "3", "-x264-params", "b-pyramid=normal:threads=1"]
            : ["-x265-params", "log-level=error:keyint=10:bframes=3:pools=1:frame-threads=1"]
        try LinearLines.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=1.6", "-pix_fmt", "yuv420p", "-c:v", codec] + own
                + [folder.path(of: "film." + kind)])
        return try folder.bytes("film." + kind)
    }

    /// Returns the places at which NAL units begin, behind their start codes.
    private func units(_ bytes: Data) -> [Int] {
        bytes.indices.dropLast(4).filter { bytes[$0] == 0 && bytes[$0 + 1] == 0 && bytes[$0 + 2] == 1 }.map { $0 + 3 }
    }

    /// A raw recording that ends within a slice's header, which is how recordings end, or behind an invalid unit.
    @Test(arguments: ["libx264", "libx265"]) func theLastUnitIsCut(_ codec: String) throws {
        let folder = try TemporaryFolder()
        let film = try film(codec, in: folder)
        let last = try #require(units(film).last)
        let kind = codec == "libx264" ? "264" : "265"
        for length in 1...4 {
            let path = try folder.write(film[..<min(film.count, last + length)], to: "cut-\(length).\(kind)")
            let found = try exact(path, "\(codec), \(length) bytes of the last unit")
            #expect(found.exact >= 30)
        }
        let stray: [UInt8] = codec == "libx264" ? [0, 0, 1, 0x01, 0x9A] : [0, 0, 1, 0x00, 0x01, 0x80]
        let path = try folder.write(film + stray, to: "stray.\(kind)")
        let found = try exact(path, "\(codec), a stray unit")
        #expect(found.exact >= 30)
    }

    /// A disposable picture in the third group whose slice header is nonsense, in containers that have no times.
    @Test(arguments: ["libx264", "libx265"], ["raw", "avi"]) func oneHeaderIsNonsense(
        _ codec: String, _ container: String
    ) throws {
        let folder = try TemporaryFolder()
        let film = try film(codec, in: folder)
        let kind = codec == "libx264" ? "264" : "265"
        // AVI with HEVC is not standard, and libavformat writes it with a complaint only.
        guard container == "raw" || codec == "libx264" else { return }
        var bytes = film
        if container == "avi" {
            try LinearLines.ffmpeg(
                ["-fflags", "+genpts", "-r", "25", "-i", folder.path(of: "film." + kind), "-c", "copy"]
                    + [folder.path(of: "film.avi")])
            bytes = try folder.bytes("film.avi")
        }
        let isDisposable = { (byte: UInt8) in codec == "libx264" ? byte == 1 : byte == 0 }
        let disposable = units(bytes).filter { $0 + 8 < bytes.count && isDisposable(bytes[$0]) }
        try #require(disposable.count > 8)
        let place = disposable[disposable.count * 5 / 8]
        var damaged = bytes
        damaged.replaceSubrange(place + 2..<place + 6, with: [0, 0, 1, 0])
        let path = try folder.write(damaged, to: "damaged.\(container == "avi" ? "avi" : kind)")
        #expect(try exact(path, "\(codec) in \(container)").exact >= 20)
        // A unit of one byte before it: decoders skip that, or lose the picture.
        guard container == "raw" else { return }
        var short = bytes
        short.insert(contentsOf: [codec == "libx264" ? 1 : 2, 0, 0, 1], at: place)
        let other = try folder.write(short, to: "short.\(kind)")
        #expect(try exact(other, "\(codec), a unit of one byte").exact >= 20)
    }

    /// Every picture of a cluster at the cluster's time, where clusters begin in the middle of groups.
    @Test(arguments: ["libx264", "libx265"]) func picturesThatShareTheirClustersTime(_ codec: String) throws {
        let folder = try TemporaryFolder()
        let own = codec == "libx265" ? ["-x265-params", "log-level=error:keyint=25:pools=1:frame-threads=1"] : []
        // By size, for by time they would all begin with the picture that shows last.
        try LinearLines.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=3", "-pix_fmt", "yuv420p", "-c:v", codec, "-g", "25"]
                + ["-bf", "3"] + own + ["-cluster_size_limit", "4000", folder.path(of: "film.mkv")])
        var bytes = try folder.bytes("film.mkv")
        let blocks = clusterBlocks(bytes)
        try #require(blocks.count == 75)
        for block in blocks { bytes.replaceSubrange(block..<block + 2, with: [0, 0]) }
        let found = try exact(try folder.write(bytes, to: "same.mkv"), "\(codec), equal times")
        #expect(found.exact == 75)
    }

    /// Returns the places of the times of a Matroska file's simple blocks and blocks.
    private func clusterBlocks(_ bytes: Data) -> [Int] {
        /// A number of the format's own coding, and where it ends.
        func number(_ place: Int, isID: Bool) -> (value: Int, end: Int)? {
            guard place < bytes.count, bytes[place] != 0 else { return nil }
            let length = bytes[place].leadingZeroBitCount + 1
            guard place + length <= bytes.count else { return nil }
            var value = isID ? Int(bytes[place]) : Int(bytes[place]) & (0xFF >> length)
            for next in 1..<max(1, length) { value = value << 8 | Int(bytes[place + next]) }
            return (value, place + length)
        }
        var found: [Int] = []
        func walk(_ range: Range<Int>) {
            var place = range.lowerBound
            while place < range.upperBound, let id = number(place, isID: true), let size = number(id.end, isID: false) {
                let end = min(range.upperBound, size.end + min(size.value, bytes.count))
                switch id.value {
                case 0x1853_8067, 0x1F43_B675, 0xA0: walk(size.end..<end)
                case 0xA3, 0xA1: found.append(size.end + 1)
                default: break
                }
                place = end
            }
        }
        walk(0..<bytes.count)
        return found
    }
}
