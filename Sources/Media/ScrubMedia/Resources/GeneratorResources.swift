internal import ScrubBase
internal import ScrubDecoding
internal import ScrubLibAV

/// A generator engine's share of common resources: bytes, a place in line for a decoder, and a count of pictures that
/// callers hold. Also used by a series.
///
/// Thread safety: safe from any thread, except that the seat belongs to the engine's thread.
final class GeneratorResources: Sendable {
    let seat: DecoderLeaseHolder
    let loans: HeldPictures
    /// The engine's cached pictures.
    let cache: Locked<FrameCache>
    private let budget: ScrubBudget
    private let member: BudgetMember
    private let decoders: DecoderPool
    private let wake: @Sendable () -> Void

    /// Creates a share.
    ///
    /// - Parameters:
    ///   - waitingPictureCount: the maximum number of pictures that wait for their caller at a time.
    ///   - wake: called on any thread, with no lock held, when the engine's thread must check again; it must not block.
    /// - Throws: `unavailable` if the budget has no room for another decoding member.
    init(
        _ resources: DecodingResources, _ asset: VideoAsset, _ options: FrameReader.Options,
        waitingPictureCount: Int = 0, wake: @escaping @Sendable () -> Void
    ) throws(ScrubError) {
        // Without a byte limit, it uses all that the options allow, in separate memory.
        budget = resources.budget ?? ScrubBudget(byteLimit: .max)
        (decoders, self.wake) = (resources.decoderPool, wake)
        let guarantee = options.guarantee(for: asset, waitingPictureCount: waitingPictureCount)
        let pictures = CachedPictureShare(
            FrameCache(byteLimit: options.cacheByteLimit), byteLimit: options.cacheByteLimit, guarantee)
        cache = pictures.kept
        member = try budget.join(pictures, guarantee, isShown: false, wake: wake)
        loans = HeldPictures(member)
        seat = DecoderLeaseHolder(decoders, for: .asked, wake: wake)
    }

    deinit { leave() }

    /// Returns an engine that decodes with this share.
    func engine(_ asset: VideoAsset, _ settings: FrameEngine.Options) -> FrameEngine {
        FrameEngine(
            asset.seekPlanner(), options: settings, budget: member, cache: cache,
            decoders: AdditionalDecoderLeases(decoders, wake: wake))
    }

    /// Closes decoders that others are waiting for, and gives them back.
    func yield(_ engine: FrameEngine) {
        engine.giveSpareMemory()
        guard seat.isWantedBack else { return }
        engine.closeDecoders()
        seat.giveBack()
    }

    /// Gives up everything that callers do not hold. Further calls have no effect.
    func leave() {
        seat.leave()
        budget.leave(member)
    }
}

extension FrameReader.Options {
    /// Returns the minimum number of bytes that a ``FrameGenerator`` needs in ``DecodingResources``. It covers the
    /// pictures that a decoder may hold and two pictures held by the caller. The parameter sets in the container or, if
    /// there are none, the format's limits determine how many pictures a decoder may hold. While a series runs, it
    /// needs the same amount again, plus three pictures that wait for the consumer.
    ///
    /// - Parameter isSeries: whether to return the minimum for a series rather than for single requests.
    public func minimumByteCount(for asset: VideoAsset, isSeries: Bool = false) -> Int {
        guarantee(for: asset, waitingPictureCount: isSeries ? SeriesLimits.waiting : 0).byteCount
    }

    /// Returns the bytes guaranteed to an engine: for its work, and two pictures for callers.
    func guarantee(for asset: VideoAsset, waitingPictureCount: Int) -> MemoryGuarantee {
        let picture = asset.index.pictureBufferByteCount
        let (working, overflow) = FrameEngine.workingByteCount(asset.index, threadCount: engine.threadCount)
            .addingReportingOverflow(waitingPictureCount * picture)
        return MemoryGuarantee(work: overflow ? .max : working, loans: 2 * picture)
    }
}

extension FrameAnswer {
    /// Returns the answer as handed out, with its picture counted as held by the caller.
    ///
    /// - Throws: `unavailable` if callers hold so much that decoding would have no memory left.
    func handedOut(by loans: HeldPictures?) throws(ScrubError) -> FrameAnswer {
        guard let loans, let picture else { return self }
        guard let loan = loans.lend(picture.shared) else {
            throw ScrubError(
                .unavailable, "there is not enough memory to return frame \(frame.number): too many pictures are held",
                advice: "release held pictures, or raise the byte limit of DecodingResources")
        }
        return FrameAnswer(self, picture: FramePicture(loan, asset: picture.asset))
    }
}
