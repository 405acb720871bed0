import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// Streams that change on the way in the state that a decoder keeps: sequences, formats, tables, palettes. Every frame,
/// for every request, is the line of ffmpeg's linear decode that has its number.
@Suite struct JoinedStreamTests {
    private func source(_ size: String, _ seconds: String = "0.6") -> [String] {
        ["-f", "lavfi", "-i", "testsrc2=s=\(size):r=25:d=\(seconds)"]
    }

    /// Asks for all frames.
    ///
    /// - Returns: the number of exact ones.
    @discardableResult private func expectLinear(_ path: String, countsAll: Bool = true) throws -> Int {
        let asked = try LinearLines.expectLines(path)
        if countsAll { #expect(asked.frames == asked.lines, "\(path)") }
        return asked.exact
    }

    /// Makes parts, puts their bytes one behind the other, and into containers.
    private func join(
        _ parts: [[String]], as kind: String, in folder: TemporaryFolder, containers: [String] = []
    ) throws -> [String] {
        var bytes = Data()
        for (number, words) in parts.enumerated() {
            let path = folder.path(of: "part-\(number).\(kind)")
            try LinearLines.ffmpeg(words + (kind == "m4v" ? ["-f", "m4v"] : []) + [path])
            bytes += try Data(contentsOf: URL(filePath: path))
        }
        let raw = try folder.write(bytes, to: "joined.\(kind)")
        return try [raw]
            + containers.map { container in
                let path = folder.path(of: "joined-\(kind).\(container)")
                try LinearLines.ffmpeg(["-fflags", "+genpts", "-r", "25", "-i", raw, "-c", "copy", path])
                return path
            }
    }

    /// A decoder that is set up again loses the picture that waits to be shown: it has no number.
    @Test(arguments: ["mpeg1video", "mpeg2video"], [0, 2]) func sequencesOfAnotherSizeOrShape(
        _ codec: String, _ bframes: Int
    ) throws {
        let folder = try TemporaryFolder()
        let coding = ["-c:v", codec, "-bf", "\(bframes)", "-g", "8"]
        let kind = codec == "mpeg1video" ? "m1v" : "m2v"
        let (small, large) = (source("80x64") + coding, source("160x120") + coding)
        for path in try join([small, large, small], as: kind, in: folder, containers: ["ts", "mkv", "avi"]) {
            #expect(try expectLinear(path) == 43, "\(path)")
        }
        // 4:3 and 16:9, as broadcasts change between them.
        let shapes = ["4:3", "16:9", "4:3"].map { small + ["-aspect", $0] }
        for path in try join(shapes, as: kind, in: folder, containers: ["ts"]) {
            #expect(try expectLinear(path) == 43, "\(path)")
        }
        // Nothing changes, and nothing is lost.
        for path in try join([small, small], as: kind, in: folder) { #expect(try expectLinear(path) == 30) }
    }

    /// Leading pictures of an open group behind the change have lost their earlier references.
    @Test(arguments: ["mpeg1video", "mpeg2video"]) func leadingPicturesBehindAChange(_ codec: String) throws {
        let folder = try TemporaryFolder()
        let coding = ["-c:v", codec, "-bf", "2", "-g", "8"]
        let parts = try ["80x64", "160x120"].map { (size) -> Data in
            let path = folder.path(of: "part.\(size).m2v")
            try LinearLines.ffmpeg(source(size) + coding + ["-f", codec, path])
            return try Data(contentsOf: URL(filePath: path))
        }
        // From the second one's second sequence header on.
        let second = try #require(parts[1].range(of: Data([0, 0, 1, 0xB3]), in: 8..<parts[1].count))
        let path = try folder.write(
            parts[0] + parts[1][second.lowerBound...], to: codec == "mpeg1video" ? "o.m1v" : "o.m2v")
        #expect(try expectLinear(path) > 18)
    }

    /// Samples of another format in the same size. libavcodec goes on with its former set-up, and only a decoder that
    /// comes that way sees it so.
    @Test func sequencesOfAnotherChromaFormat() throws {
        let folder = try TemporaryFolder()
        let coding = ["-c:v", "mpeg2video", "-bf", "2", "-g", "8"]
        let plain = source("160x120") + coding
        let other = source("160x120") + ["-pix_fmt", "yuv422p"] + coding
        for path in try join([plain, other, plain], as: "m2v", in: folder, containers: ["ts"]) {
            try expectLinear(path)
        }
        // Set up again by a size between: from there on it is what it says.
        let small = source("80x64") + ["-pix_fmt", "yuv422p"] + coding
        for path in try join([plain, other, small, other], as: "m2v", in: folder, containers: ["ts"]) {
            try expectLinear(path)
        }
    }

    /// A decoder that begins to hold pictures back shows one twice, one that ceases loses one: later numbers are
    /// unreliable.
    @Test func sequencesOfAnotherDelay() throws {
        let folder = try TemporaryFolder()
        let held = source("80x64") + ["-c:v", "mpeg2video", "-bf", "2", "-g", "8"]
        let quick = source("80x64") + ["-c:v", "mpeg2video", "-bf", "0", "-g", "8", "-flags", "+low_delay"]
        for path in try join([quick, held, quick], as: "m2v", in: folder, containers: ["ts"]) {
            #expect(try expectLinear(path, countsAll: false) >= 14)
        }
    }

    @Test(arguments: [0, 2]) func layersOfAnotherSize(bframes: Int) throws {
        let folder = try TemporaryFolder()
        let coding = ["-c:v", "mpeg4", "-bf", "\(bframes)", "-g", "8"]
        let parts = ["80x64", "160x120", "80x64"].map { source($0) + coding }
        for path in try join(parts, as: "m4v", in: folder, containers: ["avi", "mkv"]) { try expectLinear(path) }
    }

    /// Formats that change and sizes that do not, in tables and without.
    @Test(arguments: ["mp4", "mkv", "ts"]) func formatsOfH264(container: String) throws {
        let folder = try TemporaryFolder()
        for format in ["yuv420p", "yuv444p", "yuvj420p"] {
            let coding = ["-pix_fmt", format, "-c:v", "libx264", "-bf", "2", "-g", "8"]
            try LinearLines.ffmpeg(source("96x64") + coding + [folder.path(of: format + ".ts")])
        }
        let orders = [
            ["yuv420p", "yuv444p", "yuv420p"], ["yuv420p", "yuvj420p", "yuv420p"], ["yuv444p", "yuvj420p"],
        ]
        for order in orders {
            try folder.write(Array(order.map { "file \($0).ts\n" }.joined().utf8), to: "list.txt")
            let path = folder.path(of: "joined.\(container)")
            try LinearLines.ffmpeg([
                "-f", "concat", "-safe", "0", "-i", folder.path(of: "list.txt"), "-map", "0:v", "-c", "copy", path,
            ])
            #expect(try expectLinear(path) == 15 * order.count, "\(order)")
        }
    }

    @Test(arguments: [("png", ["gray", "rgb24", "rgba"]), ("mjpeg", ["yuvj420p", "yuvj444p"])])
    func formatsOfIndependentPictures(codec: String, formats: [String]) throws {
        let folder = try TemporaryFolder()
        for format in formats {
            try LinearLines.ffmpeg(
                source("96x64", "0.2") + ["-pix_fmt", format, "-c:v", codec, folder.path(of: format + ".mkv")])
        }
        try folder.write(Array(formats.map { "file \($0).mkv\n" }.joined().utf8), to: "list.txt")
        for container in ["mkv", "mov", "avi"] {
            let path = folder.path(of: "joined.\(container)")
            try LinearLines.ffmpeg([
                "-f", "concat", "-safe", "0", "-i", folder.path(of: "list.txt"), "-map", "0:v", "-c", "copy", path,
            ])
            #expect(try expectLinear(path) == 5 * formats.count)
        }
    }

    /// Takes segments of a kind away from all pictures of a Motion JPEG stream but each `period`-th, from the first on.
    private func withoutTables(_ data: Data, _ kinds: Set<UInt8>, keptEach period: Int) -> Data {
        var (kept, place, picture) = (Data(), data.startIndex, -1)
        while place < data.endIndex {
            if data[place] == 0xFF, place + 3 < data.endIndex {
                if data[place + 1] == 0xD8 { picture += 1 }
                if kinds.contains(data[place + 1]) {
                    let end = place + 2 + Int(data[place + 2]) << 8 + Int(data[place + 3])
                    if picture % period == 0 { kept += data[place..<min(end, data.endIndex)] }
                    place = end
                    continue
                }
            }
            kept.append(data[place])
            place += 1
        }
        return kept
    }

    /// Pictures that leave out tables an earlier one had.
    @Test(arguments: [(0xDB, 100), (0xDB, 5), (0xC4, 100), (0xC4, 4)] as [(UInt8, Int)])
    func tablesOfEarlierPictures(kind: UInt8, period: Int) throws {
        let folder = try TemporaryFolder()
        // Two films with tables of their own, so that those of the first are wrong for the second.
        var stream = Data()
        for (number, words) in [["testsrc2=s=96x64:r=25:d=0.5", "9"], ["mandelbrot=s=96x64:r=25", "2"]].enumerated() {
            let path = folder.path(of: "part-\(number).mjpeg")
            let input = ["-f", "lavfi", "-i", words[0], "-frames:v", "12"]
            try LinearLines.ffmpeg(input + ["-c:v", "mjpeg", "-q:v", words[1], "-huffman", "optimal", path])
            stream += withoutTables(try Data(contentsOf: URL(filePath: path)), [kind], keptEach: period)
        }
        let raw = try folder.write(stream, to: "joined.mjpeg")
        try expectLinear(raw)
        for container in ["avi", "mkv", "mov", "nut"] {
            let path = folder.path(of: "joined.\(container)")
            try LinearLines.ffmpeg(["-f", "mjpeg", "-i", raw, "-c", "copy", path])
            // Huffman tables are the usual ones again at each picture, of which these know nothing: ffmpeg complains
            // too.
            let exact = try expectLinear(path)
            #expect(kind == 0xC4 || exact == 24, "\(container)")
        }
    }

    /// Palettes that come with some packets only.
    @Test(arguments: ["avi", "mov", "nut"], [true, false]) func palettes(container: String, changes: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "palettes.\(container)")
        let inputs = source("64x48", "0.4") + ["-f", "lavfi", "-i", "mandelbrot=s=64x48:r=25"]
        let making =
            changes ? "[x]palettegen=stats_mode=single[p];[y][p]paletteuse=new=1" : "[x]palettegen[p];[y][p]paletteuse"
        let graph = "[1]trim=duration=0.4[b];[0][b]concat,split[x][y];" + making
        try LinearLines.ffmpeg(inputs + ["-filter_complex", graph, "-c:v", "rawvideo", "-pix_fmt", "pal8", path])
        #expect(try expectLinear(path) == 20)
    }

    /// A raw picture that is incomplete ends with the former contents of memory.
    @Test func rawPicturesOfTooFewBytes() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "smc.avi")
        let graph = "split[x][y];[x]palettegen=stats_mode=single[p];[y][p]paletteuse=new=1"
        // libavformat takes SMC's pictures in AVI for raw ones.
        try LinearLines.ffmpeg(
            source("64x48", "0.4") + ["-filter_complex", graph, "-c:v", "smc", "-pix_fmt", "pal8", path])
        #expect(try expectLinear(path, countsAll: false) == 0)
    }

    /// H.261 begins with pictures that are predicted from gray.
    @Test func streamsThatBeginFromGray() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "a.h261")
        try LinearLines.ffmpeg(source("176x144", "1") + ["-c:v", "h261", path])
        #expect(try expectLinear(path) == 25)
    }
}
