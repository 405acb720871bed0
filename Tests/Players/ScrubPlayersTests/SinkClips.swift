import Foundation
import ScrubLibAV
import ScrubBase
import ScrubMedia
import ScrubPlayers
import ScrubTestSupport

/// Clips of `testdata/`, and ffmpeg's results for them.
enum SinkClips {
    static let folder = Repository.clips

    static func open(_ name: String) throws -> VideoAsset {
        try VideoAsset(
            path: name.hasPrefix("/") ? name : folder + "/" + name, options: VideoAsset.OpenOptions(cache: .none))
    }

    /// Every frame of a medium as a player presents it: one after the other, at their times.
    static func play(
        _ assets: [VideoAsset], to sink: any FrameSink, limit: Int = .max, losing: Set<Int> = []
    ) throws {
        var (base, sequence) = (Rational.zero, 0)
        for (item, asset) in assets.enumerated() {
            var reader = FrameReader(asset)
            for frame in asset.frames.prefix(limit) {
                let answer = try reader.frame(numbered: frame.number)
                let isLost = losing.contains(sequence)
                try sink.receive(
                    PlayerFrame(
                        item: PlayerItem.ID(item), frame: frame, picture: isLost ? nil : answer.picture,
                        verdict: isLost ? .undecodable("lost") : answer.verdict, kind: .presented,
                        presentationTime: base + frame.time, sequenceNumber: sequence))
                sequence += 1
            }
            base = base + asset.duration
        }
        try sink.finish()
    }

    /// Runs a program and gives its standard output.
    static func run(_ program: String, _ arguments: [String]) throws -> Data {
        try Tool.run(program, arguments).bytes
    }

    /// Returns the output of ffmpeg's own muxer for a clip.
    static func ffmpeg(_ clip: String, _ options: [String] = []) throws -> Data {
        let path = clip.hasPrefix("/") ? clip : folder + "/" + clip
        return try run(
            "ffmpeg",
            ["-v", "error", "-nostdin", "-i", path, "-map", "0:v:0"] + options
                + ["-strict", "-1", "-f", "yuv4mpegpipe", "-"])
    }
}
