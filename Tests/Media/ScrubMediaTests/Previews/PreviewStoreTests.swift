import ScrubBase
import ScrubMediaLogic
import ScrubTestSupport
import Testing

@testable import ScrubMedia

/// Previews' bytes within a budget that others share.
@Suite struct PreviewStoreTests {
    private static let size = 904
    /// What the store counts for a preview of that size.
    private static let counted = 1000

    private func store(
        frames: Int = 1000, group: Int = 100, limit: Int, budget: ByteBudget
    ) -> PreviewStore {
        let plan = PreviewPlan(groupStarts: stride(from: 0, to: frames, by: group), frameCount: frames)
        let store = PreviewStore(plan, budget, guessedByteCount: PreviewStoreTests.size)
        store.limit(to: limit)
        return store
    }

    private func preview(_ frame: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: frame), count: PreviewStoreTests.size)
    }

    /// Makes all passes, as the maker does.
    private func fill(_ store: PreviewStore) {
        while let pass = store.nextPass() {
            for frame in pass.frames where !store.insert(preview(frame), of: frame) { return }
        }
    }

    @Test func bytesAreTheBudgets() {
        let budget = ByteBudget(limit: 1_000_000)
        do {
            let store = store(limit: 300 * PreviewStoreTests.counted, budget: budget)
            store.look(at: 500)
            fill(store)
            #expect(store.byteCount == store.count * PreviewStoreTests.counted && budget.used == store.byteCount)
            #expect((250...300).contains(store.count))
            #expect(store[500] == preview(500) && store[0] == nil)
            #expect(store.nearest(to: 0).map { $0 > 0 } == true && store.nearest(to: 500) == 500)
        }
        #expect(budget.used == 0 && budget.peak <= 300 * PreviewStoreTests.counted)
    }

    /// A playhead that goes on takes its previews with it: what is far goes, and never what is near.
    @Test func whatIsFarGoesFirst() {
        let budget = ByteBudget(limit: 10_000_000)
        let store = store(frames: 10_000, limit: 400 * PreviewStoreTests.counted, budget: budget)
        for playhead in stride(from: 500, to: 9_500, by: 500) {
            store.look(at: playhead)
            fill(store)
            for frame in playhead - 50...playhead + 50 { #expect(store[frame] != nil, "\(frame) at \(playhead)") }
            #expect(store.byteCount <= 400 * PreviewStoreTests.counted)
        }
        #expect(store[500] == nil)
    }

    /// Previews take only what is free; when others need room, the least wanted go and do not come back at once.
    @Test func othersComeFirst() {
        let budget = ByteBudget(limit: 500_000)
        #expect(budget.take(300_000))
        let store = store(limit: 400_000, budget: budget)
        store.look(at: 0)
        fill(store)
        #expect((100...200).contains(store.count) && budget.used <= 500_000)
        let before = store.count
        while !budget.take(100_000) { #expect(store.evict()) }
        #expect(store.count < before && store[10] != nil)
        #expect(store.isFull && store.nextPass() == nil)
        // Even when there is room again: it may be wanted again as soon.
        budget.release(100_000)
        store.look(at: 5)
        #expect(store.nextPass() == nil)
        // Another limit is another beginning.
        store.limit(to: 400_000)
        #expect(store.nextPass() != nil)
        while store.evict() {}
        #expect(store.count == 0 && store.byteCount == 0 && budget.used == 300_000 && !store.evict())
    }

    @Test func aSmallerLimitHoldsAtOnce() {
        let budget = ByteBudget(limit: 1_000_000)
        let store = store(limit: 1_000_000, budget: budget)
        store.look(at: 700)
        fill(store)
        store.limit(to: 100_000)
        #expect(store.byteCount <= 100_000 && store[700] != nil && budget.used == store.byteCount)
        store.limit(to: 0)
        #expect(store.count == 0 && !store.insert(preview(1), of: 1) && store.nextPass() == nil)
    }

    /// Frames without a picture are asked for once.
    @Test func whatHasNoPreviewIsSettled() {
        let store = store(limit: 2_000_000, budget: ByteBudget(limit: 2_000_000))
        store.look(at: 0)
        for frame in 0..<100 where !frame.isMultiple(of: 10) { store.leaveOut(frame, .unavailable) }
        let pass = store.nextPass()
        #expect(pass?.frames == Array(stride(from: 0, to: 100, by: 10)))
        #expect(store[1] == nil)
        #expect(!store.hasUse(for: 1) && store.hasUse(for: 10))
    }

    /// A wanted preview that found no room is not made again before there may be some; a nearer one takes that of
    /// others.
    @Test func whatWasRefusedIsNotMadeAgain() {
        let budget = ByteBudget(limit: 500_000)
        #expect(budget.take(400_000))
        let store = store(limit: 2_000_000, budget: budget)
        store.look(at: 500)
        _ = store.nextPass()
        for frame in 600..<700 { #expect(store.insert(preview(frame), of: frame)) }
        #expect(store.hasUse(for: 201) && !store.insert(preview(201), of: 201) && !store.hasUse(for: 201))
        #expect(store.hasUse(for: 500) && store.insert(preview(500), of: 500))
        // A little room is not worth another try, as for a pass.
        budget.release(1_000)
        #expect(!store.hasUse(for: 201))
        budget.release(399_000)
        #expect(store.hasUse(for: 201) && store.insert(preview(201), of: 201))
    }

    /// Readers, makers and others that need room, all at once.
    @Test func manyThreads() throws {
        let budget = ByteBudget(limit: 400_000)
        let store = store(limit: 400_000, budget: budget)
        let threads = try (0..<4).map { number in
            try DedicatedThread {
                var random = SplitMix(UInt64(number))
                for _ in 0..<2000 {
                    let frame = Int.random(in: 0..<1000, using: &random)
                    switch number {
                    case 0: _ = store.insert([UInt8](repeating: UInt8(frame & 255), count: 900), of: frame)
                    case 1: store.look(at: frame)
                    case 2: if !budget.take(50_000) { _ = store.evict() } else { budget.release(50_000) }
                    default:
                        if let bytes = store[frame] { #expect(bytes.first == UInt8(frame & 255)) }
                        _ = store.nearest(to: frame)
                        _ = store.nextPass()
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(budget.used == store.byteCount && budget.peak <= 400_000)
    }
}
