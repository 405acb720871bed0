public import ScrubMedia

/// A frame that a player delivers.
///
/// Thread safety: a value type, safe from any thread. Memory: the frame's picture stays in memory for as long as a
/// caller holds the frame, and counts against the player's budget.
public struct PlayerFrame: Sendable {
    /// The reason why a frame is delivered.
    public enum Kind: Sendable, Hashable {
        /// The frame is due. Each frame that is played is presented once with this kind.
        case presented
        /// The frame was already presented by another presenter. It is shown until the next frame is due.
        case held
        /// A poster, shown until the first picture is decoded.
        case poster
        /// The nearest available picture, shown until the exact one is decoded. During playback, it is the frame's kept
        /// preview, shown on time because the exact picture is late. In that case, the exact picture may never be
        /// delivered.
        case nearest
    }

    /// The frame's item.
    public let item: PlayerItem.ID
    /// The medium's frame, with its number and time in the medium.
    public let frame: PresentedFrame
    /// The picture; `nil` if the frame is undecodable.
    public let picture: FramePicture?
    /// The verdict on the picture: whether it is exactly ``frame``.
    public let verdict: Verdict
    /// The reason why the frame is delivered.
    public let kind: Kind
    /// The time at which the frame should be on screen, in seconds of playback since the player's first frame. It
    /// continues to increase across items. At a rate of 2, it increases half as fast as the item's time. Time spent
    /// paused or seeking is not included.
    public let presentationTime: Rational
    /// The number of frames presented before this one, in all items together.
    public let sequenceNumber: Int

    package init(
        item: PlayerItem.ID, frame: PresentedFrame, picture: FramePicture?, verdict: Verdict, kind: Kind,
        presentationTime: Rational, sequenceNumber: Int
    ) {
        (self.item, self.frame, self.picture, self.verdict) = (item, frame, picture, verdict)
        (self.kind, self.presentationTime, self.sequenceNumber) = (kind, presentationTime, sequenceNumber)
    }
}

extension PlayerFrame {
    /// The same frame, for a presenter that took over. A placeholder is still marked as a placeholder.
    var asHeld: PlayerFrame {
        PlayerFrame(
            item: item, frame: frame, picture: picture, verdict: verdict, kind: kind == .presented ? .held : kind,
            presentationTime: presentationTime, sequenceNumber: sequenceNumber)
    }
}
