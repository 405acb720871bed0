internal import ScrubFileIO
internal import ScrubBase
internal import ScrubIndex

/// Frames that are decoded together, each group of pictures once, a packet at a time.
///
/// It begins the ``GroupRun``s that its frames need, one after the other: those of each group, and those from a restart
/// further back where one turned out to be none. A batch goes through a pass without a stop; a thread that has other
/// work too goes on with it between that. It is left between any two packets. Use from one thread.
///
/// Memory: a run's, and the pictures that a step returns.
package final class FramePass {
    struct Outcome {
        /// The pictures that were decided, those among them that no frame of the pass shows.
        var pictures: [JudgedPicture] = []
        var answers: [(number: Int, answer: FrameEngine.Answer)] = []
    }

    private let planner: SeekPlanner
    private let options: GroupRun.Options
    /// Groups that were not begun, the next one at the end.
    private var groups: [BatchGroup]
    /// The present run, and its group; no group for a run that nothing is asked of.
    private(set) var run: GroupRun?
    private var group: BatchGroup?
    /// The frames of the present run that did not come out, by their pictures.
    private var members: [Int: (number: Int, plan: DecodePlan)] = [:]
    /// Frames that did not come out yet.
    package private(set) var missing: Set<Int>
    /// Coded pictures of the present run that were counted for an answer, and those of runs that are over.
    private var (told, decodedBefore) = (0, 0)
    /// What a frame takes that a finger stays on, without the pass.
    var alone: (frame: Int, plan: FeedPlan)?
    private var watch: RequestWatch
    /// Whether a caller waits for its frames, so that the time for each is limited.
    private let isWaitedFor: Bool
    /// Whether a frame came out with the last step: the time for the next one begins when the caller comes back.
    private var isNextFrame = false
    /// Whether there was no memory for a picture, which was not said yet.
    private var isStarved = false

    /// A pass over frames that are answered in any case: proven, or decoded the careful way, where that takes it.
    ///
    /// - Parameters:
    ///   - groups: in the order in which they are decoded.
    ///   - isWaitedFor: whether a caller waits for the frames; else it may rest between two packets for as long as it
    ///     likes.
    init(_ groups: [BatchGroup], _ planner: SeekPlanner, _ options: GroupRun.Options, isWaitedFor: Bool = true) {
        (self.groups, self.planner, self.options) = (groups.reversed(), planner, options)
        self.isWaitedFor = isWaitedFor
        missing = Set(groups.flatMap { $0.members.map(\.number) })
        watch = RequestWatch(planner.file)
    }

    /// A pass over frames that are wanted only as long as nothing is complained of.
    ///
    /// - Parameter run: one that nothing is asked of.
    init(ahead run: GroupRun, _ planner: SeekPlanner) {
        (groups, self.run, self.planner, options) = ([], run, planner, run.options)
        for picture in run.targets {
            guard let number = planner.index.frame(ofPicture: picture) else { continue }
            members[picture] = (number, run.plan)
        }
        (missing, isWaitedFor) = (Set(members.values.map(\.number)), false)
        watch = RequestWatch(planner.file)
    }

    /// Whether nothing more comes out.
    package var isOver: Bool { run == nil && groups.isEmpty && !isStarved }
    /// The run under way, if nothing is asked of it.
    var ahead: GroupRun? { group == nil ? run : nil }
    /// Coded pictures given to decoders so far.
    var decoded: Int { decodedBefore + (run?.decoded ?? 0) }

    /// Does about one packet.
    ///
    /// - Throws: `inputOutput` when reading fails: the same step may be tried again. `unavailable` if there is no
    ///   memory for a picture; the pass is over then.
    func step(_ resources: inout GroupResources) throws(ScrubError) -> Outcome {
        if isStarved {
            isStarved = false
            throw FrameEngine.noMemory
        }
        if run == nil { try begin(&resources) }
        guard let run else { return Outcome() }
        if isNextFrame || !isWaitedFor { watch.begin() }
        let (pictures, refusal) = try watch.timed { () throws(ScrubError) in try run.step(&resources) }
        if let refusal {
            leaveRun(&resources)
            return Outcome(answers: refused(refusal))
        }
        isNextFrame = !pictures.isEmpty
        let answers = pictures.compactMap { answer($0, of: run) }
        switch run.end {
        case nil: break
        case .starved:
            leave(&resources)
            if answers.isEmpty { throw FrameEngine.noMemory }
            // The next step says it.
            isStarved = true
        default:
            // A restart turned out to be none: they are decoded from the one before.
            if group != nil, !members.isEmpty {
                groups += planner.groups(members.values.map(\.number), isWindowed: true)
            }
            leaveRun(&resources)
        }
        return Outcome(pictures: pictures, answers: answers)
    }

    /// Leaves the pass; its decoder stays where it stands.
    func leave(_ resources: inout GroupResources) {
        leaveRun(&resources)
        (groups, isStarved) = ([], false)
    }

    private func leaveRun(_ resources: inout GroupResources) {
        if let run, run.end == nil { run.leave(&resources) }
        decodedBefore = decoded
        run = nil
    }

    /// Begins the run of the next group.
    private func begin(_ resources: inout GroupResources) throws(ScrubError) {
        guard let next = groups.last else { return }
        let begun = try resources.run(next.members.map(\.plan), options, feeds: next.feeds)
        groups.removeLast()
        watch.begin()
        (run, group, told) = (begun, next, 0)
        members = Dictionary(uniqueKeysWithValues: next.members.map { ($0.plan.target, $0) })
    }

    /// Returns what a picture answers. Of a run that nothing is asked of, exact ones on the way are had for nothing.
    private func answer(_ picture: JudgedPicture, of run: GroupRun) -> (number: Int, answer: FrameEngine.Answer)? {
        var member = members.removeValue(forKey: picture.number)
        if member == nil, group == nil, picture.isExact, planner.index.isPresented(picture.number) {
            member = planner.index.frame(ofPicture: picture.number).map { ($0, run.plan) }
        }
        guard let (number, plan) = member else { return nil }
        missing.remove(number)
        // Each answer has the pictures up to its own that no answer before it has told.
        let cost = run.isCareful ? nil : group?.feeds.unitCount(through: plan.last)
        let share = max(0, min(run.decoded, cost ?? .max) - told)
        told += share
        return (number, FrameEngine.Answer(judged: picture, decoded: share, plan: plan))
    }

    /// Answers the rest of a group that takes too long: the other groups are worth going on for.
    private func refused(_ refusal: ScrubError) -> [(number: Int, answer: FrameEngine.Answer)] {
        let reason: Wording =
            refusal.adviceWording.map { "\(refusal.causeWording); \($0)" } ?? refusal.causeWording
        defer { members = [:] }
        return members.values.sorted { $0.plan.target < $1.plan.target }.map { number, plan in
            missing.remove(number)
            let judged = JudgedPicture(number: plan.target, frame: nil, verdict: .undecodable(reason))
            return (number, FrameEngine.Answer(judged: judged, decoded: 0, plan: plan))
        }
    }
}
