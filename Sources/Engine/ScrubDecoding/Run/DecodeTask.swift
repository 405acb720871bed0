internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// Pictures on their way. It is brought on packet by packet, so that it can be left between any two.
///
/// It decodes the fast way: what the targets depend on and nothing else, on a decoder that may stand in the group
/// already. When anything at all is complained of, the careful way decides the targets that are asked for. Use from one
/// thread.
package final class DecodeTask {
    /// Where a task stands.
    enum State {
        /// What it takes is not known yet: a read on the way was left.
        case unplanned
        /// The picture was there already.
        case kept(JudgedPicture)
        /// A restart is compared first.
        case proving(RestartProver)
        case fast
        case careful(CarefulDecoder)
        /// Nothing is left to do.
        case finished
        /// There was no memory for a picture. Nothing was decided.
        case starved
        /// No caller waits any more.
        case left
    }

    /// What the fast way does.
    struct Work {
        var plan: FeedPlan
        /// Pictures that the work is done for.
        var targets: [Int]
        /// Whether the decoder is drained once everything is fed, or left where it stands with pictures still inside.
        var isDrained: Bool
    }

    /// The frame that is asked for; `nil` for a prefetch, or a batch.
    package internal(set) var frame: Int?
    var state: State
    /// Where decoding begins; of the frame that is asked for, if one is.
    package var plan: DecodePlan
    /// How the frame was asked for.
    var hint: AccessPattern.Hint?

    // The fast way.
    private(set) var decoder: OpenDecoder?
    private(set) var work: Work?
    /// Pictures that the work is done for and that did not come out yet.
    private(set) var waiting: Set<Int> = []
    /// What is left to feed.
    private var feeds: ArraySlice<Feed> = []
    /// How often the decoder can still be moved on by a packet without a picture.
    private var pushesLeft = 0
    private var fedAtStart = 0
    /// Whether what pushes the target out was decided.
    var isOnwardDecided = false
    /// Coded pictures given to decoders in earlier states.
    private var fedBefore = 0
    /// How long a caller has waited for it.
    var watch: RequestWatch?

    init(_ state: State, plan: DecodePlan, frame: Int? = nil) {
        (self.state, self.plan, self.frame) = (state, plan, frame)
    }

    /// - Parameter feeds: what the work's targets take from where the decoder stands.
    convenience init(_ work: Work, decoder: OpenDecoder, feeds: [Feed]) {
        self.init(.fast, plan: work.plan.plan)
        begin(work, decoder: decoder, feeds: feeds)
    }

    /// Begins the fast way.
    func begin(_ work: Work, decoder: OpenDecoder, feeds: [Feed]) {
        fedBefore = decoded
        (self.work, self.decoder, self.feeds) = (work, decoder, feeds[...])
        decoder.learn(work.plan.table)
        waiting = Set(work.targets)
        pushesLeft = work.plan.table?.canRepeat == true ? decoder.threadDelay + 2 : 0
        fedAtStart = decoder.findings.fed
        state = .fast
    }

    /// Begins the careful way.
    func begin(_ careful: CarefulDecoder) {
        fedBefore = decoded
        (decoder, feeds) = (nil, [])
        state = .careful(careful)
    }

    /// Ends a comparison; its pictures stay counted.
    func endProof() {
        fedBefore = decoded
        state = .left
    }

    /// Coded pictures given to a decoder so far.
    package var decoded: Int {
        switch state {
        case .careful(let careful): fedBefore + careful.fed
        case .proving(let prover): fedBefore + prover.fed
        default: fedBefore + (decoder.map { $0.findings.fed - fedAtStart } ?? 0)
        }
    }

    /// Whether all packets of the fast way were fed.
    var isFed: Bool { feeds.isEmpty && (pushesLeft == 0 || decoder?.restart == nil) }
    /// Whether the fast way has nothing left to do, or nothing good can come of it.
    var isOver: Bool {
        guard let decoder else { return true }
        return !decoder.isClean || waiting.isEmpty
            || (isFed && (work?.isDrained == false || decoder.restart == nil))
    }

    /// Feeds the next packet, or drains the decoder after the last one.
    ///
    /// - Returns: the pictures that came out and that nothing speaks against.
    func stepFast(reader: inout PacketReader) throws(ScrubError) -> [DecodedPicture] {
        guard let decoder else { return [] }
        if let first = feeds.first {
            try decoder.feed(first, reader: &reader)
            feeds = feeds.dropFirst()
        } else if pushesLeft > 0, decoder.restart != nil {
            pushesLeft -= 1
            if try !decoder.push() { pushesLeft = 0 }
        } else if decoder.restart != nil {
            decoder.drain()
        }
        return pull(decoder)
    }

    /// Takes packets that are not in the plan, so that a target comes out without a drain.
    func feedOnward(_ onward: [Feed]) {
        isOnwardDecided = true
        feeds = onward[...]
    }

    private func pull(_ decoder: OpenDecoder) -> [DecodedPicture] {
        var pictures: [DecodedPicture] = []
        while let picture = decoder.next() {
            guard decoder.isClean else { continue }
            waiting.remove(picture.number)
            pictures.append(picture)
        }
        return decoder.isClean ? pictures : []
    }

    /// Lets go of the decoder, which may go back to its pool.
    func takeDecoder() -> OpenDecoder? {
        fedBefore = decoded
        defer { decoder = nil }
        return decoder
    }
}
