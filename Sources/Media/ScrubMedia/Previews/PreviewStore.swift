internal import ScrubBase
internal import ScrubMediaLogic

/// A video's previews in memory, within the bytes of a shared budget, together with those kept on disk.
///
/// If previews may be appended on disk, those in memory are waiting to be written (``flush()``), and the whole video
/// should get previews.
///
/// The store uses free bytes, and those of pictures cached beyond their share. If others need room, the least useful
/// previews are evicted first (``PreviewPlan``), and the store keeps that size until the playhead has moved on. This
/// way, previews are not made and evicted in a loop.
///
/// Thread safety: safe from any thread.
final class PreviewStore: Sendable {
    private struct State {
        var plan: PreviewPlan
        var previews: [Int: [UInt8]] = [:]
        /// The frames that have a preview, in ascending order.
        var frames: [Int] = []
        /// Frames that cannot have a preview: without an exact picture, or in an unsupported format.
        var unavailable: Set<Int> = []
        /// Frames that could not be read. They are retried when the playhead has moved on.
        var unread: Set<Int> = []
        var byteCount = 0
        var byteLimit = 0
        /// The limit on ``byteCount`` since others needed the room.
        var pressureLimit = Int.max
        /// Whether a preview did not fit, with no change since.
        var isFull = false
        /// Whether the budget was the reason.
        var isRefused = false
        /// The smallest remoteness of a preview that did not fit while the store is full. Farther ones do not fit
        /// either.
        var refusedRemoteness = Int.max
        /// For each unit of the plan, the number of available frames divisible by four, and the number of others.
        var units: [Int: (coarse: Int, fine: Int)] = [:]

        var limit: Int { min(byteLimit, pressureLimit) }

        func isLeftOut(_ frame: Int) -> Bool { unavailable.contains(frame) || unread.contains(frame) }

        /// Records that there may be room again.
        mutating func hope() { (isFull, isRefused, refusedRemoteness) = (false, false, .max) }
    }

    /// The bytes of an array, an entry in a dictionary and in a list, and the heap's overhead.
    private static let overhead = 96
    /// After the budget had no room, the minimum number of previews for which to begin a pass.
    private static let leastPass = 64

    private let budget: ByteBudget
    /// The previews on disk; `nil` for a video without a preview file.
    let kept: SavedPreviews?
    private let state: Locked<State>
    /// Evicts a picture that is cached beyond its share; returns false if there is none.
    private let makeRoom = Locked<(@Sendable () -> Bool)?>(nil)
    /// The estimated size of a preview before the first one is made.
    private let guessedByteCount: Int

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - kept: the previews on disk, if there is a file.
    ///   - guessedByteCount: the estimated size of a preview before the first one is made.
    init(_ plan: PreviewPlan, _ budget: ByteBudget, kept: SavedPreviews? = nil, guessedByteCount: Int) {
        (self.budget, self.kept, self.guessedByteCount) = (budget, kept, max(1, guessedByteCount))
        state = Locked(State(plan: plan))
    }

    deinit {
        let byteCount = state.withLock { state in
            (state.previews, state.frames) = ([:], [])
            return state.byteCount
        }
        budget.release(byteCount)
        // Previews are thousands of small blocks.
        if byteCount > 1 << 20 { Heap.trim() }
    }

    var count: Int { state.withLock { $0.frames.count } + (kept?.count ?? 0) }
    /// The size in bytes of all previews in memory.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Sets the way in which others make room for a preview.
    ///
    /// - Parameter body: evicts a picture that is cached beyond its share; returns false if there is none. It must not
    ///   call the store.
    func relieve(by body: @escaping @Sendable () -> Bool) { makeRoom.withLock { $0 = body } }

    /// Whether a preview did not fit, with no change since.
    var isFull: Bool { state.withLock { $0.isFull } }

    subscript(frame: Int) -> [UInt8]? { state.withLock { $0.previews[frame] } ?? kept?[frame] }

    func contains(_ frame: Int) -> Bool {
        state.withLock { $0.previews[frame] != nil } || kept?.contains(frame) == true
    }

