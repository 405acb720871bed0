internal import ScrubFileIO
internal import ScrubBase
internal import ScrubIndex

/// A frame request to a ``FrameEngine``. It advances packet by packet, so that it can be abandoned between packets. Use
/// from one thread.
package final class SeekRequest {
    enum State {
        /// The request's cost is not yet known, because a read was abandoned.
        case unplanned
        /// The picture was cached.
        case kept(JudgedPicture)
        case running(GroupRun)
        /// The request was answered or abandoned, or there was no memory.
        case over
    }

    package let frame: Int
    package internal(set) var plan: DecodePlan
    let hint: AccessPattern.Hint
    /// Whether nothing else is decoded with it for a backward movement.
    let isAlone: Bool
    var state = State.unplanned {
        willSet { decodedBefore = decoded }
    }
    /// Whether the packets that push the target out were decided.
    var isOnwardDecided: Bool
    /// The number of coded pictures given to decoders in completed runs.
    private var decodedBefore = 0
    /// The time that a caller has waited for it.
    private var watch: RequestTimer?

    /// Creates a request.
    ///
    /// - Parameter isOnwardDecided: whether the decoder's position is worth nothing once the picture is output.
    init(
        _ frame: Int, _ plan: DecodePlan, _ hint: AccessPattern.Hint, isOnwardDecided: Bool = false,
        isAlone: Bool = false
    ) {
        (self.frame, self.plan, self.hint, self.isOnwardDecided) = (frame, plan, hint, isOnwardDecided)
        self.isAlone = isAlone
    }

    /// The number of coded pictures given to decoders so far.
    package var decoded: Int { decodedBefore + (run?.decoded ?? 0) }
    /// The run that delivers the picture.
    var run: GroupRun? { if case .running(let run) = state { run } else { nil } }

    /// Does one step within a frame's time limits.
    func timed<Result>(
        _ file: MediaSource, _ work: () throws(ScrubError) -> Result
    ) throws(ScrubError) -> Result {
        let watch = watch ?? RequestTimer(file)
        self.watch = watch
        return try watch.step(work)
    }
}
