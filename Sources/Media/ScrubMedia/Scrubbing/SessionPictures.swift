internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// All pictures that a session keeps: full ones around the playhead, previews far around it, and key pictures over the
/// whole film. Asked from any thread.
struct SessionPictures: KeptPictures, BudgetedPictures {
    /// The engine's cache.
    let full = Locked(FrameCache(byteLimit: 0))
    /// Reduced pictures of a session that shows no others; stays empty without a limit.
    let small = Locked(FrameCache(byteLimit: 0))
    /// Previews; `nil` for a session without them.
    let previews: PreviewTrack?
    /// Bytes that are guaranteed to decoding and to the pictures on a screen.
    private let guaranteedByteCount: Int
    /// Bytes of full pictures that stay beside previews.
    private let fullShare = Locked(0)
    /// Key pictures, bounded by their number.
    let keyPictures: Locked<FrameCache>
    let index: FrameIndex
    /// Which pictures the bytes are for.
    let sizes: Sizes

    enum Sizes: Sendable {
        case full, reduced
    }

    /// - Parameters:
    ///   - keyPictureByteLimit: the most bytes of the key pictures.
    ///   - guaranteedByteCount: bytes that are guaranteed to decoding and to the pictures on a screen.
    init(
        _ index: FrameIndex, sizes: Sizes, previews: PreviewTrack?, keyPictureByteLimit: Int, guaranteedByteCount: Int
    ) {
        (self.index, self.sizes, self.previews) = (index, sizes, previews)
        self.guaranteedByteCount = guaranteedByteCount
        let (full, share) = (full, fullShare)
        previews?.store.relieve {
            let share = share.withLock { $0 }
            return full.withLock { $0.byteCount > share && $0.evictOne() }
        }
        keyPictures = Locked(FrameCache(byteLimit: keyPictureByteLimit))
        // Those that go next come first.
        previews?.takeOffered { [store = previews?.store] in
            // Not one lock in the other: a store that needs room asks the cache.
            for picture in full.withLock({ $0.exactPictures }) {
                guard let frame = index.frame(ofPicture: picture), store?.hasUse(for: frame) == true,
                    let image = full.withLock({ $0[picture]?.frame })
                else { continue }
                return (frame, image)
            }
            return nil
        }
    }

    func full(_ frame: Int) -> SourceAnswer<SharedFrame>? {
        let picture = picture(frame)
        return full.withLock { $0[picture] }.map { SourceAnswer(image: $0.frame, verdict: $0.verdict, decoded: 0) }
    }

    func preview(_ frame: Int) -> SharedFrame? {
        if let previews { return previews.picture(ofFrame: frame) }
        let picture = picture(frame)
        return small.withLock { $0[picture]?.frame }
    }

    /// Whether a finger finds previews around a frame, both ways, as far as a long pass may take.
    func hasPreviews(around frame: Int) -> Bool {
        guard let store = previews?.store else { return false }
        let last = index.frameCount - 1
        return SessionPictures.samples.allSatisfy {
            store.contains(min(max(0, frame - $0), last)) && store.contains(min(max(0, frame + $0), last))
        }
    }

    /// Distances from a finger at which previews tell that there are some all the way: a cold drag has them behind it
    /// only, and here and there.
    private static let samples = [0, 8, 16, 32, 64, 128]

    func nearest(to frame: Int, within distance: Int) -> NearPicture<SharedFrame>? {
        let rank = index.ranks[picture(frame)]
        var best: NearPicture<SharedFrame>?
        // In the order of quality: of two that are as near, the full one.
        for (cache, isFull) in [(full, true), (small, false), (keyPictures, false)] {
            guard let found = cache.withLock({ $0.nearest(to: rank) }),
                let number = index.frame(ofPicture: found.picture)
            else { continue }
            if abs(number - frame) < best.map({ abs($0.frame - frame) }) ?? distance {
                best = NearPicture(frame: number, image: found.frame, isFull: isFull, verdict: found.verdict)
            }
        }
        // Only one that is shown is worth decoding.
        if let previews, let number = previews.store.nearest(to: frame),
            abs(number - frame) < best.map({ abs($0.frame - frame) }) ?? distance,
            let image = previews.picture(ofFrame: number)
        {
            best = NearPicture(frame: number, image: image, isFull: false)
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
        previews?.look(at: frame)
        guard sizes == .reduced else { return }
        let rank = index.ranks[picture(frame)]
        small.withLock { $0.look(at: rank) }
    }

    /// Sets the most bytes of all pictures together. Of what decoding leaves over, previews have three quarters: a full
    /// picture has the bytes of a hundred of them, and is wanted where a finger rests. Full ones have what is free,
    /// until previews come for it.
    func limit(to bytes: Int) {
        let isReduced = sizes == .reduced
        let room = max(0, bytes - guaranteedByteCount)
        // While previews are made, that takes a part.
        let rest = room - min(room / 2, PreviewTrack.workingByteCount(index))
        let part = previews == nil ? 0 : rest - rest / 4
        fullShare.withLock { $0 = rest / 4 }
        previews?.store.limit(to: part)
        small.withLock { $0.limit(to: isReduced ? bytes : 0) }
        full.withLock { $0.limit(to: isReduced ? 0 : bytes) }
    }

    /// Lets the picture go that is worth least: full pictures beyond their share, then of full ones and previews those
    /// that have more bytes.
    ///
    /// - Returns: false if it is empty.
    func evictOne() -> Bool {
        let (fullByteCount, share) = (full.withLock { $0.byteCount }, fullShare.withLock { $0 })
        let isPreviewsTurn = fullByteCount <= share && fullByteCount < previews?.store.byteCount ?? 0
        if isPreviewsTurn, previews?.store.evict() == true { return true }
        if full.withLock({ $0.evictOne() }) || previews?.store.evict() == true { return true }
        return [small, keyPictures].contains { cache in cache.withLock { $0.evictOne() } }
    }

    private func picture(_ frame: Int) -> Int { Int(index.frames[frame]) }
}
