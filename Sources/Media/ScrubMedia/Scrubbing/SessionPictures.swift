internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// All pictures that a session caches: full ones around the playhead, previews in a wide range around it, and key
/// pictures over the whole video. Safe from any thread.
struct SessionPictures: KeptPictures, BudgetedPictures {
    /// The engine's cache.
    let full = Locked(FrameCache(byteLimit: 0))
    /// Reduced pictures of a session that shows only those; empty without a limit.
    let small = Locked(FrameCache(byteLimit: 0))
    /// The previews; `nil` for a session without them.
    let previews: PreviewTrack?
    /// The bytes guaranteed to decoding and to the pictures on screen.
    private let guaranteedByteCount: Int
    /// The bytes of full pictures that are kept in addition to previews.
    private let fullShare = Locked(0)
    /// The key pictures, limited by their number.
    let keyPictures: Locked<FrameCache>
    let index: FrameIndex
    /// Which pictures the bytes are for.
    let sizes: Sizes

    enum Sizes: Sendable {
        case full, reduced
    }

    /// Creates the set of pictures.
    ///
    /// - Parameters:
    ///   - keyPictureByteLimit: the maximum number of bytes of the key pictures.
    ///   - guaranteedByteCount: the bytes guaranteed to decoding and to the pictures on screen.
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
        // The ones to be evicted next are first.
        previews?.takeOffered { [store = previews?.store] in
            // The locks are not nested, because a store that needs room calls the cache.
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

    /// Returns whether a finger finds previews around a frame in both directions, as far as a long pass may take.
    func hasPreviews(around frame: Int) -> Bool {
        guard let store = previews?.store else { return false }
        let last = index.frameCount - 1
        return SessionPictures.samples.allSatisfy {
            store.contains(min(max(0, frame - $0), last)) && store.contains(min(max(0, frame + $0), last))
        }
    }

    /// Distances from the finger at which previews indicate that there are some all the way. A cold drag has them only
    /// behind it, and sporadically.
    private static let samples = [0, 8, 16, 32, 64, 128]

    func nearest(to frame: Int, within distance: Int) -> NearPicture<SharedFrame>? {
        let rank = index.ranks[picture(frame)]
        var best: NearPicture<SharedFrame>?
        // In order of quality: of two equally near ones, the full one.
        for (cache, isFull) in [(full, true), (small, false), (keyPictures, false)] {
            guard let found = cache.withLock({ $0.nearest(to: rank) }),
                let number = index.frame(ofPicture: found.picture)
            else { continue }
            if abs(number - frame) < best.map({ abs($0.frame - frame) }) ?? distance {
                best = NearPicture(frame: number, image: found.frame, isFull: isFull, verdict: found.verdict)
            }
        }
        // Only a picture that will be shown is worth decoding.
        if let previews, let number = previews.store.nearest(to: frame),
            abs(number - frame) < best.map({ abs($0.frame - frame) }) ?? distance,
            let image = previews.picture(ofFrame: number)
        {
            best = NearPicture(frame: number, image: image, isFull: false)
        }
        return best
    }

    /// Caches a reduced picture.
    func keep(_ image: SharedFrame, ofPicture picture: Int, in cache: Locked<FrameCache>) {
        let rank = index.ranks[picture]
        let kept = JudgedPicture(number: picture, frame: image, verdict: .exact)
        cache.withLock { $0.insert(kept, rank: rank) }
    }

    /// Notes the current position, so that distant pictures are evicted first.
    func look(at frame: Int) {
        previews?.look(at: frame)
        guard sizes == .reduced else { return }
        let rank = index.ranks[picture(frame)]
        small.withLock { $0.look(at: rank) }
    }

    /// Sets the byte limit for all pictures together. Previews get three quarters of the bytes that decoding leaves
    /// over: a full picture has the bytes of a hundred of them, and is needed where a finger rests. Full pictures use
    /// free bytes until previews need them.
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

    /// Evicts the least valuable picture: full pictures beyond their share, then whichever of full ones and previews
    /// use more bytes.
    ///
    /// - Returns: false if there are none.
    func evictOne() -> Bool {
        let (fullByteCount, share) = (full.withLock { $0.byteCount }, fullShare.withLock { $0 })
        let isPreviewsTurn = fullByteCount <= share && fullByteCount < previews?.store.byteCount ?? 0
        if isPreviewsTurn, previews?.store.evict() == true { return true }
        if full.withLock({ $0.evictOne() }) || previews?.store.evict() == true { return true }
        return [small, keyPictures].contains { cache in cache.withLock { $0.evictOne() } }
    }

    private func picture(_ frame: Int) -> Int { Int(index.frames[frame]) }
}
