public import ScrubMedia

/// A frame that a player delivers.
///
/// Thread safety: a value type, safe from any thread. Memory: its picture stays in memory for as long as a caller holds
/// the frame, and counts in the player's budget.
public struct PlayerFrame: Sendable {
    /// The reason why a frame is delivered.
    public enum Kind: Sendable, Hashable {
        /// The frame's time has come. Every frame is presented once with this kind.
        case presented
        /// The frame was already presented by another presenter. It is shown until the next frame's time comes.
        case held
        /// A poster, shown until the first picture is decoded.
        case poster
        /// The nearest available picture, until the exact one is decoded. During playback, it is the frame's own kept
        /// preview, shown on time because the exact picture is late; the exact picture may never follow.
        case nearest
    }

    /// The frame's item.
    public let item: PlayerItem.ID
    /// The frame of the medium, with its number and time there.
    public let frame: PresentedFrame
    /// The picture; `nil` when the frame is undecodable.
    public let picture: FramePicture?
    /// The verdict on the picture: whether it is exactly ``frame``.
    public let verdict: Verdict
    /// The reason why the frame is delivered.
    public let kind: Kind
    /// The time at which the frame should be on screen, in seconds of playback since the player's first frame. It
    /// continues to increase across items. At a rate of 2, it increases half as fast as the item's time. Pauses and
    /// seeks do not count.
    public let presentationTime: Rational
    /// The number of frames presented before this one, over all items.
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
    /// The same frame for a presenter that took over. A placeholder stays marked as one.
    var asHeld: PlayerFrame {
        PlayerFrame(
            item: item, frame: frame, picture: picture, verdict: verdict, kind: kind == .presented ? .held : kind,
            presentationTime: presentationTime, sequenceNumber: sequenceNumber)
    }
}
