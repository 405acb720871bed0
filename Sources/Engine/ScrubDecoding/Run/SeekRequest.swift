internal import ScrubFileIO
internal import ScrubBase
internal import ScrubIndex

/// A frame that is asked of a ``FrameEngine``, on its way to a picture. It is brought on packet by packet, so that it
/// can be left between any two. Use from one thread.
package final class SeekRequest {
    enum State {
        /// Its cost is not known yet: a read on the way was left.
        case unplanned
        /// The picture was kept from before.
        case kept(JudgedPicture)
        case running(GroupRun)
        /// It was answered, or left, or there was no memory.
        case over
    }

    package let frame: Int
    package internal(set) var plan: DecodePlan
    let hint: AccessPattern.Hint
    /// Whether nothing is decoded with it for a movement back.
    let isAlone: Bool
    var state = State.unplanned {
        willSet { decodedBefore = decoded }
    }
    /// Whether the packets that push the target out were decided.
    var isOnwardDecided: Bool
    /// Coded pictures given to decoders in runs that are over.
    private var decodedBefore = 0
    /// The time that a caller has waited for it.
    private var watch: RequestWatch?

    /// - Parameter isOnwardDecided: whether the decoder's place is worth nothing once the picture is out.
    init(
        _ frame: Int, _ plan: DecodePlan, _ hint: AccessPattern.Hint, isOnwardDecided: Bool = false,
        isAlone: Bool = false
    ) {
        (self.frame, self.plan, self.hint, self.isOnwardDecided) = (frame, plan, hint, isOnwardDecided)
        self.isAlone = isAlone
    }

    /// Coded pictures given to decoders so far.
    package var decoded: Int { decodedBefore + (run?.decoded ?? 0) }
    /// The run that brings the picture.
    var run: GroupRun? { if case .running(let run) = state { run } else { nil } }

    /// Does one step within the limits of time for a frame.
    func timed<Result>(
        _ file: MediaSource, _ work: () throws(ScrubError) -> Result
    ) throws(ScrubError) -> Result {
        let watch = watch ?? RequestWatch(file)
        self.watch = watch
        return try watch.step(work)
    }
}
