internal import ScrubBase
internal import ScrubDecoding
internal import ScrubLibAV

/// The part of a generator's engine in shared resources: bytes, a place in line for a decoder, and a count of pictures
/// that callers hold. The same for a series.
///
/// Thread safety: safe from any thread, except that the seat is of the engine's thread.
final class GeneratorShare: Sendable {
    let seat: DecoderSeat
    let loans: PictureLoans
    /// The engine's pictures that are kept.
    let cache: Locked<FrameCache>
    private let budget: ScrubBudget
    private let member: BudgetMember
    private let decoders: DecoderPool
    private let wake: @Sendable () -> Void

    /// - Parameters:
    ///   - waitingPictureCount: pictures that wait for their caller at a time, at most.
    ///   - wake: called on any thread, with no lock held, when the engine's thread has to look again; it must not block.
    /// - Throws: `unavailable` when the budget has no room for one more that decodes.
    init(
        _ resources: PlaybackResources, _ asset: VideoAsset, _ options: FrameReader.Options,
        waitingPictureCount: Int = 0, wake: @escaping @Sendable () -> Void
    ) throws(ScrubError) {
        // Without a number of bytes all there is, in memory of one's own.
        budget = resources.budget ?? ScrubBudget(byteLimit: .max)
        (decoders, self.wake) = (resources.decoders, wake)
        let guarantee = options.guarantee(for: asset, waitingPictureCount: waitingPictureCount)
        let pictures = KeptPictureShare(
            FrameCache(byteLimit: options.cacheByteLimit), byteLimit: options.cacheByteLimit, guarantee)
        cache = pictures.kept
        member = try budget.join(pictures, guarantee, isShown: false, wake: wake)
        loans = PictureLoans(member)
        seat = DecoderSeat(decoders, for: .asked, wake: wake)
    }

    deinit { leave() }

    /// The engine that decodes with it.
    func engine(_ asset: VideoAsset, _ settings: FrameEngine.Options) -> FrameEngine {
        FrameEngine(
            asset.seekPlanner(), options: settings, budget: member, cache: cache,
            decoders: SpareLeases(decoders, wake: wake))
    }

    /// Closes decoders that others wait for, and gives them back.
    func yield(_ engine: FrameEngine) {
        engine.giveSpareMemory()
        guard seat.isWantedBack else { return }
        engine.closeDecoders()
        seat.giveBack()
    }

    /// Gives back all that callers do not hold. More calls do nothing.
    func leave() {
        seat.leave()
        budget.leave(member)
    }
}

extension FrameReader.Options {
    /// Returns the least bytes that a ``FrameGenerator`` needs in ``PlaybackResources``. They are for a decoder's own
    /// pictures, by the parameter sets in the container or else the limits of the format, and two pictures in the
    /// caller's hands. A series needs as much for itself while it runs, and ``FrameSeries/waitingLimit`` pictures that
    /// wait for their caller.
    ///
    /// - Parameter isSeries: whether it is for a series.
    public func minimumByteCount(for asset: VideoAsset, isSeries: Bool = false) -> Int {
        guarantee(for: asset, waitingPictureCount: isSeries ? FrameSeries.waitingLimit : 0).byteCount
    }

    /// Returns the bytes that an engine can always have: for its work, and two pictures for callers.
    func guarantee(for asset: VideoAsset, waitingPictureCount: Int) -> MemoryGuarantee {
        let picture = asset.index.pictureBufferByteCount
        let (working, overflow) = FrameEngine.workingByteCount(asset.index, threadCount: engine.threadCount)
            .addingReportingOverflow(waitingPictureCount * picture)
        return MemoryGuarantee(work: overflow ? .max : working, loans: 2 * picture)
    }
}

extension FrameAnswer {
    /// The answer as it is handed out: its picture counts as held by the caller.
    ///
    /// - Throws: `unavailable` when callers hold so much that decoding would have no memory left.
    func handedOut(by loans: PictureLoans?) throws(ScrubError) -> FrameAnswer {
        guard let loans, let picture else { return self }
        guard let loan = loans.lend(picture.shared) else {
            throw ScrubError(
                .unavailable, "there is no memory to hand out frame \(frame.number): too many pictures are held",
                advice: "release pictures that are held, or give PlaybackResources more bytes")
        }
        return FrameAnswer(self, picture: FramePicture(loan, asset: picture.asset))
    }
}
