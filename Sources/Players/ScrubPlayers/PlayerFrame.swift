public import ScrubMedia

/// A frame that a player hands out.
///
/// Thread safety: a value, safe everywhere. Memory: its picture stays in memory as long as a caller holds the frame,
/// and counts in the player's budget.
public struct PlayerFrame: Sendable {
    /// Why a frame is handed out.
    public enum Kind: Sendable, Hashable {
        /// Its time has come. Every frame that is played comes once as this.
        case presented
        /// It was presented before, by another presenter; shown until the next one's time comes.
        case held
        /// A poster, until the first picture is decoded.
        case poster
        /// The nearest picture that is there, until the exact one is decoded. While it plays this is the frame's own
        /// kept preview, shown at its time because the exact picture is late; that may never come.
        case nearest
    }

    /// The item that it belongs to.
    public let item: PlayerItem.ID
    /// Which frame of its medium, and when it is on screen there.
    public let frame: PresentedFrame
    /// The picture; `nil` when the frame is undecodable.
    public let picture: FramePicture?
    /// The certainty that this is the very frame.
    public let verdict: Verdict
    /// Why it is handed out.
    public let kind: Kind
    /// The time at which it is to be on screen, in seconds of playing since the player's first frame. Items follow each
    /// other, a rate of 2 halves it, pauses and seeks do not count.
    public let presentationTime: Rational
    /// The presented frames before it, over all items.
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
    /// The same frame for a presenter that took over. A frame that only stands for another picture says so there, too.
    var asHeld: PlayerFrame {
        PlayerFrame(
            item: item, frame: frame, picture: picture, verdict: verdict, kind: kind == .presented ? .held : kind,
            presentationTime: presentationTime, sequenceNumber: sequenceNumber)
    }
}
