import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// ffmpeg's linear decode, and the part of it that `exact` promises.
enum LinearLines {
    static func ffmpeg(_ words: [String]) throws {
        let made = try Tool.run("ffmpeg", ["-v", "error", "-nostdin", "-y"] + words)
        try #require(made.status == 0, "\(made.errors)")
    }

    /// Makes a film that keeps a program at work for a while: 500 pictures in two groups.
    static func makeLongGroups(_ path: String) throws {
        try ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=20", "-c:v", "libx264", "-preset", "ultrafast", "-g",
                "250",
                path,
            ])
    }

    /// Returns the pictures of ffmpeg's linear decode, line by line.
    static func all(of path: String) throws -> [String] {
        let words = ["-v", "quiet", "-nostdin", "-threads", "1", "-noautorotate", "-i", path, "-map", "0:v:0"]
        return hashes(try Tool.run("ffmpeg", words + ["-fps_mode", "passthrough", "-f", "framemd5", "-"]).output)
    }

    /// Returns the hashes of a listing that ffmpeg's `framemd5` wrote, one for each picture.
    static func hashes(_ listing: String) -> [String] {
        listing.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: ",").last.map { String($0.filter { $0 != " " }) } }
    }

    /// What came of asking for all frames of a film.
    struct Asked {
        /// The number of frames that were exact, in one way of asking at least.
        let exact: Int
        /// The number of lines.
        let lines: Int
        let frames: Int
    }

    /// Asks for all frames forward and backward, and for some alone. Whatever is exact must be the line of its number.
    ///
    /// - Parameters:
    ///   - step: from the last frame on, each so many frames one is asked for alone.
    ///   - opensEach: whether the film is opened again for each of those, so that nothing is known of it yet.
    ///   - options: those of the readers.
    ///   - cache: where the index is kept.
    static func expectLines(
        _ path: String, aloneEach step: Int = 3, opensEach: Bool = false, options: FrameReader.Options = .init(),
        cache: VideoAsset.IndexCache = .none
    ) throws -> Asked {
        let lines = try all(of: path)
        try #require(!lines.isEmpty)
        func open() throws -> VideoAsset { try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: cache)) }
        let asset = try open()
        let name = path.split(separator: "/").last ?? ""
        var exact: Set<Int> = []
        func check(_ number: Int, _ reader: inout FrameReader, _ how: String) throws {
            let answer = try reader.frame(at: .frame(number))
            guard answer.verdict == .exact, let picture = answer.picture else { return }
            exact.insert(number)
            let line = lines.indices.contains(number) ? lines[number] : "none"
            #expect(try picture.streamMD5() == line, "\(name), f\(number), \(how)")
        }
        var reader = FrameReader(asset, options: options)
        for number in asset.frames.indices { try check(number, &reader, "forward") }
        for number in asset.frames.indices.reversed() { try check(number, &reader, "backward") }
        for number in stride(from: asset.frames.count - 1, through: 0, by: -step) {
            var alone = FrameReader(opensEach ? try open() : asset, options: options)
            try check(number, &alone, "alone")
        }
        return Asked(exact: exact.count, lines: lines.count, frames: asset.frames.count)
    }

    /// Asks for all frames forward, backward and alone; whatever is exact must be the line of its number, and exact in
    /// every way.
    ///
    /// - Returns: the frames that are exact.
    static func exactFrames(of path: String) throws -> [Int] {
        let lines = try all(of: path)
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        var exact: [Set<Int>] = [[], [], []]
        func check(_ number: Int, _ reader: inout FrameReader, _ way: Int) throws {
            let answer = try reader.frame(at: .frame(number))
            guard answer.verdict == .exact, let picture = answer.picture else { return }
            exact[way].insert(number)
            let line = lines.indices.contains(number) ? lines[number] : "none"
            #expect(try picture.streamMD5() == line, "\(path), f\(number), way \(way)")
        }
        var forward = FrameReader(asset)
        for number in 0..<asset.frames.count { try check(number, &forward, 0) }
        var backward = FrameReader(asset)
        for number in (0..<asset.frames.count).reversed() { try check(number, &backward, 1) }
        for number in 0..<asset.frames.count {
            var alone = FrameReader(asset)
            try check(number, &alone, 2)
        }
        #expect(exact[0] == exact[1] && exact[0] == exact[2], "\(path) \(exact.map { $0.sorted() })")
        return exact[0].sorted()
    }
}