    /// Returns whether a preview of an already decoded frame would be kept. A rejected one is not made again until
    /// there may be room for it.
    func hasUse(for frame: Int) -> Bool {
        if kept?.contains(frame) == true { return false }
        return state.withLock { state in
            guard state.previews[frame] == nil, !state.isLeftOut(frame) else { return false }
            hopeIfThereIsRoom(&state)
            guard state.plan.isWanted(frame) else { return !state.isFull && state.byteCount < state.limit / 2 }
            return !state.isFull || remoteness(of: frame, state) < state.refusedRemoteness
        }
    }

    /// A small amount of free room is not worth another attempt.
    private func hopeIfThereIsRoom(_ state: inout State) {
        if state.isRefused, budget.limit - budget.used > PreviewStore.leastPass * average(state) { state.hope() }
    }

    /// Returns the mean size of a preview in bytes.
    private func average(_ state: State) -> Int {
        state.frames.isEmpty
            ? guessedByteCount + PreviewStore.overhead : max(1, state.byteCount / state.frames.count)
    }

    private func remoteness(of frame: Int, _ state: State) -> Int {
        state.plan.remoteness(ofUnit: state.plan.unit(with: frame), isCoarse: frame.isMultiple(of: 4))
    }

    /// Returns the nearest frame that has a preview.
    func nearest(to frame: Int) -> Int? {
        [state.withLock { $0.frames.nearest(to: frame) }, kept?.nearest(to: frame)].compactMap { $0 }
            .min { abs($0 - frame) < abs($1 - frame) }
    }

    func look(at frame: Int) {
        state.withLock { state in
            guard state.plan.note(frame) else { return }
            // Positions that were less useful elsewhere may be useful here, and bytes that others needed may be free
            // again.
            let free = max(0, budget.limit - budget.used)
            state.pressureLimit = max(state.pressureLimit, state.byteCount + free / 2)
            state.hope()
            state.unread = []
        }
    }

    /// Records that a frame produced no preview.
    func leaveOut(_ frame: Int, _ outcome: PreviewOutcome) {
        state.withLock { state in
            switch outcome {
            case .made: break
            case .unavailable: state.unavailable.insert(frame)
            case .unread: state.unread.insert(frame)
            }
        }
    }

    /// Stores a preview, evicting less useful ones if necessary.
    ///
    /// - Returns: false if there is no room for it.
    func insert(_ preview: [UInt8], of frame: Int) -> Bool {
        state.withLock { state in
            guard state.previews[frame] == nil else { return true }
            let size = preview.count + PreviewStore.overhead
            let (unit, isCoarse) = (state.plan.unit(with: frame), frame.isMultiple(of: 4))
            let remoteness = remoteness(of: frame, state)
            while true {
                let hasRoom = state.byteCount + size <= state.limit
                if hasRoom, takes(size) { break }
                guard let victims = leastWanted(state), victims.remoteness > remoteness else {
                    (state.isFull, state.isRefused) = (true, hasRoom)
                    state.refusedRemoteness = min(state.refusedRemoteness, remoteness)
                    return false
                }
                drop(victims, &state)
            }
            state.previews[frame] = preview
            state.frames.insert(frame, at: state.frames.partitioningIndex { $0 >= frame })
            state.byteCount += size
            state.units[unit, default: (0, 0)].coarse += isCoarse ? 1 : 0
            state.units[unit, default: (0, 0)].fine += isCoarse ? 0 : 1
            return true
        }
    }

    /// Reserves bytes for a preview, if necessary from pictures cached beyond their share.
    private func takes(_ size: Int) -> Bool {
        let makeRoom = makeRoom.withLock { $0 }
        while !budget.take(size) { guard makeRoom?() == true else { return false } }
        return true
    }

