package import ScrubBase

/// A source of one medium's pictures in playback order.
///
/// Used from one thread at a time; it may move between threads while no call is in progress. It holds at most one
/// decoder, and only between ``begin(at:_:stride:)`` and ``close()``.
package protocol PictureFeed<Image>: SendableMetatype {
    /// The type of a decoded picture.
    associatedtype Image: Sendable

    /// Restarts at a frame, and abandons the work in progress. Cached pictures are used.
    ///
    /// - Parameters:
    ///   - frame: a frame that exists, which is the first one to be output.
    ///   - direction: the direction in which frames follow.
    ///   - stride: the distance between output frames, 1 or more: a fast rate does not need all of them.
    mutating func begin(at frame: Int, _ direction: PlaybackDirection, stride: Int) throws(ScrubError)

    /// Decodes about one packet.
    ///
    /// - Parameter isAhead: whether no caller is waiting for the next frame yet. If memory is scarce, such a frame
    ///   yields (``FeedStep/starved``) to frames that are waited for.
    /// - Throws: `inputOutput` if reading fails; the feed must then begin again.
    mutating func step(isAhead: Bool) throws(ScrubError) -> FeedStep<Image>

    /// Decodes about one packet of the next work in playback order while the available frames are shown. It is for
    /// directions in which frames are not output one at a time. It does not return frames.
    ///
    /// - Returns: whether it did any work; if not, there may be more once another frame was taken.
    /// - Throws: the errors of ``step()``.
    mutating func prepare() throws(ScrubError) -> Bool

    /// The number of coded pictures given to decoders so far.
    var decodedCount: Int { get }

    /// The bytes of the medium that were read while it worked.
    var readByteCount: Int64 { get }

    /// Closes the decoder. Delivered frames stay valid; ``begin(at:_:stride:)`` opens another decoder.
    mutating func close()
}

/// The outcome of a step.
package enum FeedStep<Image: Sendable>: Sendable {
    /// No frame was output yet.
    case more
    /// The next frame in playback order.
    case frame(FedPicture<Image>)
    /// A picture near the frame requested with ``PictureFeed/begin(at:_:stride:)``, shown until that frame is
    /// available. There are at most a few, only before the first ``frame(_:)``.
    case placeholder(FedPicture<Image>)
    /// The last frame in that direction was already output.
    case end
    /// There was no memory for a picture. The next call continues where this one stopped.
    case starved
}

/// A frame of a medium with its picture.
package struct FedPicture<Image: Sendable>: Sendable {
    /// The frame's number.
    package var frame: Int
    /// The picture; `nil` if the frame is undecodable.
    package var image: Image?
    package var verdict: Verdict
    /// The number of coded pictures given to the decoder for it.
    package var decodedCount: Int

    package init(frame: Int, image: Image?, verdict: Verdict, decodedCount: Int = 0) {
        (self.frame, self.image, self.verdict, self.decodedCount) = (frame, image, verdict, decodedCount)
    }
}
