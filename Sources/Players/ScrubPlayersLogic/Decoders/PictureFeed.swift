package import ScrubBase

/// Makes the pictures of one medium in the order in which they are played.
///
/// Used from one thread at a time; it may move between threads while no call is under way. It holds at most one
/// decoder, and one only between ``begin(at:_:stride:)`` and ``close()``.
package protocol PictureFeed<Image>: SendableMetatype {
    /// A decoded picture.
    associatedtype Image: Sendable

    /// Starts over at a frame, and leaves the work under way. Kept pictures are used.
    ///
    /// - Parameters:
    ///   - frame: a frame that exists; it is the first one that comes out.
    ///   - direction: which frames follow it.
    ///   - stride: the distance of the frames that come out, 1 or more: a fast rate needs not all of them.
    mutating func begin(at frame: Int, _ direction: PlaybackDirection, stride: Int) throws(ScrubError)

    /// Goes on by about one packet.
    ///
    /// - Parameter isAhead: whether nothing waits for the next frame yet. If memory is scarce such a frame is left
    ///   (``FeedStep/starved``) to others that are waited for.
    /// - Throws: `inputOutput` when reading fails; the feed has to begin again then.
    mutating func step(isAhead: Bool) throws(ScrubError) -> FeedStep<Image>

    /// Does about one packet of the next work in play order while the frames that are there are shown. It is for
    /// directions in which frames do not come out one by one. Nothing is handed out.
    ///
    /// - Returns: whether it did something; if not, there may be more to do once another frame was taken.
    /// - Throws: as ``step()``.
    mutating func prepare() throws(ScrubError) -> Bool

    /// Coded pictures that it has given to decoders so far.
    var decodedCount: Int { get }

    /// Bytes of the medium that were read while it worked.
    var readByteCount: Int64 { get }

    /// Closes the decoder. Delivered frames stay valid; ``begin(at:_:stride:)`` opens another decoder.
    mutating func close()
}

/// The outcome of a step.
package enum FeedStep<Image: Sendable>: Sendable {
    /// Nothing came out yet.
    case more
    /// The next frame in play order.
    case frame(FedPicture<Image>)
    /// A picture near the frame that ``PictureFeed/begin(at:_:stride:)`` asked for, to be shown until that comes. At
    /// most a few, only before the first ``frame(_:)``.
    case placeholder(FedPicture<Image>)
    /// The last frame in that direction came out before.
    case end
    /// There was no memory for a picture. Asking again goes on where it stopped.
    case starved
}

/// A frame of a medium with its picture.
package struct FedPicture<Image: Sendable>: Sendable {
    /// The frame's number.
    package var frame: Int
    /// `nil` when the frame is undecodable.
    package var image: Image?
    package var verdict: Verdict
    /// Coded pictures given to the decoder for it.
    package var decodedCount: Int

    package init(frame: Int, image: Image?, verdict: Verdict, decodedCount: Int = 0) {
        (self.frame, self.image, self.verdict, self.decodedCount) = (frame, image, verdict, decodedCount)
    }
}