    /// Returns the frames to make next; `nil` if all useful previews exist, or if there is no more room.
    func nextPass() -> PreviewPlan.Pass? {
        // The search runs without the lock, because the finger requests previews in the meantime.
        let found = state.withLock { state -> (PreviewPlan, [Int: [UInt8]], Set<Int>)? in
            hopeIfThereIsRoom(&state)
            guard !state.isFull, state.limit > 0 else { return nil }
            let room = state.limit / average(state) + (kept?.count ?? 0)
            state.plan.fit(kept?.isWriting == true ? state.plan.frameCount : room)
            return (state.plan, state.previews, state.unavailable.union(state.unread))
        }
        guard let (plan, previews, leftOut) = found else { return nil }
        return plan.nextPass { previews[$0] != nil || leftOut.contains($0) || kept?.contains($0) == true }
    }

    /// Writes the previews in memory to disk, if they are kept there, and waits until they are written.
    func flush() {
        guard let kept, kept.isWriting else { return }
        let (frames, previews) = state.withLock { ($0.frames, $0.previews) }
        let news = frames.compactMap { frame in previews[frame].map { (frame: frame, bytes: $0) } }
        guard !news.isEmpty, kept.append(news) else { return }
        state.withLock { state in
            for (frame, _) in news { remove(frame, &state) }
            state.hope()
        }
    }

    private func remove(_ frame: Int, _ state: inout State) {
        guard let preview = state.previews.removeValue(forKey: frame) else { return }
        let place = state.frames.partitioningIndex { $0 >= frame }
        if place < state.frames.count, state.frames[place] == frame { state.frames.remove(at: place) }
        let (unit, isCoarse) = (state.plan.unit(with: frame), frame.isMultiple(of: 4))
        state.units[unit]?.coarse -= isCoarse ? 1 : 0
        state.units[unit]?.fine -= isCoarse ? 0 : 1
        if let counts = state.units[unit], counts.coarse == 0, counts.fine == 0 { state.units[unit] = nil }
        state.byteCount -= preview.count + PreviewStore.overhead
        budget.release(preview.count + PreviewStore.overhead)
    }

    /// Returns the number of frames between the playhead and a pass.
    func distance(to pass: PreviewPlan.Pass) -> Int {
        let playhead = state.withLock { $0.plan.playhead }
        return max(0, pass.group.lowerBound - playhead, playhead - pass.group.upperBound)
    }

    /// Sets the byte limit. Previews beyond it are evicted at once.
    func limit(to bytes: Int) {
        state.withLock { state in
            state.byteLimit = max(0, bytes)
            state.pressureLimit = .max
            state.hope()
            while state.byteCount > state.limit, let victims = leastWanted(state) { drop(victims, &state) }
        }
    }

    /// Evicts the least useful previews, because others need their bytes.
    ///
    /// - Returns: false if there are none.
    func evict() -> Bool {
        state.withLock { state in
            guard let victims = leastWanted(state) else { return false }
            drop(victims, &state)
            (state.pressureLimit, state.isFull, state.isRefused) = (state.byteCount, true, false)
            return true
        }
    }

    /// Previews to evict together.
    private struct Victims {
        var unit: Int
        var isCoarse: Bool
        var remoteness: Int
    }

    private func leastWanted(_ state: State) -> Victims? {
        var worst: Victims?
        for (unit, counts) in state.units {
            for isCoarse in [false, true] where (isCoarse ? counts.coarse : counts.fine) > 0 {
                let remoteness = state.plan.remoteness(ofUnit: unit, isCoarse: isCoarse)
                if remoteness > worst?.remoteness ?? -1 {
                    worst = Victims(unit: unit, isCoarse: isCoarse, remoteness: remoteness)
                }
            }
        }
        return worst
    }

    private func drop(_ victims: Victims, _ state: inout State) {
        let range = state.plan.frames(ofUnit: victims.unit)
        let low = state.frames.partitioningIndex { $0 >= range.lowerBound }
        let high = state.frames.partitioningIndex { $0 >= range.upperBound }
        for frame in Array(state.frames[low..<high]) where frame.isMultiple(of: 4) == victims.isCoarse {
            remove(frame, &state)
        }
    }
}
