internal import ScrubBase
package import ScrubDecoding

/// Pictures that are cached within a share of a budget, in addition to their member's guarantee. Safe from any thread.
package struct CachedPictureShare<Kept: EvictablePictures>: BudgetedPictures {
    package let kept: Locked<Kept>
    private let byteLimit: Int
    private let guarantee: MemoryGuarantee

    /// Creates a share.
    ///
    /// - Parameters:
    ///   - byteLimit: the maximum number of bytes, whatever the share is.
    ///   - guarantee: the part of the share for the decoder and for callers.
    package init(_ kept: sending Kept, byteLimit: Int, _ guarantee: MemoryGuarantee) {
        (self.kept, self.byteLimit, self.guarantee) = (Locked(kept), byteLimit, guarantee)
    }

    package func limit(to bytes: Int) {
        let room = min(bytes - guarantee.byteCount, byteLimit)
        kept.withLock { $0.limit(to: room) }
    }

    package func evictOne() -> Bool { kept.withLock { $0.evictOne() } }
}
