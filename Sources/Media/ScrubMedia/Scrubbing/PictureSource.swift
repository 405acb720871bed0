/// A source of a session's pictures. Tests use a fake in place of the decoder.
///
/// Used from one thread at a time.
protocol PictureSource {
    associatedtype Image: Sendable

    /// Begins to decode a frame that was reported to ``note(_:)``.
    mutating func begin(_ frame: Int) throws(ScrubError)
    /// Decodes about one packet of the current work.
    ///
    /// - Parameter deliver: receives the pictures output along the way, with their frame numbers.
    mutating func step(_ deliver: (Int, Image) -> Void) throws(ScrubError) -> SourceStep<Image>
    /// Abandons the current work. The pictures decoded for it are kept.
    mutating func leave()
    /// Returns whether to abandon the current work for another frame that a moving finger requests. The current work is
    /// finished first if the frame is within the finger's jitter, because the decoder would lose its position.
    func isWorthLeaving(for frame: Int) -> Bool
    /// Reports each requested frame, decoded or not, so that preparation follows the movement.
    mutating func note(_ frame: Int)
    /// Does about one packet of work that may be needed later.
    ///
    /// - Parameters:
    ///   - isMoving: whether a finger is moving.
    ///   - isPreviewed: whether a preview is on screen for it. If not, only the decoder follows the finger, and others
    ///     should not decode.
    /// - Returns: whether there is more to do before the next request.
    mutating func prepare(isMoving: Bool, isPreviewed: Bool) -> Bool
    /// Returns whether the pass in progress delivers a frame that the moving finger requests, with those around it.
    ///
    /// - Parameter isStill: whether the finger stays on the frame. In that case, only if decoding it alone is not
    ///   faster.
    func hasPass(for frame: Int, isStill: Bool) -> Bool
    /// Decodes about one packet of that pass.
    ///
    /// - Parameter deliver: receives the output pictures, with their frame numbers and the coded pictures used for
    ///   them.
    mutating func stepPass(_ deliver: (Int, Image, Int) -> Void)
    /// Handles memory that was released, or that others need: gives others their guaranteed memory.
    mutating func noteMemoryNews()
    /// Requests the decoder for a step, if decoders are shared.
    ///
    /// - Returns: whether it is available. If not, the thread is notified when it is.
    mutating func takeDecoder() -> Bool
    /// Marks the decoder as idle, so that others may have it.
    mutating func restDecoder()
    /// Releases everything. No work begins afterward.
    mutating func close()
    /// Whether the last step of the current work made no progress because bytes are not available yet.
    var isHeldUp: Bool { get }
    /// The number of coded pictures given to a decoder since the current work began.
    var decoded: Int { get }
}

/// The result of a step.
enum SourceStep<Image: Sendable>: Sendable {
    case more
    /// The current work is complete.
    case answer(SourceAnswer<Image>)
    /// There was no memory for a picture. The current work ended without an answer.
    case starved
}

/// A source's answer for a frame.
struct SourceAnswer<Image: Sendable>: Sendable {
    var image: Image?
    var verdict: Verdict
    var decoded: Int
}

/// A picture that is available without decoding, with its frame.
struct NearPicture<Image: Sendable>: Sendable {
    var frame: Int
    var image: Image
    var isFull: Bool
    /// The verdict on the picture as that of its own frame.
    var verdict = Verdict.exact
}

/// Pictures that are available without decoding. Safe from any thread.
protocol KeptPictures<Image>: Sendable {
    associatedtype Image: Sendable
    /// Returns the known answer for a frame at full size: its picture, or the fact that it has none.
    func full(_ frame: Int) -> SourceAnswer<Image>?
    /// Returns a frame's picture at a reduced size.
    func preview(_ frame: Int) -> Image?
    /// Returns the nearest frame with a picture of any size, if it is nearer than a distance.
    ///
    /// - Parameter distance: the distance in frames; `.max` for any.
    func nearest(to frame: Int, within distance: Int) -> NearPicture<Image>?
}
