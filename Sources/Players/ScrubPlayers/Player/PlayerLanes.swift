package import ScrubPlayersLogic
package import ScrubMedia

/// The decoding for a player: one lane plays an item, the other gets the next one ready.
///
/// Thread safety: safe from any thread; nothing in it waits for a decoder.
package protocol PlayerLane: AnyObject, Sendable {
    /// Starts over for a passage; nothing of older ones is delivered once this has returned.
    func start(ticket: Int, at frame: Int, _ direction: PlaybackDirection, stride: Int, isLookAhead: Bool)
    /// Makes the prepared item the wanted one: the lane may wait for a decoder in line.
    func promote()
    /// There is room for pictures again; something waits for the next one unless it is `isAhead`.
    func resume(ticket: Int, isAhead: Bool)
    /// Asks for a frame's preview, which comes as a placeholder where one is kept.
    func preview(ticket: Int, of frame: Int)
    /// Nothing more is wanted for now; the decoder may go to another lane.
    func stop()
    /// Closes the decoder when there is no room for more pictures. Playback continues when there is room again.
    func detach()
    /// Nothing more is wanted ever.
    func close()
}

/// Makes lanes.
package struct PlayerLaneMaker: Sendable {
    /// - Parameter deliver: called on the lane's thread; false when the lane has to wait for `resume`.
    package typealias Deliver = @Sendable (_ ticket: Int, LaneNews<FramePicture>) -> Bool

    package typealias Make =
        @Sendable (VideoAsset, Player.Options, PlaybackResources, LaneMeter, @escaping Deliver) -> any PlayerLane

    package let make: Make

    package init(make: @escaping Make) {
        self.make = make
    }
}

/// A video's frame times for a player's machine.
struct AssetTimes: FrameTimes {
    let frames: PresentedFrames
    let timeBase: Rational

    /// `nil` for a video without frames.
    init?(_ asset: VideoAsset) {
        guard let first = asset.frames.first, first.timeBase > .zero else { return nil }
        (frames, timeBase) = (asset.frames, first.timeBase)
    }

    var frameCount: Int { frames.count }
    func start(ofFrame number: Int) -> Int64 { frames[number].offset }
    func end(ofFrame number: Int) -> Int64 {
        let frame = frames[number]
        let (end, overflow) = frame.offset.addingReportingOverflow(max(0, frame.duration))
        return overflow ? .max : end
    }
}
