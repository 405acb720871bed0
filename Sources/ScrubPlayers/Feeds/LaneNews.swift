package import Playback
package import ScrubBase

/// What a ``PictureLane`` tells.
package enum LaneNews<Image: Sendable>: Sendable {
    /// The next frame in play order.
    case frame(FedPicture<Image>)
    /// A picture near the first frame, to be shown until that comes.
    case placeholder(FedPicture<Image>)
    /// The last frame in that direction was delivered before.
    case end
    /// Nothing more comes until the next start.
    case failed(ScrubError)
    /// There was no memory for a picture: it is tried again after ``PictureLane/resume(ticket:)``.
    case starved
    /// The decoder was given back because others wait for one; it goes on by itself once it is the lane's turn. A look-ahead goes on
    /// after ``PictureLane/becomeCurrent()``.
    case waitingForDecoder
}
