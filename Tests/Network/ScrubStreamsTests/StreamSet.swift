import Foundation
import ScrubBase
import ScrubMedia
import ScrubStreams
import ScrubTestSupport
import Testing

/// Films of which every picture is known, 25 frames a second, and sets that ffmpeg makes of them in one folder.
struct StreamSet {
    let folder: TemporaryFolder
    /// The hashes of a linear decode of the film, in display order.
    let hashes: [String]

    static let rate: Int64 = 25

    /// Makes a film `name.mp4` in a folder.
    ///
    /// - Returns: its pictures' hashes.
    static func film(
        _ name: String, in folder: TemporaryFolder, seconds: Int = 14, size: String = "192x108",
        codec: [String] = x264(),
        sound: Bool = false
    ) throws -> [String] {
        let tone = ["-f", "lavfi", "-i", "sine=d=\(seconds)", "-c:a", "aac", "-shortest"]
        try FFmpeg.run(
            ["-f", "lavfi", "-i", "testsrc2=s=\(size):r=\(rate):d=\(seconds)"] + (sound ? tone : [])
                + ["-pix_fmt", "yuv420p"] + codec + [name],
            in: folder.path)
        return try FFmpeg.hashes(name, in: folder.path)
    }

    static func x264(group: Int = 50, open: Bool = false, frames: Int = 3) -> [String] {
        [
            "-c:v", "libx264", "-preset", "veryfast", "-g", "\(group)", "-bf", "\(frames)", "-x264-params",
            "scenecut=0:open-gop=\(open ? 1 : 0)",
        ]
    }

    static func x265(open: Bool) -> [String] {
        [
            "-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1", "-x265-params",
            "log-level=none:keyint=50:min-keyint=50:scenecut=0:bframes=3:open-gop=\(open ? 1 : 0)",
        ]
    }

    /// Makes a film and a set `index.m3u8` of it.
    init(codec: [String] = x264(), seconds: Int = 14, sound: Bool = false, _ options: [String]) throws {
        folder = try TemporaryFolder()
        hashes = try StreamSet.film("film.mp4", in: folder, seconds: seconds, codec: codec, sound: sound)
        try FFmpeg.run(
            ["-i", "film.mp4", "-c", "copy", "-f", "hls", "-hls_time", "2", "-hls_list_size", "0"] + options
                + ["index.m3u8"], in: folder.path)
    }

    init(folder: TemporaryFolder, hashes: [String]) { (self.folder, self.hashes) = (folder, hashes) }

    var path: String { folder.path(of: "index.m3u8") }

    /// The cost of 40 random times.
    struct Cost: CustomStringConvertible {
        var segments: [Int] = []
        var bytes: Int64 = 0
        var description: String {
            let counts = Set(segments).sorted().map { count in "\(segments.count { $0 == count }) of \(count)" }
            return counts.joined(separator: ", ") + " segments; \(bytes) bytes"
        }
    }

    /// Asks for random times, half of them in a reader of their own, and then again with all frames counted.
    ///
    /// - Parameter time: when a frame of the film comes on screen.
    @discardableResult
    func check(
        seed: UInt64, count: Int = 40, options: HLSVideo.Options = .init(),
        time: (Int) -> Rational = { Rational(Int64($0), rate) },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Cost {
        var random = SplitMix(seed)
        let video = try HLSVideo(path: path, options: options)
        var cost = Cost()
        var kept = HLSVideo.Reader(video)
        for turn in 0..<count {
            let frame = Int.random(in: hashes.indices, using: &random)
            let end = frame + 1 < hashes.count ? time(frame + 1) : time(frame) + Rational(1, StreamSet.rate)
            // The frame's own time, or any time while it stays.
            let part = turn % 4 == 0 ? .zero : Rational(Int64.random(in: 0..<1000, using: &random), 1000)
            let position = FramePosition.time(time(frame) + (end - time(frame)) * part)
            let answer: HLSVideo.Frame
            if turn % 2 == 0 {
                var fresh = HLSVideo.Reader(video)
                answer = try fresh.frame(at: position)
                cost.segments.append(answer.fetched.segments.count)
                cost.bytes += answer.fetched.byteCount
            } else {
                answer = try kept.frame(at: position)
            }
            let place = "seed \(seed), frame \(frame) at \(position): \(answer.time), segment \(answer.segment)"
            #expect(answer.verdict == .exact, "\(place): \(answer.verdict)", sourceLocation: sourceLocation)
            let hash = try answer.picture?.md5() ?? ""
            #expect(
                hash == hashes[frame], "\(place): the picture of \(hashes.firstIndex(of: hash) ?? -1)",
                sourceLocation: sourceLocation)
            #expect(answer.time == time(frame), "\(place)", sourceLocation: sourceLocation)
            if let number = answer.number {
                #expect(number == frame, "\(place)", sourceLocation: sourceLocation)
            }
        }
        let last = try kept.frame(at: .last)
        #expect(try last.picture?.md5() == hashes.last, sourceLocation: sourceLocation)
        #expect(last.time == time(hashes.count - 1), sourceLocation: sourceLocation)
        let first = try kept.frame(at: .first)
        #expect(try first.picture?.md5() == hashes.first, sourceLocation: sourceLocation)
        #expect(first.number == 0 && first.time == .zero, sourceLocation: sourceLocation)
        for _ in 0..<10 {
            let frame = Int.random(in: hashes.indices, using: &random)
            let answer = try kept.frame(at: .frame(frame))
            #expect(answer.number == frame, "seed \(seed), f\(frame)", sourceLocation: sourceLocation)
            #expect(
                try answer.picture?.md5() == hashes[frame], "seed \(seed), f\(frame)", sourceLocation: sourceLocation)
            let back = try kept.frame(at: .frame(frame - hashes.count))
            #expect(
                try back.picture?.md5() == hashes[frame], "seed \(seed), f-\(hashes.count - frame)",
                sourceLocation: sourceLocation)
        }
        _ = try kept.frame(at: .frame(hashes.count - 1))
        #expect(kept.knownFrameCount == hashes.count, sourceLocation: sourceLocation)
        return cost
    }
}
