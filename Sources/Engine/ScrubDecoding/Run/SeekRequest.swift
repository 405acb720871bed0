internal import ScrubFileIO
internal import ScrubBase
internal import ScrubIndex

/// A frame that is asked of a ``FrameEngine``, on its way to a picture. It is brought on packet by packet, so that it
/// can be left between any two. Use from one thread.
package final class SeekRequest {
    /// The state of a request.
    enum State {
        /// Its cost is not known yet: a read on the way was left.
        case unplanned
        /// The picture was kept from before.
        case kept(JudgedPicture)
        case running(GroupRun)
        /// It was answered, or there was no memory.
        case over
        /// No caller is waiting.
        case left
    }

    /// The frame that is asked for.
    package let frame: Int
    /// The beginning of decoding.
    package private(set) var plan: DecodePlan
    /// The interpretation of the request.
    let hint: AccessPattern.Hint
    /// Whether nothing is decoded with it for a movement back.
    let isAlone: Bool
    private(set) var state = State.unplanned
    /// Whether the packets that push the target out were decided.
    private(set) var isOnwardDecided: Bool
    /// Coded pictures given to decoders in runs that are over.
    private var decodedBefore = 0
    /// The time that a caller has waited for it.
    private var watch: RequestWatch?

    /// - Parameters:
    ///   - isOnwardDecided: whether the decoder's place is worth nothing once the picture is out.
    ///   - isAlone: whether nothing is decoded with it for a movement back.
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

    /// Takes a picture that was kept from before.
    func take(_ kept: JudgedPicture) { change(.kept(kept)) }

    /// Takes the run that brings the picture.
    func take(_ run: GroupRun) { change(.running(run)) }

    /// Begins another run from where this plan says, since this one is over without the picture.
    func begin(anew plan: DecodePlan) {
        change(.unplanned)
        self.plan = plan
    }

    /// Feeds on after the target, so that the decoder keeps its place.
    func feedOnward(_ feeds: [Feed]) {
        isOnwardDecided = true
        run?.feedOnward(feeds)
    }

    /// Ends the request: no caller is waiting, or it was answered.
    func end(_ state: State = .over) { change(state) }

    private func change(_ next: State) {
        decodedBefore = decoded
        state = next
    }

    /// Does one step within the limits of time for a frame.
    func timed<Result>(
        _ file: MediaSource, _ work: () throws(ScrubError) -> Result
    ) throws(ScrubError) -> Result {
        let watch = watch ?? RequestWatch(file)
        self.watch = watch
        return try watch.step(work)
    }
}
