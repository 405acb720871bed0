/// The source of a session's pictures. A fake one stands in for the decoder in tests.
///
/// Used from one thread at a time.
protocol PictureSource {
    associatedtype Image: Sendable

    /// Begins to decode a frame that was noted.
    mutating func begin(_ frame: Int) throws(ScrubError)
    /// Decodes about one packet of the present work.
    ///
    /// - Parameter deliver: takes the pictures that come out on the way, with their frame numbers.
    mutating func step(_ deliver: (Int, Image) -> Void) throws(ScrubError) -> SourceStep<Image>
    /// Leaves the present work; the pictures decoded for it are not lost.
    mutating func leave()
    /// Returns whether to leave the present work for another frame that a moving finger asks for. The work is finished
    /// first if the frame lies where the finger jitters, because the decoder would lose its place for it.
    func isWorthLeaving(for frame: Int) -> Bool
    /// Reports every frame that is asked for, decoded or not, so that preparing follows the movement.
    mutating func note(_ frame: Int)
    /// Does about one packet of work that may be wanted later.
    ///
    /// - Parameters:
    ///   - isMoving: whether a finger moves.
    ///   - isPreviewed: whether a preview is on screen for it. If not, only the decoder follows the finger, and others
    ///     should not decode.
    /// - Returns: whether there is more to do before the next request.
    mutating func prepare(isMoving: Bool, isPreviewed: Bool) -> Bool
    /// Whether the pass under way brings a frame that the moving finger asks for, with those around it.
    ///
    /// - Parameter isStill: whether the finger stays on the frame: then only if it does not come sooner alone.
    func hasPass(for frame: Int, isStill: Bool) -> Bool
    /// Decodes about one packet of that pass.
    ///
    /// - Parameter deliver: takes the pictures that come out, with their frame numbers and the coded pictures for them.
    mutating func stepPass(_ deliver: (Int, Image, Int) -> Void)
    /// Reacts to memory that came back, or is wanted back: gives others what they are guaranteed.
    mutating func noteMemoryNews()
    /// Asks for the decoder that a step needs, where it is shared with others.
    ///
    /// - Returns: whether it is there. If not, the thread is told when it is.
    mutating func takeDecoder() -> Bool
    /// Ends the need for a decoder for now: others may have it.
    mutating func restDecoder()
    /// Gives everything back; nothing is begun after that.
    mutating func close()
    /// Whether the last step of the present work came no further because bytes are not there yet.
    var isHeldUp: Bool { get }
    /// The number of coded pictures that a decoder was given since the present work began.
    var decoded: Int { get }
}

/// The result of a step.
enum SourceStep<Image: Sendable>: Sendable {
    case more
    /// The present work is over.
    case answer(SourceAnswer<Image>)
    /// There was no memory for a picture: the present work is over, without an answer.
    case starved
}

/// The answer of a source for a frame.
struct SourceAnswer<Image: Sendable>: Sendable {
    var image: Image?
    var verdict: Verdict
    var decoded: Int
}

/// A picture that is there without decoding, with the frame that it is of.
struct NearPicture<Image: Sendable>: Sendable {
    var frame: Int
    var image: Image
    var isFull: Bool
    /// On the picture as that of its own frame.
    var verdict = Verdict.exact
}

/// Pictures that are there without decoding; asked from any thread.
protocol KeptPictures<Image>: Sendable {
    associatedtype Image: Sendable
    /// Returns the known answer for a frame at full size: its picture, or that it has none.
    func full(_ frame: Int) -> SourceAnswer<Image>?
    /// Returns the picture of a frame at a reduced size.
    func preview(_ frame: Int) -> Image?
    /// Returns the nearest frame that has a picture, of whatever size, if it is nearer than some frames.
    ///
    /// - Parameter distance: frames; `.max` for any.
    func nearest(to frame: Int, within distance: Int) -> NearPicture<Image>?
}
