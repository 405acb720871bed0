import ScrubMedia
import ScrubPlayers
import ScrubTestSupport

/// Clips of `testdata/`, opened without saving anything.
enum TerminalClips {
    static func open(_ name: String) throws -> VideoAsset {
        try VideoAsset(path: Repository.clips + "/" + name, options: VideoAsset.OpenOptions(cache: .none))
    }

    /// Gives a sink a clip's first frames as a player presents them, and ends it.
    static func play(_ asset: VideoAsset, to sink: any FrameSink, limit: Int) throws {
        var reader = FrameReader(asset)
        for frame in asset.frames.prefix(limit) {
            let answer = try reader.frame(numbered: frame.number)
            try sink.receive(
                PlayerFrame(
                    item: PlayerItem.ID(0), frame: frame, picture: answer.picture, verdict: answer.verdict,
                    kind: .presented, presentationTime: frame.time, sequenceNumber: frame.number))
        }
        try sink.finish()
    }
}
