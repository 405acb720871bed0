package import ScrubPlayersLogic
package import ScrubMedia

/// The decoding for a player: one lane plays an item, the other prepares the next one.
///
/// Thread safety: safe from any thread; no call waits for a decoder.
package protocol PlayerPipeline: AnyObject, Sendable {
    /// Starts a passage. After this method returns, no pictures from older passages are delivered.
    func start(ticket: Int, at frame: Int, _ direction: PlaybackDirection, stride: Int, isLookAhead: Bool)
    /// Makes the prepared item the current one. The lane may wait for a decoder in line.
    func promote()
    /// Reports that there is room for pictures again. A caller is waiting for the next one unless it is `isAhead`.
    func resume(ticket: Int, isAhead: Bool)
    /// Requests a frame's preview, which is delivered as a placeholder if one is kept.
    func preview(ticket: Int, of frame: Int)
    /// Stops for now. The decoder may go to another lane.
    func stop()
    /// Closes the decoder when there is no room for more pictures. Playback continues when there is room again.
    func detach()
    /// Closes the lane permanently.
    func close()
}

/// A factory for lanes.
package struct PlayerPipelineFactory: Sendable {
    /// The delivery of a lane's news.
    ///
    /// - Parameter deliver: called on the lane's thread; returns false if the lane must wait for `resume`.
    package typealias Deliver = @Sendable (_ ticket: Int, PipelineUpdate<FramePicture>) -> Bool

    package typealias Make =
        @Sendable (VideoAsset, Player.Options, DecodingResources, PipelineMetrics, @escaping Deliver) ->
        any PlayerPipeline

    package let make: Make

    package init(make: @escaping Make) {
        self.make = make
    }
}

/// A video's frame times for a player's machine.
struct AssetTimes: FrameTimes {
    let frames: PresentedFrames
    let timeBase: Rational

    /// Creates frame times; `nil` for a video without frames.
    init?(_ asset: VideoAsset) {
        guard let first = asset.frames.first, first.timeBase > .zero else { return nil }
        (frames, timeBase) = (asset.frames, first.timeBase)
    }

    var frameCount: Int { frames.count }
    func start(ofFrame number: Int) -> Int64 { frames[number].offset }
    func end(ofFrame number: Int) -> Int64 {
        let frame = frames[number]
        let (end, overflow) = frame.offset.addingReportingOverflow(max(0, frame.durationUnits))
        return overflow ? .max : end
    }
}
