internal import ScrubBase
internal import ScrubDecoding
internal import ScrubMedia

/// What a feed keeps, within its share of a budget. Asked from any thread.
struct FeedPictures: BudgetedPictures {
    let frames: Locked<KeptFrames>
    private let byteLimit: Int

    init(byteLimit: Int) {
        self.byteLimit = byteLimit
        frames = Locked(KeptFrames(byteLimit: byteLimit))
    }

    func limit(to bytes: Int) { frames.withLock { $0.limit(to: min(bytes, byteLimit)) } }
    func evictOne() -> Bool { frames.withLock { $0.evictOne() } }
}
