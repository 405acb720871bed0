internal import ScrubFileIO
internal import ScrubBase
internal import ScrubIndex

/// Frames that are decoded together, each group of pictures once, a packet at a time.
///
/// It begins the ``GroupRun``s that its frames need, one after another: those of each group, and those from an earlier
/// restart if one turned out to be false. A batch runs a pass without interruption; a thread with other work advances
/// it in between. It can be abandoned between packets. Use from one thread.
///
/// Memory: a run's, and the pictures that a step returns.
package final class FramePass {
    struct Outcome {
        /// The decided pictures, including those that no frame of the pass shows.
        var pictures: [JudgedPicture] = []
        var answers: [(number: Int, answer: FrameEngine.Answer)] = []
    }

    private let planner: SeekPlanner
    private let options: GroupRun.Options
    /// The groups that were not begun, the next one last.
    private var groups: [BatchGroup]
    /// The current run and its group; no group for a run without requested pictures.
    private(set) var run: GroupRun?
    private var group: BatchGroup?
    /// The frames of the current run that were not output, by their pictures.
    private var members: [Int: (number: Int, plan: DecodePlan)] = [:]
    /// The frames that were not output yet.
    package private(set) var missing: Set<Int>
    /// The coded pictures of the current run that were counted for an answer, and those of completed runs.
    private var (told, decodedBefore) = (0, 0)
    /// The plan for a frame on which a finger stays, without the pass.
    var alone: (frame: Int, plan: FeedPlan)?
    private var watch: RequestTimer
    /// Whether a caller waits for its frames, so that the time for each is limited.
    private let isWaitedFor: Bool
    /// Whether a frame was output in the last step. The time for the next one begins when the caller returns.
    private var isNextFrame = false
    /// Whether there was no memory for a picture, which was not reported yet.
    private var isStarved = false

    /// Creates a pass over frames that are always answered: proven, or decoded on the careful path, if necessary.
    ///
    /// - Parameters:
    ///   - groups: the groups, in the order in which they are decoded.
    ///   - isWaitedFor: whether a caller waits for the frames. Otherwise, it may pause arbitrarily between packets.
    init(_ groups: [BatchGroup], _ planner: SeekPlanner, _ options: GroupRun.Options, isWaitedFor: Bool = true) {
        (self.groups, self.planner, self.options) = (groups.reversed(), planner, options)
        self.isWaitedFor = isWaitedFor
        missing = Set(groups.flatMap { $0.members.map(\.number) })
        watch = RequestTimer(planner.file)
    }

    /// Creates a pass over frames that are needed only as long as there are no complaints.
    ///
    /// - Parameter run: a run without requested pictures.
    init(ahead run: GroupRun, _ planner: SeekPlanner) {
        (groups, self.run, self.planner, options) = ([], run, planner, run.options)
        for picture in run.targets {
            guard let number = planner.index.frame(ofPicture: picture) else { continue }
            members[picture] = (number, run.plan)
        }
        (missing, isWaitedFor) = (Set(members.values.map(\.number)), false)
        watch = RequestTimer(planner.file)
    }

    /// Whether no more frames will be output.
    package var isOver: Bool { run == nil && groups.isEmpty && !isStarved }
    /// The run in progress, if it has no requested pictures.
    var ahead: GroupRun? { group == nil ? run : nil }
    /// The number of coded pictures given to decoders so far.
    var decoded: Int { decodedBefore + (run?.decoded ?? 0) }

    /// Decodes about one packet.
    ///
    /// - Throws: `inputOutput` if reading fails: the same step may be retried. `unavailable` if there is no memory for
    ///   a picture; the pass then ends.
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
            // The next step reports it.
            isStarved = true
        default:
            // A restart turned out to be false: they are decoded from the previous one.
            if group != nil, !members.isEmpty {
                groups += planner.groups(members.values.map(\.number), isWindowed: true)
            }
            leaveRun(&resources)
        }
        return Outcome(pictures: pictures, answers: answers)
    }

    /// Abandons the pass. Its decoder keeps its position.
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

    /// Returns the frame that a picture answers. In a run without requested pictures, exact ones along the way are
    /// free.
    private func answer(_ picture: JudgedPicture, of run: GroupRun) -> (number: Int, answer: FrameEngine.Answer)? {
        var member = members.removeValue(forKey: picture.number)
        if member == nil, group == nil, picture.isExact, planner.index.isPresented(picture.number) {
            member = planner.index.frame(ofPicture: picture.number).map { ($0, run.plan) }
        }
        guard let (number, plan) = member else { return nil }
        missing.remove(number)
        // Each answer has the pictures up to its own that no earlier answer has counted.
        let cost = run.isCareful ? nil : group?.feeds.unitCount(through: plan.last)
        let share = max(0, min(run.decoded, cost ?? .max) - told)
        told += share
        return (number, FrameEngine.Answer(judged: picture, decoded: share, plan: plan))
    }

    /// Answers the rest of a group that takes too long, so that the other groups continue.
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
