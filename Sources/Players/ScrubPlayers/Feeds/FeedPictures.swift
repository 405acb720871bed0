internal import ScrubBase
internal import ScrubDecoding
internal import ScrubMedia

/// The pictures that a feed keeps, within its share of a budget. Asked from any thread.
struct FeedPictures: BudgetedPictures {
    let frames: Locked<KeptFrames>
    private let byteLimit: Int
    private let guaranteedByteCount: Int

    /// - Parameters:
    ///   - byteLimit: the most bytes, whatever the share is.
    ///   - guaranteedByteCount: the part of the share for the decoder and for callers.
    init(byteLimit: Int, guaranteedByteCount: Int) {
        (self.byteLimit, self.guaranteedByteCount) = (byteLimit, guaranteedByteCount)
        frames = Locked(KeptFrames(byteLimit: byteLimit))
    }

    func limit(to bytes: Int) { frames.withLock { $0.limit(to: min(bytes - guaranteedByteCount, byteLimit)) } }
    func evictOne() -> Bool { frames.withLock { $0.evictOne() } }
}
