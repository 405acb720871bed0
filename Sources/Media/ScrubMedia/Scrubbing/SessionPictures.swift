internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// All pictures that a session keeps: full ones around the playhead, reduced ones further around it, and key pictures
/// over the whole film. Asked from any thread.
struct SessionPictures: KeptPictures, BudgetedPictures {
    /// The engine's cache.
    let full = Locked(FrameCache(byteLimit: 0))
    /// Reduced pictures; stays empty without a limit.
    let small = Locked(FrameCache(byteLimit: 0))
    /// Key pictures, bounded by their number.
    let keyPictures: Locked<FrameCache>
    let index: FrameIndex
    /// Which pictures the bytes are for.
    let sizes: Sizes

    enum Sizes: Sendable {
        case full, both, reduced
    }

    /// - Parameter keyPictureByteLimit: the most bytes of the key pictures.
    init(_ index: FrameIndex, sizes: Sizes, keyPictureByteLimit: Int) {
        (self.index, self.sizes) = (index, sizes)
        keyPictures = Locked(FrameCache(byteLimit: keyPictureByteLimit))
    }

    func full(_ frame: Int) -> SourceAnswer<SharedFrame>? {
        let picture = picture(frame)
        return full.withLock { $0[picture] }.map { SourceAnswer(image: $0.frame, verdict: $0.verdict, decoded: 0) }
    }

    func reduced(_ frame: Int) -> SharedFrame? {
        let picture = picture(frame)
        return small.withLock { $0[picture]?.frame }
    }

    func nearest(to frame: Int) -> (frame: Int, image: SharedFrame, isFull: Bool)? {
        let rank = index.ranks[picture(frame)]
        var best: (frame: Int, image: SharedFrame, isFull: Bool)?
        // In the order of quality: of two that are as near, the full one.
        for (cache, isFull) in [(full, true), (small, false), (keyPictures, false)] {
            guard let found = cache.withLock({ $0.nearest(to: rank) }),
                let number = index.frame(ofPicture: found.picture)
            else { continue }
            if best.map({ abs(number - frame) < abs($0.frame - frame) }) ?? true {
                best = (number, found.frame, isFull)
            }
        }
        return best
    }

    /// Keeps a reduced picture.
    func keep(_ image: SharedFrame, ofPicture picture: Int, in cache: Locked<FrameCache>) {
        let rank = index.ranks[picture]
        let kept = JudgedPicture(number: picture, frame: image, verdict: .exact)
        cache.withLock { $0.insert(kept, rank: rank) }
    }

    /// Notes the current position, so that pictures far from it go first.
    func look(at frame: Int) {
        guard sizes != .full else { return }
        let rank = index.ranks[picture(frame)]
        small.withLock { $0.look(at: rank) }
    }

    /// Sets the most bytes of full and reduced pictures together. A reduced picture has a tenth of a full one's bytes
    /// or less, so a quarter is several times as many of them.
    func limit(to bytes: Int) {
        let part =
            switch sizes {
            case .full: 0
            case .both: bytes / 4
            case .reduced: bytes
            }
        small.withLock { $0.limit(to: part) }
        full.withLock { $0.limit(to: bytes - part) }
    }

    /// Lets the picture go that is worth least.
    ///
    /// - Returns: false if it is empty.
    func evictOne() -> Bool {
        [full, small, keyPictures].contains { cache in cache.withLock { $0.evictOne() } }
    }

    private func picture(_ frame: Int) -> Int { Int(index.frames[frame]) }
}
