package import ScrubLibAV

/// Cached pictures within a byte limit.
package protocol EvictablePictures: Sendable {
    /// Changes the limit. Pictures beyond it are evicted at once.
    mutating func limit(to bytes: Int)
    /// Evicts the least important picture.
    ///
    /// - Returns: false if there is none.
    mutating func evictOne() -> Bool
}

/// Decoded frames around a playhead, within a byte limit.
///
/// Promised frames, which will be shown next, stay as long as others can be evicted. Of the rest, the frame farthest
/// from the playhead is evicted first. A value; use from one thread at a time.
package struct PlayheadFrameCache: EvictablePictures {
    /// The maximum number of bytes of all frames together; a single picture may exceed it.
    package private(set) var byteLimit: Int
    package private(set) var byteCount = 0
    private var entries: [Int: JudgedPicture] = [:]
    /// The frame to be shown next.
    package var playhead = 0
    /// Frames that will be shown before others are decoded.
    package var promised: ClosedRange<Int>?

    package init(byteLimit: Int) { self.byteLimit = max(0, byteLimit) }

    package var count: Int { entries.count }

    /// A frame's picture with its verdict, if it is cached.
    package subscript(frame: Int) -> JudgedPicture? { entries[frame] }

    /// Returns the frame with a picture nearest to another one.
    package func nearest(to frame: Int) -> (frame: Int, picture: SharedFrame)? {
        let found = entries.filter { $0.value.frame != nil && $0.value.isExact }.keys
            .min { (abs($0 - frame), $0) < (abs($1 - frame), $1) }
        return found.flatMap { number in entries[number]?.frame.map { (number, $0) } }
    }

    /// Returns whether a picture of a given size can be cached without evicting a promised one.
    package func hasRoom(forBytes count: Int) -> Bool {
        guard byteCount + count > byteLimit else { return true }
        let free = entries.filter { !isPromised($0.key) }.values.reduce(0) { $0 + $1.keptByteCount }
        return byteCount - free + count <= byteLimit
    }

    /// Caches a frame, evicting those that are not promised if necessary.
    ///
    /// - Parameter isNeeded: whether promised frames that are shown later may be evicted for it too.
    /// - Returns: false if there is no room for it.
    package mutating func insert(_ picture: JudgedPicture, frame: Int, isNeeded: Bool = false) -> Bool {
        guard entries[frame] == nil else { return true }
        let size = picture.keptByteCount
        while byteCount + size > byteLimit, !entries.isEmpty {
            let victim = entries.keys.max { remoteness($0) < remoteness($1) }
            guard let victim, !isPromised(victim) || (isNeeded && remoteness(victim) > remoteness(frame)) else {
                return false
            }
            remove(victim)
        }
        guard byteCount + size <= byteLimit || frame == playhead else { return false }
        entries[frame] = picture
        byteCount += size
        return true
    }

    package mutating func evictOne() -> Bool {
        guard let victim = entries.keys.max(by: { remoteness($0) < remoteness($1) }) else { return false }
        remove(victim)
        return true
    }

    package mutating func limit(to bytes: Int) {
        byteLimit = max(0, bytes)
        while byteCount > byteLimit, evictOne() {}
    }

    package mutating func removeAll() { (entries, byteCount) = ([:], 0) }

    private mutating func remove(_ frame: Int) {
        if let entry = entries.removeValue(forKey: frame) { byteCount -= entry.keptByteCount }
    }

    private func isPromised(_ frame: Int) -> Bool { promised?.contains(frame) ?? false }

    /// Returns the distance of a frame; promised ones are nearer than all others.
    private func remoteness(_ frame: Int) -> Int {
        let distance = abs(frame - playhead)
        return isPromised(frame) ? distance - (1 << 40) : distance
    }
}
