internal import FileIO
internal import LibAV
package import ScrubBase
internal import ScrubIndex

/// An exact answer on its way. It is brought on packet by packet, so that it can be left between any two.
///
/// Use with the engine that started it, from the same thread, one at a time.
package final class FrameSearch {
    fileprivate enum Way {
        /// The picture was there already.
        case kept(SharedFrame)
        case fast(DecodeJob)
        case careful
    }

    /// The frame that is looked for.
    package let number: Int
    package let plan: DecodePlan
    fileprivate let hint: AccessPattern.Hint
    fileprivate var way: Way
    fileprivate var found: SharedFrame?
    /// What is fed after the plan so that the target comes out; nothing until that was decided.
    fileprivate var onward: ArraySlice<Feed>?

    fileprivate init(_ number: Int, _ plan: DecodePlan, _ hint: AccessPattern.Hint, _ way: Way) {
        (self.number, self.plan, self.hint, self.way) = (number, plan, hint, way)
    }

    /// Coded pictures given to a decoder so far.
    package var decoded: Int {
        if case .fast(let job) = way { job.fed } else { 0 }
    }
}

extension FrameEngine {
    /// Begins to look for a frame; nothing is decoded yet.
    ///
    /// - Throws: when the work's decoder cannot be opened.
    package func start(frame number: Int) throws(ScrubError) -> FrameSearch {
        let (plan, hint) = note(frame: number)
        if let kept = cache.withLock({ $0[plan.target] }) { return FrameSearch(number, plan, hint, .kept(kept)) }
        if troubled.contains(plan.restart) { return FrameSearch(number, plan, hint, .careful) }
        // Not `??`: its autoclosure forgets the error's type.
        if let job = jobInAdvance(for: plan.target) { return FrameSearch(number, plan, hint, .fast(job)) }
        return FrameSearch(number, plan, hint, .fast(try makeJob(number, plan, hint)))
    }

    /// Brings a search on by about one packet.
    ///
    /// - Returns: the answer once it is there; the search is over then.
    /// - Throws: `inputOutput` when reading fails; the search is over then.
    package func step(_ search: FrameSearch) throws(ScrubError) -> Answer? {
        switch search.way {
        case .kept(let frame):
            return Answer(
                picture: search.plan.target, frame: frame, verdict: .exact, decoded: 0, plan: search.plan)
        case .fast(let job): return try step(search, job)
        case .careful: return try carefulAnswer(search.number)
        }
    }

    private func step(_ search: FrameSearch, _ job: DecodeJob) throws(ScrubError) -> Answer? {
        let plan = search.plan
        let take: DecodeJob.Delivery = { (picture, frame) throws(ScrubError) in
            if picture == plan.target { search.found = frame }
            self.keep(frame, of: picture, from: job.decoder)
        }
        if !job.isOver, !job.isFed || job.canPush {
            try job.step(reader: &reader, deliver: take)
        } else if job.decoder.isClean {
            if search.onward == nil {
                let pays = isWorthKeeping(job.decoder, after: plan, search.hint)
                search.onward = pays ? feedsOnward(of: job.decoder, plan, search.hint)[...] : []
            }
            if let next = search.onward?.popFirst() {
                try job.feed(next, reader: &reader, deliver: take)
            } else if job.decoder.restart != nil {
                try job.drain(deliver: take)
            } else {
                return giveUp(search)
            }
        }
        guard job.decoder.isClean else { return giveUp(search) }
        guard let found = search.found else { return nil }
        // What is left of the work, other frames of a window, is done while nobody waits.
        if job.isOver { pool.put(job.decoder) } else { ahead = job }
        return Answer(picture: plan.target, frame: found, verdict: .exact, decoded: job.fed, plan: plan)
    }

    /// The fast way met trouble: its decoder is let go, and the careful way has the word.
    private func giveUp(_ search: FrameSearch) -> Answer? {
        troubled.insert(search.plan.restart)
        search.way = .careful
        return nil
    }

    /// Leaves a search that nobody waits for any more; its decoder stays where it stands.
    package func leave(_ search: FrameSearch) {
        if case .fast(let job) = search.way, job.decoder.isClean { pool.put(job.decoder) }
        search.way = .careful
    }
}
